"""Whether work runs on the thread of the event loop, for tests that the loop stays free."""

import threading
from types import ModuleType

import pytest


def threads_of(monkeypatch: pytest.MonkeyPatch, module: ModuleType, work: str) -> list[int]:
    """Return a list to which each call of a module's function adds the thread that it runs on."""
    threads: list[int] = []
    real = getattr(module, work)

    def recording(*values: object, **options: object) -> object:
        threads.append(threading.get_ident())
        return real(*values, **options)

    monkeypatch.setattr(module, work, recording)
    return threads


def is_beside_loop(threads: list[int]) -> bool:
    """Return whether the work was done, and never on the calling thread."""
    return bool(threads) and threading.get_ident() not in threads
