"""Search by closeness: candidates from the index, scored again exactly, more of them until the best are certain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.chroma.collections import Collection
from backends.chroma.driver import Rows
from backends.chroma.filters import Compiled
from backends.chroma.records import matches
from backends.closeness import best, cosines
from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from backends.widening import widen

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

SPARE: Final = 2
"""Candidates beyond those asked for, whose vectors cost most of the time: one that is clearly further settles the order."""
SLACK: Final = 1e-5
"""How far the engine's order may be from that of the cosine."""
READ_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Query:
    """What is nearest to `vector` (unit norm), at most `k` and none below `min_score`."""

    vector: "Vector"
    k: int
    found: Compiled
    min_score: float | None


async def dense(within: Collection, query: Query) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""

    async def ask(wanted: int) -> tuple[Sequence[Hit], bool]:
        return await _ask(within, query, wanted)

    if query.found.nothing:
        return []
    return await widen(ask, first=query.k + SPARE)


async def _ask(within: Collection, query: Query, wanted: int) -> tuple[Sequence[Hit], bool]:
    """Return the best among the `wanted` nearest candidates, and whether no other record can be among the best."""
    include = ("embeddings",) if query.found.exact else ("embeddings", "metadatas")
    rows = await within.records.nearest(query.vector, wanted, query.found.where, include)
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


async def _missed(within: Collection, query: Query, rows: Rows, wanted: int, include: Sequence[str]) -> Sequence[Rows]:
    """Return what the index left out of an answer that should have been complete; its graph may have lost the way there."""
    there = await within.records.get(where=query.found.where, limit=wanted)
    missing = sorted({*there.ids} - {*rows.ids})
    return [
        await within.records.get(ids=missing[start : start + READ_AT_ONCE], include=include)
        for start in range(0, len(missing), READ_AT_ONCE)
    ]


def _hits(rows: Rows, query: Query) -> Sequence[tuple[Hit, bool]]:
    """Return each row with its score, and whether it matches the filter."""
    if not rows.ids:
        return []
    hits = [
        Hit(RecordId(key), score) for key, score in zip(rows.ids, cosines(rows.matrix(), query.vector), strict=True)
    ]
    if query.found.exact:
        return [(hit, True) for hit in hits]
    return [(hit, matches(row, query.found)) for hit, row in zip(hits, rows.metadatas, strict=True)]
