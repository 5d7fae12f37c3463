"""Search among vectors: exact by cosine, and by words ranked with BM25 within the collection.

A dense search compares every live vector of an array in memory (by codes first, if there are many), or only those that match
a narrow filter. Words become a query without syntax; cached counts of the records that have a word decide by which to rank.
"""

import re
import sqlite3
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import SqlCondition, compile_filter, conjuncts, leaf
from backends.engines.sqlite.schema import json_list, statement
from backends.engines.sqlite.vectors.arrays import Snapshot
from backends.engines.sqlite.vectors.codes import SHORT, SLACK
from backends.engines.sqlite.vectors.collections import StoredCollection
from backends.kit.byte_cache import ByteCache
from backends.kit.cosine import cosines, top_hits
from backends.kit.queries import DenseQuery
from backends.ports.filters import Eq, Filter, Ge, Gt, In, Le, Lt
from backends.ports.text import normalized
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

    Flags = NDArray[numpy.bool_]
    Numbers = NDArray[numpy.int64]

MAX_SHORT_LIST: Final = 16_384
"""The most records of an index that are scored instead of all."""
OVERFETCH_FACTOR: Final = 8
"""The factor by which the number of tested candidates grows."""
RESCORED_AT_ONCE: Final = 4_096
"""Vectors in double precision at once: twelve megabytes for 384 numbers each."""

_PROBE = (
    "SELECT r.rid FROM records r INDEXED BY records_c{slot}"
    " WHERE r.collection = ? AND r.dead = 0 AND r.indexed > {slot} AND {condition} LIMIT ?"
)
_ALL: Final = "SELECT r.rid FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where}"
_AMONG: Final = "SELECT r.rid FROM json_each(?) w CROSS JOIN records r ON r.rid = w.value WHERE r.dead = 0 AND {where}"

MAX_WORDS: Final = 256
"""Each word is a term of the index's query; a longer text is searched by its first words."""
_WORD = re.compile(r"[^\W_]+")
_SEARCH = (
    "SELECT r.id, w.rank FROM words_{key} w CROSS JOIN records r ON r.rid = w.rowid"
    " WHERE words_{key} MATCH ?{rid_range} AND r.dead = 0 AND {where} ORDER BY w.rank, r.id LIMIT ?"
)
_RID_RANGE = " AND w.rowid BETWEEN ? AND ?"
RANKED: Final = 2_000
"""The most records that a keyword search ranks, if its rare words find enough."""

MAX_COUNT_BYTES: Final = 2 * 2**20
"""For the counts of recently searched words, about 4,000."""
_COUNT_BYTES: Final = 450
"""A count's share of the memory of the objects around it."""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words_{key} WHERE words_{key} MATCH ? LIMIT ?)"
_CountKey = tuple[int, int, str]
"""The file's incarnation, the collection and the query for a word."""


def dense(
    connection: sqlite3.Connection, within: StoredCollection, snapshot: Snapshot, query: DenseQuery[Filter | None]
) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    clause = compile_filter(query.where, within.declared, "r")
    if query.where is None:
        return _best(snapshot, *snapshot.vectors.nearest(snapshot.live, query.vector, query.k), query)
    if (mask := _cached_mask(connection, within, snapshot, clause)) is not None:
        return _best(snapshot, *snapshot.vectors.nearest(mask & snapshot.live, query.vector, query.k), query)
    most = max(RESCORED_AT_ONCE, len(snapshot.live) // SHORT)
    if (short := _short_list(connection, within, query.where)) is not None and len(short) <= most:
        found = short
        if len([*conjuncts(query.where)]) > 1:
            values = (json_list(short), *clause.values)
            found = [row[0] for row in connection.execute(statement(_AMONG, where=clause.sql), values)]
        rows = _rows(snapshot, found)
        return _best(snapshot, rows, snapshot.vectors.matrix[rows] @ query.vector, query)
    if snapshot.masks.record_use(clause) and snapshot.seq == within.seq:
        snapshot.masks.keep(clause, _compute_mask(connection, within, snapshot, 0, clause))
    return _overfetch(connection, within, snapshot, query, clause)


def _cached_mask(
    connection: sqlite3.Connection, within: StoredCollection, snapshot: Snapshot, clause: SqlCondition
) -> "Flags | None":
    """Return which rows match a filter, if most of them are in its mask; None if the filter must be evaluated."""
    import numpy as np

    known = snapshot.masks.get(clause)
    # Another search may have read, and stored, later changes than this one sees.
    if known is None or snapshot.seq != within.seq or not len(known) <= len(snapshot.live) <= 2 * len(known):
        return None
    if len(known) < len(snapshot.live):
        known = np.concatenate([known, _compute_mask(connection, within, snapshot, len(known), clause)])
        snapshot.masks.keep(clause, known)
    return known


def _compute_mask(
    connection: sqlite3.Connection, within: StoredCollection, snapshot: Snapshot, start: int, clause: SqlCondition
) -> "Flags":
    """Return which live rows from `start` on match a filter."""
    import numpy as np

    rids = snapshot.rids[start:]
    if start:
        values = (json_list(rids[snapshot.live[start:]].tolist()), *clause.values)
        found = connection.execute(statement(_AMONG, where=clause.sql), values)
    else:
        found = connection.execute(statement(_ALL, where=clause.sql), (within.key, *clause.values))
    return np.isin(rids, np.fromiter((row[0] for row in found), dtype=np.int64))


def _short_list(connection: sqlite3.Connection, within: StoredCollection, where: Filter) -> list[int] | None:
    """Return records that include all matches, if an index shows that they are few."""
    for term in conjuncts(where):
        if not isinstance(term, (Eq, In, Lt, Le, Gt, Ge)):
            continue
        slot = within.declared.slots[term.field]
        if slot >= within.declared.indexed:
            continue
        clause = leaf(term, within.declared, "r")
        probe = statement(_PROBE, slot=str(slot), condition=clause.sql)
        rows: list[tuple[int]] = connection.execute(probe, (within.key, *clause.values, MAX_SHORT_LIST + 1)).fetchall()
        if len(rows) <= MAX_SHORT_LIST:
            return [row[0] for row in rows]
    return None


def _rows(snapshot: Snapshot, found: Sequence[int]) -> "Numbers":
    """Return the rows of the array for records."""
    import numpy as np

    rids = np.array(found, dtype=np.int64)
    return np.flatnonzero(np.isin(snapshot.rids, rids) & snapshot.live)


def _overfetch(
    connection: sqlite3.Connection,
    within: StoredCollection,
    snapshot: Snapshot,
    query: DenseQuery[Filter | None],
    clause: SqlCondition,
) -> Sequence[Hit]:
    """Test the best candidates against the filter, and more of them until enough match or all were tested."""
    import numpy as np

    live = np.count_nonzero(snapshot.live)
    wanted = OVERFETCH_FACTOR * query.k + 64
    while wanted < live // 2:
        rows, scores = snapshot.vectors.nearest(snapshot.live, query.vector, wanted)
        floor = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        near = scores >= floor
        rows = rows[near]
        rids = json_list(snapshot.rids[rows].tolist())
        passed = connection.execute(statement(_AMONG, where=clause.sql), (rids, *clause.values))
        keep = np.isin(snapshot.rids[rows], np.fromiter((row[0] for row in passed), dtype=np.int64))
        found = _best(snapshot, rows[keep], scores[near][keep], query)
        # No record below the floor was tested, so a hit counts only if it is clearly above it.
        if len(found) == query.k and found[-1].score > floor + SLACK:
            return found
        wanted *= OVERFETCH_FACTOR
    matching = connection.execute(statement(_ALL, where=clause.sql), (within.key, *clause.values))
    rows = _rows(snapshot, [row[0] for row in matching])
    return _best(snapshot, rows, snapshot.vectors.matrix[rows] @ query.vector, query)


def _best(snapshot: Snapshot, rows: "Numbers", scores: "Vector", query: DenseQuery[Filter | None]) -> Sequence[Hit]:
    """Return the best of `rows`, given their float32 scores; the top is scored again in double precision."""
    import numpy as np

    if query.min_score is not None:
        near = scores >= query.min_score - SLACK
        rows, scores = rows[near], scores[near]
    if len(rows) > query.k:
        floor = np.partition(scores, len(scores) - query.k)[len(scores) - query.k]
        rows = rows[scores >= floor - SLACK]
    return top_hits(_exact(snapshot, rows, query.vector), query.k, query.min_score)


def _exact(snapshot: Snapshot, rows: "Numbers", vector: "Vector") -> Iterator[Hit]:
    """Yield hits whose cosines depend on nothing but the two vectors, so that equal vectors tie."""
    for start in range(0, len(rows), RESCORED_AT_ONCE):
        some = rows[start : start + RESCORED_AT_ONCE]
        numbers: list[int] = some.tolist()
        for number, score in zip(numbers, cosines(snapshot.vectors.matrix[some], vector), strict=True):
            yield Hit(RecordId(snapshot.ids[number]), score)


def words_query(text: str) -> Sequence[str]:
    """Return a query for each different word of `text`, quoted so that it is no syntax."""
    composed = normalized(text, "NFC")
    # The index contains a word with combining marks only as a whole, not its parts between the marks.
    marked = (part for part in composed.split() if not part.isascii() and any(map(_is_mark, part)))
    # A word that occurs twice in the query, also in another case, would count twice.
    unique = {word.casefold(): word for word in (*_WORD.findall(composed), *marked)}
    return ['"{}"'.format(word.replace('"', '""')) for word in [*unique.values()][:MAX_WORDS]]


def _is_mark(point: str) -> bool:
    return unicodedata.category(point).startswith("M")


def keyword(
    connection: sqlite3.Connection,
    within: StoredCollection,
    text: str,
    k: int,
    where: Filter | None,
    count: Callable[[str, int], int],
) -> list[Hit]:
    """Return the best records that share words with `text`; common words count only if the rare ones find fewer than `k`.

    `count` returns how many records a word's query matches, up to a limit.
    """
    if not (words := words_query(text)):
        return []
    rare = _rare(words, max(RANKED, k), count)
    hits = _ranked(connection, within, rare, k, where)
    if len(hits) == k or len(rare) == len(words):
        return hits
    if where is not None and (short := _short_list(connection, within, where)) is not None:
        if not short:
            return []
        # The word index can skip to a range of row ids. The matches of a filter by document fill most of their range.
        return _ranked(connection, within, words, k, where, (min(short), max(short)))
    return _ranked(connection, within, words, k, where)


def _rare(words: Sequence[str], most: int, count: Callable[[str, int], int]) -> Sequence[str]:
    """Return the rarest words: as many as occur in at most `most` records in total, and at least one.

    Ranking a record takes microseconds, and an everyday word occurs in nearly all records, so it hardly affects the order.
    """
    held = {word: count(word, most + 1) for word in words}
    rare: list[str] = []
    total = 0
    for word in sorted(words, key=lambda word: held[word]):
        total += held[word]
        if rare and total > most:
            break
        rare.append(word)
    return rare


def _ranked(
    connection: sqlite3.Connection,
    within: StoredCollection,
    words: Sequence[str],
    k: int,
    where: Filter | None,
    rid_range: tuple[int, int] | None = None,
) -> list[Hit]:
    """Return the best records with any of the words, among all records or those with row ids in the range `rid_range`."""
    clause = compile_filter(where, within.declared, "r")
    search = statement(
        _SEARCH, key=str(within.key), rid_range="" if rid_range is None else _RID_RANGE, where=clause.sql
    )
    values = (" OR ".join(words), *(rid_range or ()), *clause.values, k)
    found = connection.execute(search, values).fetchall()
    rows: list[tuple[str, float]] = found
    return [Hit(RecordId(identifier), -rank) for identifier, rank in rows]


class WordCounts:
    """The counts of a process. A count is used until the collection changes, and a common word takes longest to count."""

    def __init__(self) -> None:
        self._counted = ByteCache[_CountKey, tuple[int, int, int]](
            MAX_COUNT_BYTES, lambda key, _: sys.getsizeof(key[2]) + _COUNT_BYTES
        )

    @property
    def bytes(self) -> int:
        """The memory of the counts."""
        return self._counted.bytes

    def count(
        self, connection: sqlite3.Connection, incarnation: int, within: StoredCollection, word: str, most: int
    ) -> int:
        """Return how many records match the query for a word, at most `most`, in the caller's transaction."""
        key = (incarnation, within.key, word)
        known = self._counted.get(key)
        if known is not None and known[:2] == (within.seq, most):
            return known[2]
        found = connection.execute(statement(_COUNT, key=str(within.key)), (word, most)).fetchone()
        held = int(found[0])
        self._counted.put(key, (within.seq, most, held))
        return held
