"""Locks for engines that admit one process: a lock beside a folder or file excludes other processes and this one."""

import os
from pathlib import Path

from filelock import FileLock, Timeout

from backends.ports.errors import AlreadyOpen, Unavailable

_acquired: dict[Path, FileLock] = {}
"""The locks of this process, by path. `FileLock` releases when its object is deleted, so they are kept here."""


class AcquiredLock:
    """The right to open a path, until it is released or the process ends."""

    def __init__(self, real: Path) -> None:
        self._real = real

    def release(self) -> None:
        """Release the lock; repeatable, from any thread."""
        lock = _acquired.pop(self._real, None)
        if lock is not None:
            lock.release()


def acquire(path: Path) -> AcquiredLock:
    """Return the lock of `path`, which need not exist yet; all names of one file share one lock.

    Raises `AlreadyOpen` while another process, or this one, has it, and `Unavailable` where no lock can be created.
    """
    real = Path(os.path.realpath(path))
    # Not a singleton, so that two locks of one process exclude each other; not bound to a thread, so that any releases it.
    lock = FileLock(real.with_name(f"{real.name}.lock"), timeout=0, is_singleton=False, thread_local=False)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise AlreadyOpen(
            f"{path} is open already, here or in another process, and this engine admits one; "
            "stop the other one, or choose another directory"
        ) from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be used: {error}") from error
    _acquired[real] = lock
    return AcquiredLock(real)
