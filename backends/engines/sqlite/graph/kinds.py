"""The declared kinds of a namespace, and the indexes of the texts that they declare: of substrings and of list elements."""

import sqlite3
from collections.abc import Mapping, Sequence

from backends.engines.sqlite.declarations import Declared, SqlValue, declare, merge, parse
from backends.engines.sqlite.filters import BETWEEN
from backends.engines.sqlite.graph.listing_indexes import index_listings
from backends.engines.sqlite.graph.totals import count_anew
from backends.engines.sqlite.schema import SLOTS, slot_columns
from backends.engines.sqlite.statements import statement
from backends.kit.declarations import stored_fields
from backends.ports.errors import InvalidInput
from backends.ports.graph import KindSpec
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Value

_FIND = "SELECT fields, totals, listings FROM kinds WHERE ns = ? AND name = ?"
_SAVE = (
    "INSERT INTO kinds(ns, name, fields, totals, listings) VALUES(?, ?, ?, ?, ?)"
    " ON CONFLICT(ns, name) DO UPDATE SET fields = excluded.fields, totals = excluded.totals, listings = excluded.listings"
)
_REARRANGE = statement(
    "UPDATE nodes SET indexed = ?, {slots} WHERE rid = ?", slots=", ".join(f"{name} = ?" for name in slot_columns())
)
_INDEX_ELEMENT = "INSERT INTO elements(rid, slot, text, ns, kind) VALUES(?, ?, ?, ?, ?)"
_INDEX_TEXTS = statement(
    "INSERT INTO texts(rowid, {slots}) VALUES(?{values})",
    slots=", ".join(slot_columns()),
    values=", ?" * SLOTS,
)


def declared_kind(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared:
    """Return a kind's declaration. Raises `InvalidInput` for one that was never declared."""
    if (found := _find(connection, namespace, kind)) is None:
        raise InvalidInput(f"no kind {kind!r:.60} is declared in this graph")
    return found


def counted_by(connection: sqlite3.Connection, namespace: str, kind: str) -> tuple[str, ...]:
    """Return the totals of a kind: the fields by which its nodes are counted when they are written."""
    found = _find(connection, namespace, kind)
    return () if found is None else found.totals


def declarations(kinds: Sequence[KindSpec]) -> dict[str, Declared]:
    """Return the declarations by kind; of a kind that occurs twice, the last one."""
    return {kind.name: declare(kind.fields, totals=kind.totals, listings=kind.listings) for kind in kinds}


def declare_kind(connection: sqlite3.Connection, namespace: str, kind: str, wanted: Declared) -> None:
    """Save a declaration, and move the fields of stored nodes to the columns that it assigns.

    Raises `Conflict` for a changed type and `InvalidInput` for more than 16 fields.
    """
    known = _find(connection, namespace, kind)
    declared = wanted if known is None else merge(known, wanted, owner=f"kind {kind!r}")
    if declared == known:
        return
    connection.execute(_SAVE, (namespace, kind, declared.dump(), *declared.dump_hints()))
    if known is None or declared.dump() != known.dump():
        _rearrange(connection, namespace, kind, declared)
    if known is None or declared.totals != known.totals:
        count_anew(connection, namespace, kind, declared.totals)
    index_listings(connection, (namespace, kind), known, declared)


def index_texts(
    connection: sqlite3.Connection, of_kind: tuple[str, str], rid: int, declared: Declared, fields: Mapping[str, Value]
) -> None:
    """Index the shadows of a node's texts, and of the elements of its lists; none of them may be indexed yet.

    Texts over 32 kB are left out.
    """
    row: list[SqlValue] = [None] * SLOTS
    for name, value in fields.items():
        if not declared.specs[name].text:
            continue
        slot = declared.slots[name]
        if isinstance(value, tuple):
            elements = dict.fromkeys(map(shadow, value))
            row[slot] = BETWEEN.join(elements)
            connection.executemany(_INDEX_ELEMENT, [(rid, slot, element, *of_kind) for element in elements])
        elif isinstance(value, str) and len(value.encode()) <= MAX_INDEXED_BYTES:
            row[slot] = shadow(value)
    if any(text is not None for text in row):
        connection.execute(_INDEX_TEXTS, (rid, *row))


def forget_texts(connection: sqlite3.Connection, rid: int) -> None:
    """Remove the texts and elements of a node from the indexes."""
    connection.execute("DELETE FROM texts WHERE rowid = ?", (rid,))
    connection.execute("DELETE FROM elements WHERE rid = ?", (rid,))


def _rearrange(connection: sqlite3.Connection, namespace: str, kind: str, declared: Declared) -> None:
    rows = connection.execute("SELECT rid, fields FROM nodes WHERE ns = ? AND kind = ? AND dead = 0", (namespace, kind))
    for rid, fields in rows.fetchall():
        kept = stored_fields(fields)
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(kept), rid))
        forget_texts(connection, rid)
        index_texts(connection, (namespace, kind), rid, declared, kept)


def _find(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared | None:
    row: tuple[str, str, str] | None = connection.execute(_FIND, (namespace, kind)).fetchone()
    return None if row is None else parse(*row)
