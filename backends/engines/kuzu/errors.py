"""Translates the drivers' errors, which differ only in their text, into the ports' errors."""

from pathlib import Path
from typing import Final

from backends.engines.kuzu.driver import DriverError
from backends.ports.errors import AlreadyOpen, StoreError, Timeout, Unavailable, Unusable

REMEDY: Final = "Stop, move the file and its .wal away and start again: a new file is created and rebuilt from the log"
COMPANIONS: Final = (".wal", ".shadow", ".tmp", ".wal.checkpoint", ".checkpoint.intent")
"""The suffixes of the files that belong to a database file."""

_UNWRITTEN: Final = ("No space left", "Cannot write to file")
"""The drivers often report a full disk as a write of fewer bytes, without a reason."""

_MEANINGS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("Interrupted", Timeout, "the statement took too long and was stopped; raise timeout_s or request less"),
    ("Timeout waiting", Timeout, "another transaction held it for too long; try again"),
    ("Could not set lock", AlreadyOpen, "another process has it open; one process at a time can use it"),
    (
        "not a valid",
        Unusable,
        "it was written by the other driver or another program. Choose that driver, or start with a new file",
    ),
    (
        "different version",
        Unusable,
        "it was written by another version of the driver; install that version, or start with a new file",
    ),
    *((mark, Unavailable, "the disk is full; make room and try again") for mark in _UNWRITTEN),
    ("Unable to allocate memory", Unavailable, "the buffer pool is too small for this call; raise buffer_pool_mib"),
    ("Permission denied", Unavailable, "this user may not use it; check the owner and the permissions"),
    ("Read-only file system", Unavailable, "it lies on a read-only file system"),
    ("Cannot open file", Unavailable, "it cannot be opened; check that this user may read and write it"),
)

_DAMAGE: Final = ("orrupted", "past the end of the file")


def translate(error: DriverError, path: Path) -> StoreError:
    """Return the store error for a driver's error."""
    text = str(error)
    if any(mark in text for mark in _DAMAGE):
        return damaged_error(path, f"is damaged ({_first_line(text)})")
    for mark, kind, sentence in _MEANINGS:
        if mark.casefold() in text.casefold():
            remedy = f". {REMEDY}" if kind is Unusable else ""
            return kind(f"{path}: {sentence} ({_first_line(text)}){remedy}")
    return StoreError(f"{path}: {_first_line(text)}")


def damaged_error(path: Path, sentence: str) -> Unusable:
    """Return the error for an unreadable file. `sentence` says what was found."""
    return Unusable(
        f"{path} {sentence}. Stop and run `entrepot rebuild`: it moves the file aside and fills a new one from the log",
        replaceable=own_files(path),
    )


def own_files(path: Path) -> tuple[Path, ...]:
    """Return a database file and every file that may belong to it."""
    return tuple(Path(f"{path}{suffix}") for suffix in ("", *COMPANIONS))


def exhausted(error: DriverError) -> bool:
    """Return whether a statement failed for lack of memory."""
    return "unable to allocate memory" in str(error).casefold()


def unwritten(error: DriverError) -> bool:
    """Return whether a file could not be written, after which the driver's state in memory is undefined."""
    return any(mark in str(error) for mark in _UNWRITTEN)


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:300]
