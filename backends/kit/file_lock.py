"""Locks for engines that admit one process: a lock file beside a folder or file, exclusive within this process too."""

import os
from pathlib import Path

from filelock import FileLock, Timeout

from backends.ports.errors import AlreadyOpen, Unavailable

_acquired: dict[Path, FileLock] = {}
"""The locks of this process, by path. They are kept here because a deleted `FileLock` releases its lock."""


class AcquiredLock:
    """A lock on a path, held until it is released or the process ends."""

    def __init__(self, real: Path) -> None:
        self._real = real

    def release(self) -> None:
        """Release the lock, from any thread; repeatable."""
        lock = _acquired.pop(self._real, None)
        if lock is not None:
            lock.release()


def acquire(path: Path) -> AcquiredLock:
    """Acquire the lock of `path`, which need not exist; all names of a file share one lock.

    Raises `AlreadyOpen` while this or another process holds it, and `Unavailable` if the lock cannot be created.
    """
    real = Path(os.path.realpath(path))
    # Not a singleton, so that two locks of one process exclude each other; not thread-local, so that any thread can release it.
    lock = FileLock(real.with_name(f"{real.name}.lock"), timeout=0, is_singleton=False, thread_local=False)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise AlreadyOpen(
            f"{path} is open already, here or in another process, and this engine admits only one; "
            "stop the other one, or choose another directory"
        ) from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be used: {error}") from error
    _acquired[real] = lock
    return AcquiredLock(real)
