"""Turns the drivers' errors, which differ by their text only, into the ports' errors, once."""

from pathlib import Path
from typing import Final

from backends.kuzu.driver import DriverError
from backends.ports.errors import AlreadyOpen, StoreError, Timeout, Unavailable, Unusable

WAY_OUT: Final = "Stop, move the file and its .wal away and start: it is made anew and filled from the log"

_MEANINGS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("Interrupted", Timeout, "the statement took too long and was stopped; raise timeout_s or ask for less"),
    ("Timeout waiting", Timeout, "another transaction kept it busy for too long; try again"),
    ("Could not set lock", AlreadyOpen, "another process has it open; one process at a time can use it"),
    (
        "not a valid",
        Unusable,
        "it was written by the other driver or another program. Choose that driver, or start anew",
    ),
    (
        "different version",
        Unusable,
        "it was written by another version of the driver; install that version, or start anew",
    ),
    ("corrupted", Unusable, "it is damaged"),
    ("past the end of the file", Unusable, "it is damaged: a part is missing"),
    ("No space left", Unavailable, "the disk is full; make room and try again"),
    ("Unable to allocate memory", Unavailable, "the buffer pool is too small for this call; raise buffer_pool_mib"),
    ("Permission denied", Unavailable, "this user may not use it; check the owner and the permissions"),
    ("Read-only file system", Unavailable, "it lies on a read-only file system"),
    ("Cannot open file", Unavailable, "it cannot be opened; check that this user may read and write it"),
)


def translate(error: DriverError, path: Path) -> StoreError:
    """Return the store error for a driver's error."""
    text = str(error)
    for mark, kind, sentence in _MEANINGS:
        if mark.casefold() in text.casefold():
            way_out = f". {WAY_OUT}" if kind is Unusable else ""
            return kind(f"{path}: {sentence} ({_first_line(text)}){way_out}")
    return StoreError(f"{path}: {_first_line(text)}")


def exhausted(error: DriverError) -> bool:
    """Say whether a statement failed because it needed more memory than there is."""
    return "unable to allocate memory" in str(error).casefold()


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300]
