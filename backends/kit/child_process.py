"""How a child process of this one is started: its command, its environment, and the signals of its crashes."""

import os
import signal
import sys
from collections.abc import Mapping
from typing import Final

CRASH_SIGNALS: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE})
"""The signals that damaged files cause. Others come from outside, for example when memory runs out."""


def child_command(*words: str) -> list[str]:
    """Return the command that starts this interpreter with the given words, such as "-m" and the name of a module."""
    # -P: the current directory may hold modules that this process does not import.
    return [sys.executable, "-P", *words]


def child_environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment in which a child finds the modules that this process finds.

    The other variables are those of `base`, by default those of this process.
    """
    search = os.pathsep.join(path for path in sys.path if path)
    return {**(os.environ if base is None else base), "PYTHONPATH": search}


def crash_signal(code: int) -> str | None:
    """Return the name of the signal if a child with this exit code crashed, None if it ended in another way."""
    return signal.Signals(-code).name if -code in CRASH_SIGNALS else None
