"""The declared kinds of a namespace and their indexes: for listings, for substrings and for list elements."""

import sqlite3
from collections.abc import Mapping, Sequence

from backends.engines.sqlite.declarations import Declared, SqlValue, declare, merge, parse
from backends.engines.sqlite.filters import BETWEEN
from backends.engines.sqlite.graph.counts import recount
from backends.engines.sqlite.schema import SLOTS, column, slot_columns, statement
from backends.kit.declarations import parse_fields, undeclared_kind
from backends.ports.filters import Eq
from backends.ports.graph import KindSpec, ListingSpec, Order
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
# The condition names the kind, so that writes of other kinds and namespaces cost no more.
_CREATE = 'CREATE INDEX "{name}" ON nodes({columns}) WHERE dead = 0 AND {kind}'
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'index' AND substr(name, 1, ?) = ?"


def declared_kind(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared:
    """Return a kind's declaration. Raises `InvalidInput` for one that was never declared."""
    if (found := _find(connection, namespace, kind)) is None:
        raise undeclared_kind(kind)
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
        recount(connection, namespace, kind, declared.totals)
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
        kept = parse_fields(fields)
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(kept), rid))
        forget_texts(connection, rid)
        index_texts(connection, (namespace, kind), rid, declared, kept)


def _find(connection: sqlite3.Connection, namespace: str, kind: str) -> Declared | None:
    row: tuple[str, str, str] | None = connection.execute(_FIND, (namespace, kind)).fetchone()
    return None if row is None else parse(*row)


def index_listings(
    connection: sqlite3.Connection, of_kind: tuple[str, str], known: Declared | None, declared: Declared
) -> None:
    """Create the indexes of a kind's listings, replacing those of its former declaration that differ."""
    before = () if known is None else tuple(_columns(listing, known) for listing in known.listings)
    after = tuple(_columns(listing, declared) for listing in declared.listings)
    if before == after:
        return
    _drop(connection, f"{_prefix(of_kind[0])}{of_kind[1]}.")
    for number, columns in enumerate(after):
        index = statement(_CREATE, name=_name(of_kind, number), columns=columns, kind=_is_kind(of_kind))
        connection.execute(index)


def forget_listings(connection: sqlite3.Connection, namespace: str) -> None:
    """Drop the indexes of a namespace's listings."""
    _drop(connection, _prefix(namespace))


def listing_index(
    of_kind: tuple[str, str], order: Sequence[Order], equal: Mapping[str, Eq], declared: Declared
) -> tuple[str, str, tuple[Eq, ...]] | None:
    """Return the SQL name of the index for an order, its condition, and the terms among `equal` that it needs.

    None if no declared listing has the order, or if the filter lacks one of its equalities.
    """
    for number, listing in enumerate(declared.listings):
        if listing.order == tuple(order) and equal.keys() >= set(listing.equal):
            terms = tuple(equal[name] for name in listing.equal)
            return f'"{_name(of_kind, number)}"', _is_kind(of_kind, "n."), terms
    return None


def _columns(listing: ListingSpec, declared: Declared) -> str:
    """Return the columns in the order of `index_ranges`; all keys but the first have one that says if the value is missing."""
    first, *rest = listing.order
    columns = [column(declared.slots[name]) for name in listing.equal]
    columns.append(_directed(first, declared))
    for key in rest:
        columns += [f"{column(declared.slots[key.field])} IS NULL", _directed(key, declared)]
    return ", ".join([*columns, "id"])


def _directed(key: Order, declared: Declared) -> str:
    return f"{column(declared.slots[key.field])} {'DESC' if key.descending else 'ASC'}"


def _is_kind(of_kind: tuple[str, str], alias: str = "") -> str:
    # Literals: SQLite uses a partial index only if it can prove its condition. Both are plain identifiers.
    # IS, because SQLite compares `ns = ?` of any statement with `ns = 'x'` of an index by the bound value, and then
    # plans that statement again each time it is bound.
    namespace, kind = of_kind
    return f"{alias}ns IS '{namespace}' AND {alias}kind IS '{kind}'"


def _prefix(namespace: str) -> str:
    return f"nodes_listing.{namespace}."


def _name(of_kind: tuple[str, str], number: int) -> str:
    return f"{_prefix(of_kind[0])}{of_kind[1]}.{number}"


def _drop(connection: sqlite3.Connection, prefix: str) -> None:
    for [name] in connection.execute(_NAMES, (len(prefix), prefix)).fetchall():
        connection.execute(statement('DROP INDEX "{name}"', name=name))
