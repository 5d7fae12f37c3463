"""Counts kept beside the records, in the transaction that changes them, so that counting costs no more the more there are."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from backends.declarations import stored_fields
from backends.ports.values import Scalar, Value

FEW: Final = 256
"""Up to so many values of a field are looked through one by one."""
EDGES: Final = ""
"""Where a kind is named, the edges: no kind is called that."""

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
    """What a transaction changes in the counts of a namespace."""

    namespace: str
    changes: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """By kind and key."""

    def node(self, kind: str, totals: Sequence[str], fields: Mapping[str, Value], change: int) -> None:
        """Count a node of a kind that wants it counted by `totals`."""
        if totals:
            self._change((kind, _key(totals, fields)), change)

    def edge(self, kind: str, change: int) -> None:
        """Count an edge."""
        self._change((EDGES, kind), change)

    def write(self, connection: sqlite3.Connection) -> None:
        """Bring what is stored up to date."""
        rows = [(self.namespace, *place, change) for place, change in self.changes.items() if change]
        if rows:
            connection.executemany(_ADD, rows)
        if less := [row[:3] for row in rows if row[3] < 0]:
            connection.executemany(_TIDY, less)

    def _change(self, place: tuple[str, str], change: int) -> None:
        self.changes[place] = self.changes.get(place, 0) + change


def count_anew(connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str]) -> None:
    """Count the nodes of a kind by `totals`, whatever they were counted by before."""
    connection.execute(_FORGET, (namespace, kind))
    tally = Tally(namespace)
    if totals:
        for [fields] in connection.execute(_STORED, (namespace, kind)):
            tally.node(kind, totals, stored_fields(fields), 1)
    tally.write(connection)


def nodes_by(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], by: Sequence[str]
) -> Counter[tuple[Scalar | None, ...]]:
    """Return the counts of a kind's nodes by some of the fields that they are counted by."""
    places = [totals.index(name) for name in by]
    counts: Counter[tuple[Scalar | None, ...]] = Counter()
    for key, count in connection.execute(_READ, (namespace, kind)):
        values: list[Scalar | None] = orjson.loads(key)
        counts[tuple(values[place] for place in places)] += count
    return counts


def few_values(
    connection: sqlite3.Connection, namespace: str, kind: str, totals: Sequence[str], name: str
) -> tuple[str, ...] | None:
    """Return the texts that a field has in a kind's nodes; None for a field not counted by, and for too many."""
    if name not in totals:
        return None
    rows = connection.execute(f"{_READ} LIMIT ?", (namespace, kind, FEW + 1)).fetchall()
    if len(rows) > FEW:
        return None
    place = totals.index(name)
    values = {orjson.loads(key)[place] for key, _ in rows}
    return tuple(value for value in values if isinstance(value, str))


def edges_by_type(connection: sqlite3.Connection, namespace: str) -> dict[str, int]:
    """Return the counts of live edges, whether or not their ends are."""
    return dict(connection.execute(_READ, (namespace, EDGES)).fetchall())


def _key(totals: Sequence[str], fields: Mapping[str, Value]) -> str:
    return orjson.dumps([fields.get(name) for name in totals]).decode()
