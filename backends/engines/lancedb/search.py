"""Searches: dense, exact or through the index with exact re-scoring, and by keyword."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import anyio.to_thread

from backends.engines.lancedb.collections import OpenTable
from backends.engines.lancedb.driver import Rows, VectorQuery
from backends.engines.lancedb.filters import FALSE, TRUE
from backends.engines.lancedb.rows import floats, matrix, texts
from backends.engines.lancedb.words import query_words, rank
from backends.kit.arguments import DenseQuery
from backends.kit.cosine import best, cosines
from backends.kit.overfetch import overfetch
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

PARTITIONS: Final = 24
REFINED: Final = 10
"""Candidates per hit that the index returns for exact re-scoring."""
FEW: Final = 5_000
FEW_PART: Final = 50
EXTRA_HITS: Final = 16
SLACK: Final = 2e-5
"""How much the engine's float32 distance may be off. Candidates this close to the last hit are re-scored as well."""
EXTRA_TEXTS: Final = 128
"""Candidates that are ranked beyond the hits of a search by words.

The engine scores a record by statistics that change while nothing is written: new rows are scored apart until the index has
them. Candidates at the edge may differ then, and are too far from the best to become hits.
"""
ROUNDING: Final = 1e-5
"""How much the sums of equal float32 scores may differ, relatively."""
RANKED_AT_ONCE: Final = 200_000
"""Characters that are ranked on the event loop; it takes a few milliseconds."""


async def dense(opened: OpenTable, asked: DenseQuery[str]) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    if asked.where == FALSE:
        return []
    exact = await _exactly(opened, asked.where)

    async def ask(wanted: int) -> tuple[Rows, bool]:
        rows = await opened.calls.run(_question(opened, asked, wanted, exact=exact).to_arrow())
        return rows, rows.num_rows < wanted or _settled(rows, asked.k)

    rows = await overfetch(ask, first=asked.k + EXTRA_HITS)
    if not rows.num_rows:
        return []
    scores = cosines(matrix(rows, opened.layout.dim), asked.vector)
    hits = (Hit(RecordId(key), score) for key, score in zip(texts(rows, "id"), scores, strict=True))
    return best(hits, asked.k, asked.min_score)


async def _exactly(opened: OpenTable, where: str) -> bool:
    """Return whether to compare with every match: without an index, or if few match, among which the index misses some."""
    if not await opened.maintenance.indexed():
        return True
    if where == TRUE:
        return False
    matches = await opened.calls.run(opened.table.count_rows(where))
    return matches <= FEW or matches <= await opened.calls.run(opened.table.count_rows()) // FEW_PART


def _question(opened: OpenTable, asked: DenseQuery[str], wanted: int, *, exact: bool) -> VectorQuery:
    query = opened.table.query().nearest_to(asked.vector).distance_type("cosine").limit(wanted)
    query = query.select(["id", "vector", "_distance"])
    if asked.where != TRUE:
        query = query.where(asked.where)
    if exact:
        return query.bypass_vector_index()
    # The driver checks minimum <= maximum after each call, so the maximum comes first.
    return query.maximum_nprobes(0).minimum_nprobes(PARTITIONS).refine_factor(REFINED)


def _settled(rows: Rows, k: int) -> bool:
    """Return whether no record outside the answer can be as near as the last hit."""
    distances = sorted(floats(rows, "_distance"))
    return distances[-1] - distances[k - 1] > SLACK


async def keyword(opened: OpenTable, text: str, k: int, where: str) -> Sequence[Hit]:
    """Return the best records that share words with `text`, best first, ties by id."""
    sought = query_words(text)
    if not sought or where == FALSE:
        return []

    async def ask(wanted: int) -> tuple[Mapping[str, str], bool]:
        query = opened.table.query().nearest_to_text(" ".join(sought), columns=["words"]).limit(wanted)
        query = query.select(["id", "words", "_score"])
        rows = await opened.calls.run((query if where == TRUE else query.where(where)).to_arrow())
        candidates = _certain(rows, complete=rows.num_rows < wanted)
        return candidates, rows.num_rows < wanted or len(candidates) >= k

    candidates = await overfetch(ask, first=k + EXTRA_TEXTS)
    ranking = partial(rank, sought, candidates)
    size = sum(map(len, candidates.values()))
    scores = ranking() if size < RANKED_AT_ONCE else await anyio.to_thread.run_sync(ranking)
    return best((Hit(RecordId(key), score) for key, score in zip(candidates, scores, strict=True)), k, None)


def _certain(rows: Rows, *, complete: bool) -> Mapping[str, str]:
    """Return the words of each candidate that no equal search misses: of those that score the least some were left out."""
    scores = floats(rows, "_score")
    least = 0.0 if complete else min(scores, default=0.0) * (1 + ROUNDING)
    found = zip(texts(rows, "id"), texts(rows, "words"), scores, strict=True)
    return {key: words for key, words, score in found if score > least}
