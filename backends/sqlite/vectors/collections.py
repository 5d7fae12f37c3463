"""The declared collections of a namespace, each with a word index of its own."""

import sqlite3
from dataclasses import dataclass

from backends.declarations import stored_fields
from backends.ports.errors import NotFound
from backends.ports.vectors import CollectionSpec
from backends.sqlite.declarations import Declared, merge, parse
from backends.sqlite.schema import slot_columns
from backends.sqlite.statements import statement
from backends.vector_checks import check_same

_FIND = "SELECT key, dim, model, fields, seq FROM collections WHERE ns = ? AND name = ?"
# Its own index: words are then ranked, and counted, within the collection.
_WORDS = "CREATE VIRTUAL TABLE words_{key} USING fts5(text, content = '', tokenize = 'unicode61')"
_REARRANGE = statement(
    "UPDATE records SET indexed = ?, {slots} WHERE rid = ?", slots=", ".join(f"{name} = ?" for name in slot_columns())
)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as it is now; `seq` is the number of its last change."""

    key: int
    dim: int
    model: str
    declared: Declared
    seq: int


def find_collection(connection: sqlite3.Connection, namespace: str, name: str) -> Collection | None:
    """Return a collection, None when there is none of that name."""
    row: tuple[int, int, str, str, int] | None = connection.execute(_FIND, (namespace, name)).fetchone()
    return None if row is None else Collection(row[0], row[1], row[2], parse(row[3]), row[4])


def collection(connection: sqlite3.Connection, namespace: str, name: str) -> Collection:
    """Return a collection. Raises `NotFound`."""
    if (found := find_collection(connection, namespace, name)) is None:
        raise NotFound(f"no collection {name!r:.60} is declared here")
    return found


def declare_collection(connection: sqlite3.Connection, namespace: str, spec: CollectionSpec, wanted: Declared) -> None:
    """Save a declaration. Raises `Unusable` for another model and `Conflict` for another dimension or type."""
    known = find_collection(connection, namespace, spec.name)
    if known is None:
        created = connection.execute(
            "INSERT INTO collections(ns, name, dim, model, fields, seq) VALUES(?, ?, ?, ?, ?, 0)",
            (namespace, spec.name, spec.dim, spec.model, wanted.dump()),
        )
        connection.execute(statement(_WORDS, key=str(created.lastrowid)))
        return
    check_same(spec, model=known.model, dim=known.dim)
    declared = merge(known.declared, wanted, owner=f"collection {spec.name!r}")
    if declared.dump() == known.declared.dump():
        return
    connection.execute("UPDATE collections SET fields = ? WHERE key = ?", (declared.dump(), known.key))
    rows = connection.execute("SELECT rid, fields FROM records WHERE collection = ? AND dead = 0", (known.key,))
    for rid, fields in rows.fetchall():
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(stored_fields(fields)), rid))
