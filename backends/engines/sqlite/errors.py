"""Translates errors of sqlite3, and of decoding what it stores, into the ports' errors, with messages that name the file."""

import sqlite3
from pathlib import Path
from typing import Final, TypeAlias

from backends.engines.sqlite.schema import FileSchema
from backends.kit.event_rows import DamagedRow
from backends.ports.errors import AlreadyOpen, InvalidInput, StoreError, Timeout, Unavailable, Undecodable, Unusable

Problem: TypeAlias = sqlite3.Error | ValueError
PROBLEMS: Final = (sqlite3.Error, ValueError)
"""What is translated: errors of the driver, and those of decoding stored texts, JSON and vectors."""

_NOT_UTF8: Final = "Could not decode to UTF-8"
"""How sqlite3 begins the error for a text that is not UTF-8; the text itself follows."""
_PRIMARY = 0xFF
"""The low byte of an extended result code is the primary one."""

_UNAVAILABLE = {
    sqlite3.SQLITE_FULL: "the disk or the quota of the store is full; nothing was changed. Make room and try again",
    sqlite3.SQLITE_IOERR: "reading or writing the disk failed; check the disk and its free space",
    sqlite3.SQLITE_READONLY: "it cannot be written; make the directory and its files writable for this user",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its directory exists and this user may read and write it",
    sqlite3.SQLITE_PERM: "this user may not open it; check the owner and the permissions",
    sqlite3.SQLITE_NOMEM: "there was not enough memory",
}


def damaged_error(path: Path, file_schema: FileSchema, found: str) -> Unusable:
    """Return the error for a damaged file; `found` says what is wrong."""
    return Unusable(_damage(path, file_schema, found), replaceable=file_schema.replaceable(path))


def _damage(path: Path, file_schema: FileSchema, found: str) -> str:
    found = found.removeprefix("*** in database main ***").strip()
    return f"{path} is damaged or not a database ({found}). {file_schema.remedy}"


def is_undecodable(error: Exception) -> bool:
    """Return whether stored data could not be decoded. Such an error may quote them, so it is neither shown nor chained."""
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(_NOT_UTF8)
    return isinstance(error, ValueError) and not isinstance(error, UnicodeEncodeError)


def damaged_tail_error(path: Path, frame: int) -> Unusable:
    """Return the error for a log whose WAL is damaged before acknowledged transactions."""
    return Unusable(
        f"{path}-wal is damaged from its frame {frame} on, and the latest events follow it. Restore a backup, or "
        f"discard everything after it: copy both files, then run: sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'. "
        "Nothing was overwritten."
    )


def foreign_wal_error(path: Path) -> Unusable:
    """Return the error for a log that was restored without its WAL, next to the former file's."""
    return Unusable(
        f"{path}-wal does not belong to this {path.name}: the file was restored without its WAL. "
        f"Copy all three files first. Then move {path}-wal and {path}-shm away to use the backup, or restore the former "
        f"{path.name} to use both. Nothing was overwritten."
    )


def in_use_error(path: Path) -> AlreadyOpen:
    """Return the error for a file that must be migrated while another process has it open."""
    return AlreadyOpen(
        f"{path} was written by an older version of Entrepot and is open in another process, which may be that version: "
        "end it, then start again. Nothing was changed."
    )


def upgraded_error(path: Path, found: int, known: int) -> Unusable:
    """Return the error for a file that a newer version migrated while this process had it open."""
    return Unusable(
        f"{path} was upgraded by a newer version of Entrepot (schema {found}, this one knows {known}) while it was open: "
        "start this process again with that version. Nothing of the call was written."
    )


def replaced_error(path: Path) -> Unavailable:
    """Return the error for a port on a projection that was deleted or replaced; the new file is already open."""
    return Unavailable(f"{path} was removed or replaced while it was in use; it was opened again, try again")


def is_busy(error: sqlite3.OperationalError) -> bool:
    """Return whether another connection holds the lock that a statement needs."""
    return error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_BUSY


def translate(error: Problem, path: Path, file_schema: FileSchema) -> StoreError:
    """Return the store error for an error in `PROBLEMS`; the schema knows the remedy for a damaged file."""
    if is_undecodable(error):
        what = str(error) if isinstance(error, DamagedRow) else "some of its data"
        found = f"{what} cannot be decoded"
        return (
            Undecodable(_damage(path, file_schema, found))
            if file_schema.is_log
            else damaged_error(path, file_schema, found)
        )
    if not isinstance(error, sqlite3.Error):
        return InvalidInput(f"{path}: a text is not storable as UTF-8")
    return _of_driver(error, path, file_schema)


def _of_driver(error: sqlite3.Error, path: Path, file_schema: FileSchema) -> StoreError:
    # sqlite3 sets the code only on errors that come from the library, not on misuse such as a closed connection.
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    if extended is None:
        return Unavailable(f"{path} is closed: {error}")
    code = extended & _PRIMARY
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Timeout(f"{path}: another process held the write lock for too long; try again")
    if code == sqlite3.SQLITE_INTERRUPT:
        return Timeout(f"{path}: the call took too long and was stopped")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged_error(path, file_schema, str(error))
    if code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_RANGE):
        return InvalidInput(f"{path}: {error}")
    if (sentence := _UNAVAILABLE.get(code)) is not None:
        return Unavailable(f"{path}: {sentence} ({error})")
    return StoreError(f"{path}: {error}")
