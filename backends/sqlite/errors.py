"""Turns sqlite3's errors into the ports' errors, once, in sentences that name the file."""

import sqlite3
from pathlib import Path

from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable
from backends.sqlite.schema import Layout

_PRIMARY = 0xFF
"""The low byte of an extended result code is the primary one."""

_UNAVAILABLE = {
    sqlite3.SQLITE_FULL: "the disk or the quota of the store is full; nothing was changed. Make room and try again",
    sqlite3.SQLITE_IOERR: "reading or writing the disk failed; check the disk and the room on it",
    sqlite3.SQLITE_READONLY: "it cannot be written; make the directory and its files writable for this user",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its directory exists and this user may read and write it",
    sqlite3.SQLITE_PERM: "this user may not open it; check the owner and the permissions",
    sqlite3.SQLITE_NOMEM: "there was not enough memory",
}


def damaged(path: Path, layout: Layout, found: str) -> Unusable:
    """Return the error for a file of which something cannot be read; `found` says what."""
    sentence = f"{path} is damaged or not a database ({found}). {layout.way_out}"
    return Unusable(sentence, replaceable=layout.replaceable(path))


def tail_damaged(path: Path, frame: int) -> Unusable:
    """Return the error for a log beside which lies what cannot be read from a frame on, acknowledged writes among it."""
    return Unusable(
        f"{path}-wal is damaged from its frame {frame} on, and the last facts are in there. Restore a backup, or give up what "
        f"lies behind: copy both files, then run: sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'. Nothing was overwritten."
    )


def translate(error: sqlite3.Error, path: Path, layout: Layout) -> StoreError:
    """Return the store error for a driver's error; the layout knows what helps when the file is damaged."""
    # sqlite3 sets the code only on errors that come from the library, not on misuse such as a closed connection.
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    if extended is None:
        return Unavailable(f"{path} is closed: {error}")
    code = extended & _PRIMARY
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Timeout(f"{path}: another process kept writing for too long; try again")
    if code == sqlite3.SQLITE_INTERRUPT:
        return Timeout(f"{path}: the call took too long and was stopped")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, layout, str(error))
    if code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_RANGE):
        return InvalidInput(f"{path}: {error}")
    if (sentence := _UNAVAILABLE.get(code)) is not None:
        return Unavailable(f"{path}: {sentence} ({error})")
    return StoreError(f"{path}: {error}")
