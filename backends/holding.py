"""Engines that admit one process: a folder or file is held by a lock beside it, also against this process itself."""

import os
from pathlib import Path

from filelock import FileLock, Timeout

from backends.ports.errors import AlreadyOpen, Unavailable

_held: dict[Path, FileLock] = {}
"""What this process holds. A lock ends with its object, so it is kept here until it is given back."""


class Held:
    """The right to open something, until it is given back or the process ends."""

    def __init__(self, real: Path) -> None:
        self._real = real

    def release(self) -> None:
        """Give it back; repeatable."""
        lock = _held.pop(self._real, None)
        if lock is not None:
            lock.release()


def hold(path: Path) -> Held:
    """Take the right to open `path`, which need not exist yet; whatever name it goes by, there is one.

    Raises `AlreadyOpen` while another process, or this one, has it, and `Unavailable` where no lock can be made.
    """
    real = Path(os.path.realpath(path))
    # Not a singleton: two locks of one process exclude one another, too. Whichever thread ends last gives it back.
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
    _held[real] = lock
    return Held(real)
