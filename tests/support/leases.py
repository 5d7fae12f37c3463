"""Leases that the log grants to a caller who never learns of it."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from backends.ports.checked.events import CheckedEventLog
from backends.ports.events import Lease


@contextmanager
def unanswered_leases(monkeypatch: pytest.MonkeyPatch) -> Generator[asyncio.Event]:
    """Hold back the answers of the real log inside the block; the event is set when the first one is held back."""
    answered = asyncio.Event()
    ask = CheckedEventLog.acquire_lease

    async def acquire_lease(log: CheckedEventLog, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        await ask(log, name, owner, ttl_s=ttl_s)
        answered.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    with monkeypatch.context() as patch:
        patch.setattr(CheckedEventLog, "acquire_lease", acquire_lease)
        yield answered
