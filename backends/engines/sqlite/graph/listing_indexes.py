"""The indexes of declared listings: each has the nodes of one kind in the order that `find` reads them."""

import sqlite3
from collections.abc import Mapping, Sequence

from backends.engines.sqlite.declarations import Declared
from backends.engines.sqlite.statements import column, statement
from backends.ports.filters import Eq
from backends.ports.graph import ListingSpec, Order

# The condition names the kind, so that no write of another kind or namespace costs more.
_CREATE = 'CREATE INDEX "{name}" ON nodes({columns}) WHERE dead = 0 AND {kind}'
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'index' AND substr(name, 1, ?) = ?"


def index_listings(
    connection: sqlite3.Connection, of_kind: tuple[str, str], known: Declared | None, declared: Declared
) -> None:
    """Make the indexes of a kind's listings, in place of those of its former declaration where they differ."""
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
    """Return the index for an order, as SQL names it, its condition, and the terms among `equal` that it needs.

    None if no declared listing has the order, or the filter lacks one of its equalities.
    """
    for number, listing in enumerate(declared.listings):
        if listing.order == tuple(order) and equal.keys() >= set(listing.equal):
            terms = tuple(equal[name] for name in listing.equal)
            return f'"{_name(of_kind, number)}"', _is_kind(of_kind, "n."), terms
    return None


def _columns(listing: ListingSpec, declared: Declared) -> str:
    """Return the columns in the order of `stretches`: missing values of all keys but the first are told apart."""
    first, *rest = listing.order
    columns = [column(declared.slots[name]) for name in listing.equal]
    columns.append(_directed(first, declared))
    for key in rest:
        columns += [f"{column(declared.slots[key.field])} IS NULL", _directed(key, declared)]
    return ", ".join([*columns, "id"])


def _directed(key: Order, declared: Declared) -> str:
    return f"{column(declared.slots[key.field])} {'DESC' if key.descending else 'ASC'}"


def _is_kind(of_kind: tuple[str, str], alias: str = "") -> str:
    # Literals: SQLite takes a partial index only where it can prove its condition. Both are plain identifiers.
    namespace, kind = of_kind
    return f"{alias}ns = '{namespace}' AND {alias}kind = '{kind}'"


def _prefix(namespace: str) -> str:
    return f"nodes_listing.{namespace}."


def _name(of_kind: tuple[str, str], number: int) -> str:
    return f"{_prefix(of_kind[0])}{of_kind[1]}.{number}"


def _drop(connection: sqlite3.Connection, prefix: str) -> None:
    for [name] in connection.execute(_NAMES, (len(prefix), prefix)).fetchall():
        connection.execute(statement('DROP INDEX "{name}"', name=name))
