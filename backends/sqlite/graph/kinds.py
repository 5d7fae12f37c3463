"""The declared kinds of a namespace."""

import sqlite3
from collections.abc import Sequence

import orjson

from backends.declarations import check_kinds, stored_fields
from backends.ports.errors import InvalidInput
from backends.ports.graph import KindSpec
from backends.sqlite.declarations import Declared, declare, merge, parse
from backends.sqlite.graph.texts import forget_texts, index_texts
from backends.sqlite.graph.totals import count_anew
from backends.sqlite.schema import slot_columns
from backends.sqlite.statements import statement

_FIND = "SELECT fields, totals FROM kinds WHERE ns = ? AND name = ?"
_SAVE = (
    "INSERT INTO kinds(ns, name, fields, totals) VALUES(?, ?, ?, ?)"
    " ON CONFLICT(ns, name) DO UPDATE SET fields = excluded.fields, totals = excluded.totals"
)
_REARRANGE = statement(
    "UPDATE nodes SET indexed = ?, {slots} WHERE rid = ?", slots=", ".join(f"{name} = ?" for name in slot_columns())
)


def declared_kind(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared:
    """Return a kind's declaration. Raises `InvalidInput` for one that was never declared."""
    if (found := _find(connection, namespace, kind)) is None:
        raise InvalidInput(f"no kind {kind!r:.60} is declared in this graph")
    return found


def counted_by(connection: sqlite3.Connection, namespace: str, kind: str) -> tuple[str, ...]:
    """Return the fields by which the nodes of a kind are counted as they are written."""
    found = _find(connection, namespace, kind)
    return () if found is None else found.totals


def declarations(kinds: Sequence[KindSpec]) -> dict[str, Declared]:
    """Return the declarations by kind. Raises `InvalidInput`."""
    checked = check_kinds(kinds)
    return {
        kind.name: declare(checked[kind.name].values(), owner=f"kind {kind.name!r}", totals=kind.totals)
        for kind in kinds
    }


def declare_kind(connection: sqlite3.Connection, namespace: str, kind: str, wanted: Declared) -> None:
    """Save a declaration; stored nodes move to the columns that it gives their fields."""
    known = _find(connection, namespace, kind)
    declared = wanted if known is None else merge(known, wanted, owner=f"kind {kind!r}")
    if declared == known:
        return
    connection.execute(_SAVE, (namespace, kind, declared.dump(), orjson.dumps(declared.totals).decode()))
    if known is None or declared.dump() != known.dump():
        _rearrange(connection, namespace, kind, declared)
    if known is None or declared.totals != known.totals:
        count_anew(connection, namespace, kind, declared.totals)


def _rearrange(connection: sqlite3.Connection, namespace: str, kind: str, declared: Declared) -> None:
    rows = connection.execute("SELECT rid, fields FROM nodes WHERE ns = ? AND kind = ? AND dead = 0", (namespace, kind))
    for rid, fields in rows.fetchall():
        kept = stored_fields(fields)
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(kept), rid))
        forget_texts(connection, rid)
        index_texts(connection, rid, declared, kept)


def _find(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared | None:
    row: tuple[str, str] | None = connection.execute(_FIND, (namespace, kind)).fetchone()
    return None if row is None else parse(*row)
