"""Finds damage anywhere in a file by reading all of it; kept separate because it is for operators, not for calls of tools."""

import sqlite3

import orjson

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.schema import Layout, Texts
from backends.engines.sqlite.statements import statement

_FETCHED = 256


def find_damage(connection: sqlite3.Connection, layout: Layout) -> str | None:
    """Return what is wrong with a file, None for nothing; the time grows with its size.

    Raises the driver's errors, and those of decoding, for what cannot be read at all.
    """
    # The quick check would not detect missing index entries, and nearly every record is looked up by index.
    found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        return found
    for texts in layout.texts:
        _read(connection, texts)
    if layout.is_log:
        _read_events(connection)
    if layout.misfits is not None and connection.execute(layout.misfits).fetchone() is not None:
        return "a record's vector has another length than its collection's"
    return None


def _read_events(connection: sqlite3.Connection) -> None:
    """Decode every event. Raises `DamagedRow` for the first damaged one."""
    query, values = event_tables.reading("")
    position = 0
    while events := event_tables.events(connection, query, {**values, "after": position, "limit": _FETCHED}):
        position = events[-1].position


def _read(connection: sqlite3.Connection, texts: Texts) -> None:
    """Decode every text of a table. Raises the errors of decoding."""
    columns = ", ".join((*texts.json, *texts.plain))
    rows = connection.execute(statement("SELECT {columns} FROM {table}", columns=columns, table=texts.table))
    while some := rows.fetchmany(_FETCHED):
        for row in some:
            for text in row[: len(texts.json)]:
                if text is not None:
                    orjson.loads(text)
