"""The substring index: shadows of text fields by trigrams."""

import sqlite3
from collections.abc import Mapping

from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Value
from backends.sqlite.declarations import Declared, SqlValue
from backends.sqlite.schema import SLOTS, slot_columns
from backends.sqlite.statements import statement

_INSERT = statement(
    "INSERT INTO texts(rowid, {slots}) VALUES(?{values})",
    slots=", ".join(slot_columns()),
    values=", ?" * SLOTS,
)


def index_texts(connection: sqlite3.Connection, rid: int, declared: Declared, fields: Mapping[str, Value]) -> None:
    """Index the texts of a node of which none are indexed; those over 32 kB stay out."""
    row: list[SqlValue] = [None] * SLOTS
    for name, value in fields.items():
        if declared.specs[name].text and isinstance(value, str) and len(value.encode()) <= MAX_INDEXED_BYTES:
            row[declared.slots[name]] = shadow(value)
    if any(text is not None for text in row):
        connection.execute(_INSERT, (rid, *row))


def forget_texts(connection: sqlite3.Connection, rid: int) -> None:
    """Remove what is indexed for a node."""
    connection.execute("DELETE FROM texts WHERE rowid = ?", (rid,))
