"""Dense search: candidates from the index, re-scored exactly; more are fetched until the best are certain."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from backends.engines.chroma.collections import StoredCollection
from backends.engines.chroma.driver import Rows
from backends.engines.chroma.filters import CompiledFilter
from backends.engines.chroma.records import matches
from backends.kit.cosine import best, cosines
from backends.kit.overfetch import overfetch
from backends.kit.queries import DenseQuery
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    pass

SPARE: Final = 2
"""Extra candidates: a clearly worse one proves that the hits are complete. Fetching vectors dominates the cost."""
SLACK: Final = 1e-5
"""How much the engine's distances may deviate from the exact cosine."""
READ_AT_ONCE: Final = 500


async def dense(within: StoredCollection, query: DenseQuery[CompiledFilter]) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""

    async def ask(wanted: int) -> tuple[Sequence[Hit], bool]:
        return await _ask(within, query, wanted)

    if query.where.nothing:
        return []
    return await overfetch(ask, first=query.k + SPARE)


async def _ask(within: StoredCollection, query: DenseQuery[CompiledFilter], wanted: int) -> tuple[Sequence[Hit], bool]:
    """Return the best among the `wanted` nearest candidates, and whether no other record can be among the best."""
    include = ("embeddings",) if query.where.exact else ("embeddings", "metadatas")
    rows = await within.records.nearest(query.vector, wanted, query.where.where, include)
    answers = [rows]
    everything = len(rows.ids) < wanted
    if everything:
        answers += await _missed(within, query, rows, wanted, include)
    scored = [hit for answer in answers for hit in _hits(answer, query)]
    floor = min((hit.score for hit, _ in scored), default=0.0)
    hits = best((hit for hit, matches in scored if matches), query.k, query.min_score)
    certain = len(hits) == query.k and hits[-1].score > floor + SLACK
    hopeless = query.min_score is not None and floor < query.min_score - SLACK
    return hits, everything or certain or hopeless


async def _missed(
    within: StoredCollection, query: DenseQuery[CompiledFilter], rows: Rows, wanted: int, include: Sequence[str]
) -> Sequence[Rows]:
    """Return the rows missing from an answer that should contain every match; the index graph may not reach them."""
    there = await within.records.get(where=query.where.where, limit=wanted)
    missing = sorted({*there.ids} - {*rows.ids})
    return [
        await within.records.get(ids=missing[start : start + READ_AT_ONCE], include=include)
        for start in range(0, len(missing), READ_AT_ONCE)
    ]


def _hits(rows: Rows, query: DenseQuery[CompiledFilter]) -> Sequence[tuple[Hit, bool]]:
    """Return each row's score and whether it matches the filter."""
    if not rows.ids:
        return []
    hits = [
        Hit(RecordId(key), score) for key, score in zip(rows.ids, cosines(rows.matrix(), query.vector), strict=True)
    ]
    if query.where.exact:
        return [(hit, True) for hit in hits]
    return [(hit, matches(row, query.where)) for hit, row in zip(hits, rows.metadatas, strict=True)]
