"""Work in a second process; kept separate because it handles forks, signals and limits."""

import ctypes
import os
import pickle
import resource
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeVar, cast

MEMORY_BYTES: Final = 48 * 2**20
"""What a second process may use besides what it shares with the first."""
_PR_SET_PDEATHSIG: Final = 1

T = TypeVar("T")


class WorkerProcess(Generic[T]):
    """A process that does work, and its result."""

    def __init__(self, process: int, replies: int) -> None:
        """`replies` is the descriptor from which the pickled result of `process` is read; 0 is no process."""
        self._process = process
        self._replies = os.fdopen(replies, "rb")

    def result(self) -> T | None:
        """Wait for the result; None if there is no process or it failed, and its work is to be done here."""
        written = self._replies.read()
        return cast("T", pickle.loads(written)) if self._wait() == 0 else None  # noqa: S301 - from our own process

    def close(self) -> None:
        """End the process if it has not ended."""
        self._replies.close()
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int | None:
        """Return the exit code of the process, negative for a signal, when it has ended."""
        if not (process := self._process):
            return None
        self._process = 0
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def can_start() -> bool:
    """Return whether there is a second processor, and this process may fork: one with several threads may not."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


@contextmanager
def started(work: Callable[[], T]) -> Generator[WorkerProcess[T]]:
    """Do `work` in a copy of this process; it must open its files itself. The copy ends with the block at the latest."""
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        process = os.fork()
    except OSError:
        process = None
    if process == 0:
        os.close(reading)
        _work(work, writing, parent)
    os.close(writing)
    second = WorkerProcess[T](process or 0, reading)
    try:
        yield second
    finally:
        second.close()


def _work(work: Callable[[], object], writing: int, parent: int) -> None:
    """Write the result of `work` to `writing`, and end this process."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            _limit_memory()
            result = pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
            with os.fdopen(writing, "wb") as file:
                file.write(result)
            code = 0
    finally:
        # Exit handlers and buffers belong to the first process.
        os._exit(code)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    wanted = pages * resource.getpagesize() + MEMORY_BYTES
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
