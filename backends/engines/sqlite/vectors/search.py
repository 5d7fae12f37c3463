"""Search among vectors: exact by cosine, and by words ranked with BM25 within the collection.

A dense search compares every live vector of an array in memory, which is refreshed from the table by change number before
each search, or those that a narrow filter leaves. Words become a query without syntax.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import Clause, compile_filter, conjuncts, leaf
from backends.engines.sqlite.statements import json_list, statement
from backends.engines.sqlite.vectors.masks import ALL, AMONG, Masks, matching, remembered_matches
from backends.engines.sqlite.vectors.table import StoredCollection
from backends.kit.arguments import DenseQuery
from backends.kit.cosine import best, cosines
from backends.ports.filters import Eq, Filter, Ge, Gt, In, Le, Lt
from backends.ports.text import normalized
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

    Floats = NDArray[numpy.float32]
    Flags = NDArray[numpy.bool_]
    Numbers = NDArray[numpy.int64]

SHARED_ROWS: Final = 20_000
"""For fewer rows, handing parts to threads costs more than it saves."""
PARTS: Final = min(4, os.cpu_count() or 1)

# Own threads: those of the linear algebra library wait by spinning, which takes the cores from everything else.
_helpers = ThreadPoolExecutor(max(1, PARTS - 1), "dense")

FETCHED_AT_ONCE: Final = 4_096
_CHANGES = "SELECT rid, seq, dead, id, vector FROM records WHERE collection = ? AND seq > ? ORDER BY seq"
_COUNT_CHANGES = "SELECT count(*) FROM records WHERE collection = ? AND seq > ?"
ChangeRow = tuple[int, int, int, str, bytes | None]

NARROW: Final = 16_384
"""The most records of an index that are scored instead of all."""
SHORT: Final = 8
"""Matches are scored alone if they are at most such a part of all records: to gather more takes longer than to score all."""
WIDENING: Final = 8
"""The factor by which the number of tested candidates grows."""
RESCORED_AT_ONCE: Final = 4_096
SLACK: Final = 1e-5
"""How far a float32 product may be from the cosine; records this close to the last place are scored again."""

_PROBE = (
    "SELECT r.rid FROM records r INDEXED BY records_c{slot}"
    " WHERE r.collection = ? AND r.dead = 0 AND r.indexed > {slot} AND {condition} LIMIT ?"
)

MAX_WORDS: Final = 256
_WORD = re.compile(r"[^\W_]+")
_SEARCH = (
    "SELECT r.id, w.rank FROM words_{key} w CROSS JOIN records r ON r.rid = w.rowid"
    " WHERE words_{key} MATCH ?{stretch} AND r.dead = 0 AND {where} ORDER BY w.rank, r.id LIMIT ?"
)
_STRETCH = " AND w.rowid BETWEEN ? AND ?"
_COUNT_WORD = "SELECT count(*) FROM (SELECT 1 FROM words_{key} WHERE words_{key} MATCH ? LIMIT ?)"
RANKED: Final = 1_000
"""The records that a search by words ranks where its rare words find enough."""


def products(matrix: "Floats", vector: "Vector") -> "Vector":
    """Return the product of each row with the vector; a large array, bound by memory, is shared among the cores."""
    import numpy as np

    if len(matrix) < SHARED_ROWS or PARTS == 1:
        return matrix @ vector
    first, *others = np.array_split(matrix, PARTS)
    shares = [_helpers.submit(np.matmul, other, vector) for other in others]
    return np.concatenate([first @ vector, *(share.result() for share in shares)])


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Vectors that no longer change: row `i` of `matrix` is record `rids[i]` with id `ids[i]`, if `live[i]`."""

    matrix: "Floats"
    live: "Flags"
    rids: "Numbers"
    ids: list[str]
    seq: int
    """The number of the last change in it."""
    masks: Masks


class VectorArray:
    """A growing array: a changed record gets a new row, so that searches under way are not disturbed."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._seq = -1
        self._row_of: dict[int, int] = {}
        self._used = 0
        self._ids: list[str] = []
        self._matrix: Floats | None = None
        self._live: Flags | None = None
        self._rids: Numbers | None = None
        self._masks = Masks()

    def snapshot(self, connection: sqlite3.Connection, within: StoredCollection) -> Snapshot:
        """Return the vectors of the table, which is read in the caller's transaction."""
        with self._guard:
            if self._matrix is None or self._seq < within.seq:
                self._refresh(connection, within)
            return self._view()

    def _view(self) -> Snapshot:
        if self._matrix is None or self._live is None or self._rids is None:
            raise AssertionError("a view follows a refresh")
        used = self._used
        rows = self._matrix[:used], self._live[:used], self._rids[:used]
        return Snapshot(*rows, self._ids, self._seq, self._masks)

    def _refresh(self, connection: sqlite3.Connection, within: StoredCollection) -> None:
        import numpy as np

        added: int = connection.execute(_COUNT_CHANGES, (within.key, self._seq)).fetchone()[0]
        self._make_room(added, within.dim)
        matrix, live, rids = self._matrix, self._live, self._rids
        if matrix is None or live is None or rids is None:
            raise AssertionError("there is room after making it")
        # Flags are copied: a search under way keeps the state that it began with.
        live = self._live = live.copy()
        changes = connection.execute(_CHANGES, (within.key, self._seq))
        rows: list[ChangeRow]
        while rows := changes.fetchmany(FETCHED_AT_ONCE):
            for rid, _, dead, identifier, vector in rows:
                if (old := self._row_of.pop(rid, None)) is not None:
                    live[old] = False
                if dead or vector is None:
                    continue
                row = self._used
                matrix[row] = np.frombuffer(vector, dtype=np.float32)
                rids[row], live[row], self._row_of[rid] = rid, True, row
                self._ids.append(identifier)
                self._used = row + 1
        self._seq = within.seq

    def _make_room(self, added: int, dim: int) -> None:
        import numpy as np

        if self._matrix is None or self._live is None or self._rids is None:
            self._matrix = np.empty((added + added // 8 + 256, dim), dtype=np.float32)
            self._live = np.zeros(len(self._matrix), dtype=np.bool_)
            self._rids = np.zeros(len(self._matrix), dtype=np.int64)
        elif self._used + added > len(self._matrix):
            # Dead rows are not copied into larger arrays.
            kept = np.flatnonzero(self._live[: self._used])
            capacity = len(kept) + added + (len(kept) + added) // 4 + 256
            matrix = np.empty((capacity, dim), dtype=np.float32)
            matrix[: len(kept)] = self._matrix[kept]
            live, rids = np.zeros(capacity, dtype=np.bool_), np.zeros(capacity, dtype=np.int64)
            live[: len(kept)], rids[: len(kept)] = True, self._rids[kept]
            self._ids = [self._ids[row] for row in kept.tolist()]
            self._masks = Masks()
            self._matrix, self._live, self._rids, self._used = matrix, live, rids, len(kept)
            self._row_of = {int(rid): row for row, rid in enumerate(rids[: len(kept)].tolist())}


class VectorArrays:
    """The arrays of a process by the file's incarnation and the collection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._arrays: dict[tuple[int, int], VectorArray] = {}

    def of(self, incarnation: int, key: int) -> VectorArray:
        """Return the array of a collection, empty at first; those of an older file are freed."""
        with self._guard:
            for stale in [known for known in self._arrays if known[0] < incarnation]:
                del self._arrays[stale]
            return self._arrays.setdefault((incarnation, key), VectorArray())

    def free(self, key: int) -> None:
        """Free the array of a collection."""
        with self._guard:
            for known in [known for known in self._arrays if known[1] == key]:
                del self._arrays[known]


def dense(
    connection: sqlite3.Connection, within: StoredCollection, vectors: Snapshot, query: DenseQuery[Filter | None]
) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    import numpy as np

    clause = compile_filter(query.where, within.declared, "r")
    if query.where is None:
        rows = np.flatnonzero(vectors.live)
        # A product over all rows is cheaper than copying the live rows first.
        return _best(vectors, rows, products(vectors.matrix, query.vector)[rows], query)
    if (mask := remembered_matches(connection, within, vectors, clause)) is not None:
        rows = np.flatnonzero(mask & vectors.live)
        return _best(vectors, rows, products(vectors.matrix, query.vector)[rows], query)
    most = max(RESCORED_AT_ONCE, len(vectors.live) // SHORT)
    if (short := _short_list(connection, within, query.where)) is not None and len(short) <= most:
        found = short
        if len([*conjuncts(query.where)]) > 1:
            values = (json_list(short), *clause.values)
            found = [row[0] for row in connection.execute(statement(AMONG, where=clause.sql), values)]
        rows = _rows(vectors, found)
        return _best(vectors, rows, vectors.matrix[rows] @ query.vector, query)
    if vectors.masks.is_asked_again(clause) and vectors.seq == within.seq:
        vectors.masks.keep(clause, matching(connection, within, vectors, 0, clause))
    return _widening(connection, within, vectors, query, clause)


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
        rows: list[tuple[int]] = connection.execute(probe, (within.key, *clause.values, NARROW + 1)).fetchall()
        if len(rows) <= NARROW:
            return [row[0] for row in rows]
    return None


def _rows(vectors: Snapshot, found: Sequence[int]) -> "Numbers":
    """Return the rows of the array for records."""
    import numpy as np

    rids = np.array(found, dtype=np.int64)
    return np.flatnonzero(np.isin(vectors.rids, rids) & vectors.live)


def _widening(
    connection: sqlite3.Connection,
    within: StoredCollection,
    vectors: Snapshot,
    query: DenseQuery[Filter | None],
    clause: Clause,
) -> Sequence[Hit]:
    """Test the best candidates against the filter, and more of them until enough match or all were tested."""
    import numpy as np

    live = np.flatnonzero(vectors.live)
    scores = products(vectors.matrix, query.vector)[live]
    wanted = WIDENING * query.k + 64
    while wanted < len(live) // 2:
        floor = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        near = scores >= floor
        rows = live[near]
        rids = json_list(vectors.rids[rows].tolist())
        passed = connection.execute(statement(AMONG, where=clause.sql), (rids, *clause.values))
        keep = np.isin(vectors.rids[rows], np.fromiter((row[0] for row in passed), dtype=np.int64))
        found = _best(vectors, rows[keep], scores[near][keep], query)
        # No record below the floor was tested, so a hit counts only if it is clearly above it.
        if len(found) == query.k and found[-1].score > floor + SLACK:
            return found
        wanted *= WIDENING
    matching = connection.execute(statement(ALL, where=clause.sql), (within.key, *clause.values))
    rows = _rows(vectors, [row[0] for row in matching])
    return _best(vectors, rows, vectors.matrix[rows] @ query.vector, query)


def _best(vectors: Snapshot, rows: "Numbers", scores: "Vector", query: DenseQuery[Filter | None]) -> Sequence[Hit]:
    """Return the best of `rows`, given their float32 scores; the top is scored again in double precision."""
    import numpy as np

    if query.min_score is not None:
        near = scores >= query.min_score - SLACK
        rows, scores = rows[near], scores[near]
    if len(rows) > query.k:
        floor = np.partition(scores, len(scores) - query.k)[len(scores) - query.k]
        rows = rows[scores >= floor - SLACK]
    return best(_exact(vectors, rows, query.vector), query.k, query.min_score)


def _exact(vectors: Snapshot, rows: "Numbers", vector: "Vector") -> Iterator[Hit]:
    """Yield hits whose cosines depend on nothing but the two vectors, so that equal vectors tie."""
    for start in range(0, len(rows), RESCORED_AT_ONCE):
        some = rows[start : start + RESCORED_AT_ONCE]
        numbers: list[int] = some.tolist()
        for number, score in zip(numbers, cosines(vectors.matrix[some], vector), strict=True):
            yield Hit(RecordId(vectors.ids[number]), score)


def words_query(text: str) -> Sequence[str]:
    """Return a query for each word of `text`, quoted so that it is no syntax."""
    composed = normalized(text, "NFC")
    # Parts of a compound are searched too; of a word with marks inside, the index has only the whole.
    words = [*_WORD.findall(composed), *(part for part in composed.split() if _WORD.search(part))]
    unique = list(dict.fromkeys(words))[:MAX_WORDS]
    return ['"{}"'.format(word.replace('"', '""')) for word in unique]


def keyword(
    connection: sqlite3.Connection, within: StoredCollection, text: str, k: int, where: Filter | None
) -> list[Hit]:
    """Return the best records that share words with `text`; common words count where the others find less than `k`."""
    if not (words := words_query(text)):
        return []
    rare = _rare(connection, within, words, max(RANKED, k))
    hits = _ranked(connection, within, rare, k, where)
    if len(hits) == k or len(rare) == len(words):
        return hits
    if where is not None and (short := _short_list(connection, within, where)) is not None:
        if not short:
            return []
        # The word index seeks the stretch of rows that a few matches lie in, which a document's mostly fill.
        return _ranked(connection, within, words, k, where, (min(short), max(short)))
    return _ranked(connection, within, words, k, where)


def _rare(connection: sqlite3.Connection, within: StoredCollection, words: Sequence[str], most: int) -> Sequence[str]:
    """Return the rarest words, those that `most` records have together; at least one.

    To rank a record takes microseconds, and a word of everyday language is in nearly all of them and says next to nothing.
    """
    count = statement(_COUNT_WORD, key=str(within.key))
    held = {word: int(connection.execute(count, (word, most + 1)).fetchone()[0]) for word in words}
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
    stretch: tuple[int, int] | None = None,
) -> list[Hit]:
    """Return the best records with some of the words, of all, or of those whose row ids lie in a stretch."""
    clause = compile_filter(where, within.declared, "r")
    search = statement(_SEARCH, key=str(within.key), stretch="" if stretch is None else _STRETCH, where=clause.sql)
    values = (" OR ".join(words), *(stretch or ()), *clause.values, k)
    found = connection.execute(search, values).fetchall()
    rows: list[tuple[str, float]] = found
    return [Hit(RecordId(identifier), -rank) for identifier, rank in rows]
