"""Exact search by closeness: every live vector is looked at, or every one that a narrow filter leaves."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.closeness import best, cosines
from backends.ports.filters import Eq, Filter, Ge, Gt, In, Le, Lt
from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from backends.sqlite.filters import Clause, compile_filter, conjuncts, leaf
from backends.sqlite.statements import json_list, statement
from backends.sqlite.vectors.arrays import Snapshot
from backends.sqlite.vectors.collections import Collection
from backends.sqlite.vectors.products import products

if TYPE_CHECKING:
    from backends.ports.vectors import Vector
    from backends.sqlite.vectors.arrays import Numbers

NARROW: Final = 16_384
WIDENING: Final = 8
RESCORED_AT_ONCE: Final = 4_096
SLACK: Final = 1e-5
"""How far a float32 product may be from the cosine; whoever is this close to the last place is scored again."""

_ALL = "SELECT r.rid FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where}"
_AMONG = "SELECT r.rid FROM json_each(?) w CROSS JOIN records r ON r.rid = w.value WHERE r.dead = 0 AND {where}"
_PROBE = (
    "SELECT r.rid FROM records r INDEXED BY records_c{slot}"
    " WHERE r.collection = ? AND r.dead = 0 AND r.indexed > {slot} AND {condition} LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is nearest to `vector` (unit norm), at most `k` and none below `min_score`."""

    vector: "Vector"
    k: int
    where: Filter | None
    min_score: float | None


def dense(connection: sqlite3.Connection, within: Collection, vectors: Snapshot, query: Query) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    import numpy as np

    clause = compile_filter(query.where, within.declared, "r")
    if query.where is None:
        rows = np.flatnonzero(vectors.live)
        # The product over all rows is cheaper than copying the live ones out first.
        return _best(vectors, rows, products(vectors.matrix, query.vector)[rows], query)
    if (short := _short_list(connection, within, query.where)) is not None:
        found = short
        if len([*conjuncts(query.where)]) > 1:
            values = (json_list(short), *clause.values)
            found = [row[0] for row in connection.execute(statement(_AMONG, where=clause.sql), values)]
        rows = _rows(vectors, found)
        return _best(vectors, rows, vectors.matrix[rows] @ query.vector, query)
    return _widening(connection, within, vectors, query, clause)


def _short_list(connection: sqlite3.Connection, within: Collection, where: Filter) -> list[int] | None:
    """Return the records among which all matches are, when an index shows that they are few."""
    for term in conjuncts(where):
        if not isinstance(term, (Eq, In, Lt, Le, Gt, Ge)):
            continue
        slot = within.declared.slots[term.field]
        if slot >= within.declared.indexed:
            continue
        clause = leaf(term, within.declared, "r")
        probe = statement(_PROBE, slot=str(slot), condition=clause.sql)
        rows: list[tuple[int]] = connection.execute(probe, (within.key, *clause.values, NARROW + 1)).fetchall()
        if len(rows) <= NARROW:
            return [row[0] for row in rows]
    return None


def _rows(vectors: Snapshot, found: Sequence[int]) -> "Numbers":
    """Return the rows of the array that hold the records found."""
    import numpy as np

    rids = np.array(found, dtype=np.int64)
    return np.flatnonzero(np.isin(vectors.rids, rids) & vectors.live)


def _widening(
    connection: sqlite3.Connection, within: Collection, vectors: Snapshot, query: Query, clause: Clause
) -> Sequence[Hit]:
    """Test the best candidates against the filter, more of them until enough match or all were tested."""
    import numpy as np

    live = np.flatnonzero(vectors.live)
    scores = products(vectors.matrix, query.vector)[live]
    wanted = WIDENING * query.k + 64
    while wanted < len(live) // 2:
        floor = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        near = scores >= floor
        rows = live[near]
        rids = json_list(vectors.rids[rows].tolist())
        passed = connection.execute(statement(_AMONG, where=clause.sql), (rids, *clause.values))
        keep = np.isin(vectors.rids[rows], np.fromiter((row[0] for row in passed), dtype=np.int64))
        found = _best(vectors, rows[keep], scores[near][keep], query)
        # Beyond the floor nobody was tested, so a hit counts only when it is clearly above it.
        if len(found) == query.k and found[-1].score > floor + SLACK:
            return found
        wanted *= WIDENING
    matching = connection.execute(statement(_ALL, where=clause.sql), (within.key, *clause.values))
    rows = _rows(vectors, [row[0] for row in matching])
    return _best(vectors, rows, vectors.matrix[rows] @ query.vector, query)


def _best(vectors: Snapshot, rows: "Numbers", scores: "Vector", query: Query) -> Sequence[Hit]:
    """Return the hits among `rows`, whose float32 scores are given, scored again in double precision near the top."""
    import numpy as np

    if query.min_score is not None:
        near = scores >= query.min_score - SLACK
        rows, scores = rows[near], scores[near]
    if len(rows) > query.k:
        floor = np.partition(scores, len(scores) - query.k)[len(scores) - query.k]
        rows = rows[scores >= floor - SLACK]
    return best(_exact(vectors, rows, query.vector), query.k, query.min_score)


def _exact(vectors: Snapshot, rows: "Numbers", vector: "Vector") -> Iterator[Hit]:
    """Yield hits with cosines that depend on nothing but the two vectors, so that equal vectors tie."""
    for start in range(0, len(rows), RESCORED_AT_ONCE):
        some = rows[start : start + RESCORED_AT_ONCE]
        numbers: list[int] = some.tolist()
        for number, score in zip(numbers, cosines(vectors.matrix[some], vector), strict=True):
            yield Hit(RecordId(vectors.ids[number]), score)
