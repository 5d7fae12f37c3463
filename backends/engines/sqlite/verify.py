"""Finds damage in a file: at once in a log that is opened, and for operators anywhere, by reading all of it."""

import sqlite3
import time
from typing import Final

import orjson

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.schema import FileSchema, TextColumns, statement

QUICK_CHECK_S: Final = 1.0
"""How long a log is checked before its first use; enough for some hundred megabytes."""
STEPS: Final = 10_000
"""SQLite instructions between two checks of the clock: about a millisecond."""
_FETCHED = 256
"""Rows in memory at once; a text in each may have 256 kB."""


def find_damage_quickly(connection: sqlite3.Connection) -> str | None:
    """Return what is wrong with a file, None for nothing; `find_damage` finds more.

    Raises the driver's errors: that for an interrupted call when a second is over, after which the connection is unusable.
    """
    give_up = time.monotonic() + QUICK_CHECK_S
    connection.set_progress_handler(lambda: time.monotonic() > give_up, STEPS)
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    return None if found == "ok" else found


def find_damage(connection: sqlite3.Connection, file_schema: FileSchema) -> str | None:
    """Return what is wrong with a file, None for nothing; the time grows with its size.

    Raises the driver's errors, and those of decoding, for what cannot be read at all.
    """
    # The quick check would not detect missing index entries, and nearly every record is looked up by index.
    found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        return found
    for texts in file_schema.texts:
        _read(connection, texts)
    if file_schema.is_log:
        _read_events(connection)
    if file_schema.misfits is not None and connection.execute(file_schema.misfits).fetchone() is not None:
        return "a record's vector has another length than its collection's"
    return None


def _read_events(connection: sqlite3.Connection) -> None:
    """Decode every event. Raises `DamagedRow` for the first damaged one."""
    query, values = event_tables.read_statement("")
    position = 0
    while events := event_tables.events(connection, query, {**values, "after": position, "limit": _FETCHED}):
        position = events[-1].position


def _read(connection: sqlite3.Connection, texts: TextColumns) -> None:
    """Decode every text of a table. Raises the errors of decoding."""
    columns = ", ".join((*texts.json, *texts.plain))
    rows = connection.execute(statement("SELECT {columns} FROM {table}", columns=columns, table=texts.table))
    while some := rows.fetchmany(_FETCHED):
        for row in some:
            for text in row[: len(texts.json)]:
                if text is not None:
                    orjson.loads(text)
