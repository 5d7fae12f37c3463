"""What must hold for a database file before the driver touches it: one holder, a known format, nothing left of another."""

import os
import threading
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from backends.kuzu.driver import DriverName
from backends.kuzu.errors import COMPANIONS, damaged
from backends.ports.errors import AlreadyOpen, Unusable

_MAGIC: Final[dict[bytes, DriverName]] = {b"KUZU": "kuzu", b"LBUG": "ladybug"}

# The drivers lock the file against other processes only: a second opening in the same process loses data silently.
_held: Final[set[str]] = set()
_guard: Final = threading.Lock()


class Claim:
    """The right of this process, and within it of one holder, to use a file."""

    def __init__(self, path: Path) -> None:
        """Claim the file. Raises `AlreadyOpen`, and `OSError` where no lock file can be made."""
        self._name = os.path.realpath(path)
        with _guard:
            if self._name in _held:
                raise AlreadyOpen(f"{path} is already open in this process; share the open engine")
            _held.add(self._name)
        self._lock = FileLock(f"{self._name}.lock", timeout=0, is_singleton=False)
        try:
            self._lock.acquire()
        except Timeout:
            self._forget()
            raise AlreadyOpen(f"{path} is open in another process; one process at a time can use it") from None
        except BaseException:
            self._forget()
            raise

    def release(self) -> None:
        """Give the file up; repeatable."""
        if self._lock.is_locked:
            self._lock.release()
            self._forget()

    def _forget(self) -> None:
        with _guard:
            _held.discard(self._name)


def check_format(path: Path, driver: DriverName) -> None:
    """Raise `Unusable` unless an existing file begins as this driver's files do."""
    with path.open("rb") as file:
        begins = file.read(4)
    wrote = _MAGIC.get(begins)
    if wrote == driver:
        return
    if wrote is None:
        raise damaged(path, f"is damaged or not a database of {driver}")
    raise Unusable(
        f'{path} was written by {wrote}, which {driver} cannot read: set driver = "{wrote}", or move the file and its'
        f" .wal away, and it is made anew and filled from the log"
    )


def clear_leftovers(path: Path) -> None:
    """Remove what lies beside a file that is gone: its log would be replayed into the new file."""
    for suffix in COMPANIONS:
        Path(f"{path}{suffix}").unlink(missing_ok=True)
