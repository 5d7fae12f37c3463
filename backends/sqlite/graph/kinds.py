"""The declared kinds of a namespace."""

import sqlite3
from collections.abc import Sequence

from backends.declarations import stored_fields
from backends.ports.errors import InvalidInput
from backends.ports.graph import KindSpec
from backends.ports.ids import check_name
from backends.sqlite.declarations import Declared, declare, merge, parse
from backends.sqlite.graph.texts import forget_texts, index_texts
from backends.sqlite.schema import slot_columns
from backends.sqlite.statements import statement

_FIND = "SELECT fields FROM kinds WHERE ns = ? AND name = ?"
_SAVE = (
    "INSERT INTO kinds(ns, name, fields) VALUES(?, ?, ?) ON CONFLICT(ns, name) DO UPDATE SET fields = excluded.fields"
)
_REARRANGE = statement(
    "UPDATE nodes SET indexed = ?, {slots} WHERE rid = ?", slots=", ".join(f"{name} = ?" for name in slot_columns())
)


def declared_kind(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared:
    """Return a kind's declaration. Raises `InvalidInput` for one that was never declared."""
    if (found := _find(connection, namespace, kind)) is None:
        raise InvalidInput(f"no kind {kind!r:.60} is declared in this graph")
    return found


def check_kinds(kinds: Sequence[KindSpec]) -> dict[str, Declared]:
    """Return the declarations by kind. Raises `InvalidInput`."""
    return {check_name(kind.name, what="a kind"): declare(kind.fields, owner=f"kind {kind.name!r}") for kind in kinds}


def declare_kind(connection: sqlite3.Connection, namespace: str, kind: str, wanted: Declared) -> None:
    """Save a declaration; stored nodes move to the columns that it gives their fields."""
    known = _find(connection, namespace, kind)
    declared = wanted if known is None else merge(known, wanted, owner=f"kind {kind!r}")
    if known is not None and declared.dump() == known.dump():
        return
    connection.execute(_SAVE, (namespace, kind, declared.dump()))
    if known is None:
        return
    rows = connection.execute("SELECT rid, fields FROM nodes WHERE ns = ? AND kind = ? AND dead = 0", (namespace, kind))
    for rid, fields in rows.fetchall():
        kept = stored_fields(fields)
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(kept), rid))
        forget_texts(connection, rid)
        index_texts(connection, rid, declared, kept)


def _find(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared | None:
    row: tuple[str] | None = connection.execute(_FIND, (namespace, kind)).fetchone()
    return None if row is None else parse(row[0])
