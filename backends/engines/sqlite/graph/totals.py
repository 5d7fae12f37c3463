"""Stored counts, changed in the transaction that changes the records, so that reading them does not depend on their number."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import orjson

from backends.engines.sqlite.declarations import Declared
from backends.kit.declarations import stored_fields
from backends.ports.filters import And, Contains, Filter, In, InFold, Not, Or
from backends.ports.text import shadow
from backends.ports.values import Scalar, Value

Known: TypeAlias = Callable[[str], tuple[str, ...] | None]

FEW: Final = 256
"""The most values of a field that are compared one by one."""
EDGES: Final = ""
"""Stands for the edges in place of a kind: no kind has this name."""

_ADD = (
    "INSERT INTO totals(ns, kind, key, count) VALUES(?, ?, ?, ?)"
    " ON CONFLICT(ns, kind, key) DO UPDATE SET count = count + excluded.count"
)
_TIDY = "DELETE FROM totals WHERE ns = ? AND kind = ? AND key = ? AND count = 0"
_READ = "SELECT key, count FROM totals WHERE ns = ? AND kind = ?"
_FORGET = "DELETE FROM totals WHERE ns = ? AND kind = ?"
_STORED = "SELECT fields FROM nodes WHERE ns = ? AND kind = ? AND dead = 0"


@dataclass(slots=True)
class Tally:
    """The changes of a transaction in the counts of a namespace."""

    namespace: str
    changes: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """By kind and key."""

    def node(self, kind: str, totals: Sequence[str], fields: Mapping[str, Value], change: int) -> None:
        """Count a node of a kind with `totals`, if it has any."""
        if totals:
            self._change((kind, _key(totals, fields)), change)

    def edge(self, kind: str, change: int) -> None:
        """Count an edge."""
        self._change((EDGES, kind), change)

    def write(self, connection: sqlite3.Connection) -> None:
        """Store the changes."""
        rows = [(self.namespace, *place, change) for place, change in self.changes.items() if change]
        if rows:
            connection.executemany(_ADD, rows)
        if less := [row[:3] for row in rows if row[3] < 0]:
            connection.executemany(_TIDY, less)

    def _change(self, place: tuple[str, str], change: int) -> None:
        self.changes[place] = self.changes.get(place, 0) + change


def count_anew(connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str]) -> None:
    """Replace the counts of a kind by those for `totals`."""
    connection.execute(_FORGET, (namespace, kind))
    tally = Tally(namespace)
    if totals:
        for [fields] in connection.execute(_STORED, (namespace, kind)):
            tally.node(kind, totals, stored_fields(fields), 1)
    tally.write(connection)


def nodes_by(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], by: Sequence[str]
) -> Counter[tuple[Scalar | None, ...]]:
    """Return the counts of a kind's nodes by some of its totals."""
    places = [totals.index(name) for name in by]
    counts: Counter[tuple[Scalar | None, ...]] = Counter()
    for key, count in connection.execute(_READ, (namespace, kind)):
        values: list[Scalar | None] = orjson.loads(key)
        counts[tuple(values[place] for place in places)] += count
    return counts


def few_values(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], name: str
) -> tuple[str, ...] | None:
    """Return the texts that a field has in a kind's nodes; None for a field that is no total, and for too many."""
    if name not in totals:
        return None
    rows = connection.execute(f"{_READ} LIMIT ?", (namespace, kind, FEW + 1)).fetchall()
    if len(rows) > FEW:
        return None
    place = totals.index(name)
    values = {orjson.loads(key)[place] for key, _ in rows}
    return tuple(value for value in values if isinstance(value, str))


def with_known_values(
    connection: sqlite3.Connection, of_kind: tuple[str, str], where: Filter | None, declared: Declared
) -> Filter | None:
    """Return a filter that matches the same nodes, with values instead of needles for totals with few values."""
    if where is None or declared.texts.isdisjoint(declared.totals):
        return where
    return _by_values(where, lambda field: few_values(connection, *of_kind, declared.totals, field))


def _by_values(where: Filter, known: Known) -> Filter:
    match where:
        case And(terms=terms):
            return And(tuple(_by_values(term, known) for term in terms))
        case Or(terms=terms):
            return Or(tuple(_by_values(term, known) for term in terms))
        case Not(term=term):
            return Not(_by_values(term, known))
        case Contains(field=field, needle=needle) if (values := known(field)) is not None:
            sought = shadow(needle)
            return In(field, tuple(value for value in values if sought in shadow(value)))
        case InFold(field=field, values=wanted) if (values := known(field)) is not None:
            shadows = set(map(shadow, wanted))
            return In(field, tuple(value for value in values if shadow(value) in shadows))
        case _:
            return where


def edges_by_type(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """Return the counts of edges that are live themselves, whether their ends are or not."""
    return dict(connection.execute(_READ, (namespace, EDGES)).fetchall())


def _key(totals: Sequence[str], fields: Mapping[str, Value]) -> str:
    return orjson.dumps([fields.get(name) for name in totals]).decode()
