"""The identity of open files and folders: whether they are still at their path, checked before each use."""

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

Identity: TypeAlias = tuple[int, int]
"""The device and the inode of a file or folder."""
FileState: TypeAlias = Literal["same", "moved", "deleted", "replaced", "unreachable"]

_REFERENCE: Final[int | None] = getattr(os, "O_PATH", None)
"""Opens a reference without read access: closing it drops no locks of this process, unlike closing a normal descriptor."""


class OpenedPath:
    """A path and the file that was there when it was opened. An engine keeps using that file, even if it was moved."""

    def __init__(self, path: Path) -> None:
        """Create the object for a path; nothing is open yet."""
        self._name = str(path)
        self._reference: int | None = None
        self.identity: Identity | None = None
        """The open file, None before `remember`."""

    def remember(self) -> None:
        """Remember the file at the path as the open one. Raises `OSError` if the path is inaccessible."""
        self.close()
        self.identity = self.there()
        if self.identity is not None and _REFERENCE is not None:
            self._reference = os.open(self._name, _REFERENCE)

    def there(self) -> Identity | None:
        """Return the identity of the file at the path, None if there is none. Raises `OSError` if it is inaccessible."""
        try:
            status = os.stat(self._name)  # noqa: PTH116 -- called before each read, and a Path builds its text each time
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def state(self) -> FileState:
        """Return where the open file is: at its path, moved away, deleted, or replaced by another one.

        If the system cannot detect that a file was deleted, it counts as moved. Raises nothing: an inaccessible path is
        `unreachable`.
        """
        try:
            there = self.there()
            if there == self.identity:
                return "same"
            if there is not None:
                return "replaced"
            # A deleted file has no name left; a moved one has a name elsewhere.
            if self._reference is not None and os.fstat(self._reference).st_nlink == 0:
                return "deleted"
        except OSError:
            return "unreachable"
        return "moved"

    def problem(self, state: FileState) -> str:
        """Return a sentence for the operator about a file that is not at its path."""
        if state == "unreachable":
            return f"{self._name} cannot be reached: check its directory, and that this user may read it"
        happened = "moved away" if state == "moved" else state
        put_back = "" if state == "deleted" else "put it back, or "
        return (
            f"{self._name} was {happened} while it was in use: {put_back}start again to have a new one filled from the "
            "event log"
        )

    def close(self) -> None:
        """Release the reference; repeatable."""
        reference, self._reference = self._reference, None
        if reference is not None:
            os.close(reference)
