"""Files and folders in use: whether they still lie where they were opened, asked before each use."""

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

Identity: TypeAlias = tuple[int, int]
"""The device and the inode of a file or folder."""
Place: TypeAlias = Literal["same", "moved", "deleted", "replaced", "unreachable"]

_REFERENCE: Final[int | None] = getattr(os, "O_PATH", None)
"""Opens a reference without the right to read: closing it drops no locks of this process, as any other closing would."""


class OpenedPath:
    """A path and what lay there when it was opened. An engine goes on using that file, wherever it is by now."""

    def __init__(self, path: Path) -> None:
        """Take a path at which nothing is open yet."""
        self._name = str(path)
        self._reference: int | None = None
        self.identity: Identity | None = None
        """What is open, None before `note`."""

    def note(self) -> None:
        """Take what is at the path now for what is open. Raises `OSError` when the path cannot be looked at."""
        self.close()
        self.identity = self.there()
        if self.identity is not None and _REFERENCE is not None:
            self._reference = os.open(self._name, _REFERENCE)

    def there(self) -> Identity | None:
        """Return what is at the path, None for nothing. Raises `OSError` when it cannot be looked at."""
        try:
            status = os.stat(self._name)  # noqa: PTH116 -- before each read, and a Path builds its text each time
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def place(self) -> Place:
        """Say where the opened file is: at its path, moved away, deleted, or with another one in its place.

        Where the system cannot tell that a file was deleted, it counts as moved. Raises nothing: a path that cannot be
        looked at is unreachable.
        """
        try:
            there = self.there()
            if there == self.identity:
                return "same"
            if there is not None:
                return "replaced"
            # A deleted file has no name left; one that was moved has one elsewhere.
            if self._reference is not None and os.fstat(self._reference).st_nlink == 0:
                return "deleted"
        except OSError:
            return "unreachable"
        return "moved"

    def problem(self, place: Place) -> str:
        """Return a sentence for the operator about a file that is not at its path."""
        if place == "unreachable":
            return f"{self._name} cannot be reached: check its directory, and that this user may read it"
        happened = "moved away" if place == "moved" else place
        put_back = "" if place == "deleted" else "put it back, or "
        return (
            f"{self._name} was {happened} while it was in use: {put_back}start again to have a new one filled from the "
            "event log"
        )

    def close(self) -> None:
        """Hold nothing any more; repeatable."""
        reference, self._reference = self._reference, None
        if reference is not None:
            os.close(reference)
