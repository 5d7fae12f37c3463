"""Searches: dense, exact or through the index with exact re-scoring, and by keyword."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from backends.engines.lancedb.collections import OpenTable
from backends.engines.lancedb.driver import Rows, VectorQuery
from backends.engines.lancedb.filters import FALSE, TRUE
from backends.engines.lancedb.rows import floats, matrix, texts
from backends.engines.lancedb.words import query_words
from backends.kit.cosine import cosines, top_hits
from backends.kit.overfetch import overfetch
from backends.kit.queries import DenseQuery
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

PARTITIONS: Final = 24
"""The parts of the index that a search reads: fewer are faster, but miss more of the nearest."""
REFINED: Final = 10
"""Candidates per hit that the index returns for exact re-scoring."""
FEW: Final = 5_000
"""So few matches of a filter are compared exactly, since the index may miss some of them."""
FEW_PART: Final = 50
"""So is a fiftieth of a larger table: with 1 % of a million the index found .93 of the nearest when measured."""
EXTRA_HITS: Final = 16
"""Candidates beyond the hits, so that a tie at the last of them seldom needs a second request."""
SLACK: Final = 2e-5
"""How much the engine's float32 distance may be off. Candidates this close to the last hit are re-scored as well."""
EXTRA_TEXTS: Final = 128
"""Candidates beyond the hits of a search by words, so that records of equal texts are mostly all among them."""
ROUNDING: Final = 1e-5
"""How much the sums of equal float32 scores may differ, relatively."""


async def dense(opened: OpenTable, asked: DenseQuery[str]) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    if asked.where == FALSE:
        return []
    exact = await _exactly(opened, asked.where)

    async def ask(wanted: int) -> tuple[Rows, bool]:
        rows = await opened.calls.run(_question(opened, asked, wanted, exact=exact).to_arrow())
        return rows, rows.num_rows < wanted or _is_final(rows, asked.k)

    rows = await overfetch(ask, first=asked.k + EXTRA_HITS)
    if not rows.num_rows:
        return []
    scores = cosines(matrix(rows, opened.layout.dim), asked.vector)
    hits = (Hit(RecordId(key), score) for key, score in zip(texts(rows, "id"), scores, strict=True))
    return top_hits(hits, asked.k, asked.min_score)


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


def _is_final(rows: Rows, k: int) -> bool:
    """Return whether no record outside the answer can be as near as the last hit."""
    distances = sorted(floats(rows, "_distance"))
    return distances[-1] - distances[k - 1] > SLACK


async def keyword(opened: OpenTable, text: str, k: int, where: str) -> Sequence[Hit]:
    """Return the best records that share words with `text`, best first, ties by id.

    The score is the engine's BM25. It scores new rows apart until the index has them, so that a record of an equal text may
    score less; the higher score counts for both.
    """
    sought = query_words(text)
    if not sought or where == FALSE:
        return []

    async def ask(wanted: int) -> tuple[Sequence[_Worded], bool]:
        query = opened.table.query().nearest_to_text(" ".join(sought), columns=["words"]).limit(wanted)
        query = query.select(["id", "words", "_score"])
        rows = await opened.calls.run((query if where == TRUE else query.where(where)).to_arrow())
        candidates = _certain(rows, complete=rows.num_rows < wanted)
        return candidates, rows.num_rows < wanted or len(candidates) >= k

    candidates = await overfetch(ask, first=k + EXTRA_TEXTS)
    scores: dict[str, float] = {}
    for each in candidates:
        scores[each.words] = max(each.score, scores.get(each.words, 0.0))
    return top_hits((Hit(RecordId(each.id), scores[each.words]) for each in candidates), k, None)


class _Worded(NamedTuple):
    """A record with its indexed words, and how well they match."""

    id: str
    words: str
    score: float


def _certain(rows: Rows, *, complete: bool) -> Sequence[_Worded]:
    """Return the candidates that every search with this query returns: all but those that tie with the last, if more exist."""
    scores = floats(rows, "_score")
    least = 0.0 if complete else min(scores, default=0.0) * (1 + ROUNDING)
    found = map(_Worded, texts(rows, "id"), texts(rows, "words"), scores)
    return [each for each in found if each.score > least]
