"""Search among vectors: exact by closeness, and by words ranked with BM25 within the collection.

A dense search compares every live vector, or those that a narrow filter leaves. Words become a query without syntax.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import Clause, compile_filter, conjuncts, leaf
from backends.engines.sqlite.statements import json_list, statement
from backends.engines.sqlite.vectors.arrays import Snapshot, products
from backends.engines.sqlite.vectors.table import Collection
from backends.kit.cosine import best, cosines
from backends.kit.queries import DenseQuery
from backends.ports.filters import Eq, Filter, Ge, Gt, In, Le, Lt
from backends.ports.text import normalized
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    from backends.engines.sqlite.vectors.arrays import Flags, Numbers
    from backends.ports.vectors import Vector

NARROW: Final = 16_384
"""The most records of an index that are scored instead of all."""
SHORT: Final = 8
"""Matches are scored alone if they are at most such a part of all records: to gather more takes longer than to score all."""
WIDENING: Final = 8
"""The factor by which the number of tested candidates grows."""
RESCORED_AT_ONCE: Final = 4_096
SLACK: Final = 1e-5
"""How far a float32 product may be from the cosine; records this close to the last place are scored again."""

_ALL = "SELECT r.rid FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where}"
_AMONG = "SELECT r.rid FROM json_each(?) w CROSS JOIN records r ON r.rid = w.value WHERE r.dead = 0 AND {where}"
_PROBE = (
    "SELECT r.rid FROM records r INDEXED BY records_c{slot}"
    " WHERE r.collection = ? AND r.dead = 0 AND r.indexed > {slot} AND {condition} LIMIT ?"
)


MAX_WORDS: Final = 256
_WORD = re.compile(r"[^\W_]+")
_SEARCH = (
    "SELECT r.id, w.rank FROM words_{key} w CROSS JOIN records r ON r.rid = w.rowid"
    " WHERE words_{key} MATCH ? AND r.dead = 0 AND {where} ORDER BY w.rank, r.id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words_{key} WHERE words_{key} MATCH ? LIMIT ?)"
RANKED: Final = 1_000
"""The records that a search by words ranks where its rare words find enough."""


def dense(
    connection: sqlite3.Connection, within: Collection, vectors: Snapshot, query: DenseQuery[Filter | None]
) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    import numpy as np

    clause = compile_filter(query.where, within.declared, "r")
    if query.where is None:
        rows = np.flatnonzero(vectors.live)
        # A product over all rows is cheaper than copying the live rows first.
        return _best(vectors, rows, products(vectors.matrix, query.vector)[rows], query)
    if (mask := _mask(connection, within, vectors, clause)) is not None:
        rows = np.flatnonzero(mask & vectors.live)
        return _best(vectors, rows, products(vectors.matrix, query.vector)[rows], query)
    most = max(RESCORED_AT_ONCE, len(vectors.live) // SHORT)
    if (short := _short_list(connection, within, query.where)) is not None and len(short) <= most:
        found = short
        if len([*conjuncts(query.where)]) > 1:
            values = (json_list(short), *clause.values)
            found = [row[0] for row in connection.execute(statement(_AMONG, where=clause.sql), values)]
        rows = _rows(vectors, found)
        return _best(vectors, rows, vectors.matrix[rows] @ query.vector, query)
    if vectors.masks.is_asked_again(clause) and vectors.seq == within.seq:
        vectors.masks.keep(clause, _matching(connection, within, vectors, 0, clause))
    return _widening(connection, within, vectors, query, clause)


def _mask(connection: sqlite3.Connection, within: Collection, vectors: Snapshot, clause: Clause) -> "Flags | None":
    """Return which rows match a filter, if most of that is remembered; None where the filter has to be asked."""
    import numpy as np

    known = vectors.masks.get(clause)
    # Another search may have read later changes than this one sees, or may have remembered them.
    if known is None or vectors.seq != within.seq or not len(known) <= len(vectors.live) <= 2 * len(known):
        return None
    if len(known) < len(vectors.live):
        known = np.concatenate([known, _matching(connection, within, vectors, len(known), clause)])
        vectors.masks.keep(clause, known)
    return known


def _matching(
    connection: sqlite3.Connection, within: Collection, vectors: Snapshot, start: int, clause: Clause
) -> "Flags":
    """Return which live rows from `start` on match a filter."""
    import numpy as np

    rids = vectors.rids[start:]
    if start:
        values = (json_list(rids[vectors.live[start:]].tolist()), *clause.values)
        found = connection.execute(statement(_AMONG, where=clause.sql), values)
    else:
        found = connection.execute(statement(_ALL, where=clause.sql), (within.key, *clause.values))
    return np.isin(rids, np.fromiter((row[0] for row in found), dtype=np.int64))


def _short_list(connection: sqlite3.Connection, within: Collection, where: Filter) -> list[int] | None:
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
    within: Collection,
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
        passed = connection.execute(statement(_AMONG, where=clause.sql), (rids, *clause.values))
        keep = np.isin(vectors.rids[rows], np.fromiter((row[0] for row in passed), dtype=np.int64))
        found = _best(vectors, rows[keep], scores[near][keep], query)
        # No record below the floor was tested, so a hit counts only if it is clearly above it.
        if len(found) == query.k and found[-1].score > floor + SLACK:
            return found
        wanted *= WIDENING
    matching = connection.execute(statement(_ALL, where=clause.sql), (within.key, *clause.values))
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


def keyword(connection: sqlite3.Connection, within: Collection, text: str, k: int, where: Filter | None) -> list[Hit]:
    """Return the best records that share words with `text`; common words count where the others find less than `k`."""
    if not (words := words_query(text)):
        return []
    rare = _rare(connection, within, words, max(RANKED, k))
    hits = _ranked(connection, within, rare, k, where)
    return hits if len(hits) == k or len(rare) == len(words) else _ranked(connection, within, words, k, where)


def _rare(connection: sqlite3.Connection, within: Collection, words: Sequence[str], most: int) -> Sequence[str]:
    """Return the rarest words, those that `most` records have together; at least one.

    To rank a record takes microseconds, and a word of everyday language is in nearly all of them and says next to nothing.
    """
    count = statement(_COUNT, key=str(within.key))
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
    connection: sqlite3.Connection, within: Collection, words: Sequence[str], k: int, where: Filter | None
) -> list[Hit]:
    clause = compile_filter(where, within.declared, "r")
    search = statement(_SEARCH, key=str(within.key), where=clause.sql)
    found = connection.execute(search, (" OR ".join(words), *clause.values, k)).fetchall()
    rows: list[tuple[str, float]] = found
    return [Hit(RecordId(identifier), -rank) for identifier, rank in rows]
