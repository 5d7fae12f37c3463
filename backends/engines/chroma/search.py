"""Searches: dense, with candidates from the index that are re-scored exactly, and by keyword, without a word index.

A dense search fetches more candidates until the best are certain. A search by keyword finds the records that contain the
most words; rarer words weigh slightly more.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from backends.engines.chroma.collections import StoredCollection
from backends.engines.chroma.driver import Rows
from backends.engines.chroma.filters import CompiledFilter
from backends.engines.chroma.rows import matches
from backends.kit.arguments import DenseQuery
from backends.kit.cosine import best, cosines
from backends.kit.overfetch import overfetch
from backends.ports.text import shadow
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

EXTRA_HITS: Final = 2
"""Extra candidates: a clearly worse one proves that the hits are complete. Fetching vectors dominates the cost."""
SLACK: Final = 1e-5
"""How much the engine's distances may deviate from the exact cosine."""
READ_AT_ONCE: Final = 500

MAX_WORDS: Final = 32
"""Each word takes a query. Of a longer text the longest words are used, as the most distinctive."""
CHECKED_AT_ONCE: Final = 64
_WORD: Final = re.compile(r"[^\W_]+")


async def dense(within: StoredCollection, query: DenseQuery[CompiledFilter]) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""

    async def ask(wanted: int) -> tuple[Sequence[Hit], bool]:
        return await _ask(within, query, wanted)

    if query.where.nothing:
        return []
    return await overfetch(ask, first=query.k + EXTRA_HITS)


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


def words_of(text: str) -> frozenset[str]:
    """Return the words of a shadow."""
    return frozenset(_WORD.findall(text))


async def keyword(within: StoredCollection, text: str, k: int, found: CompiledFilter) -> Sequence[Hit]:
    """Return the records that share most words with `text`, ties by rarity of the words, then by id."""
    words = sorted(words_of(shadow(text)), key=lambda word: (-len(word), word))[:MAX_WORDS]
    if found.nothing:
        return []
    holders = {word: await _holders(within, word, found) for word in words}
    weights = _weights(holders)
    promising: dict[str, float] = {}
    for word, ids in holders.items():
        for key in ids:
            promising[key] = promising.get(key, 0.0) + weights[word]
    return await _verified(within, promising, weights, k, found)


async def _holders(within: StoredCollection, word: str, found: CompiledFilter) -> Sequence[str]:
    """Return the records whose text contains the word, also inside a longer word."""
    return (await within.records.get(where=found.where, containing=word)).ids


def _weights(holders: Mapping[str, Sequence[str]]) -> Mapping[str, float]:
    """Return each word's weight: 1 plus a share for rarity. All shares add up to less than 1: more words always win."""
    everybody = len({key for ids in holders.values() for key in ids})
    rarities = {word: math.log1p(everybody / len(ids)) for word, ids in holders.items() if ids}
    total = 1 + sum(rarities.values())
    return {word: 1 + rarity / total for word, rarity in rarities.items()}


async def _verified(
    within: StoredCollection,
    promising: Mapping[str, float],
    weights: Mapping[str, float],
    k: int,
    found: CompiledFilter,
) -> Sequence[Hit]:
    """Check the most promising records until no other can be among the best `k`."""
    order = sorted(promising, key=lambda key: (-promising[key], key))
    hits: Sequence[Hit] = []
    at_once = max(CHECKED_AT_ONCE, 2 * k)
    for start in range(0, len(order), at_once):
        if len(hits) == k and hits[-1].score > promising[order[start]]:
            break
        some = order[start : start + at_once]
        hits = best([*hits, *await _checked(within, some, weights, found)], k, None)
    return hits


async def _checked(
    within: StoredCollection, ids: Sequence[str], weights: Mapping[str, float], found: CompiledFilter
) -> Sequence[Hit]:
    """Return a hit for each record that contains a whole word and matches the filter."""
    include = ("documents",) if found.exact else ("documents", "metadatas")
    rows = await within.records.get(ids=ids, include=include)
    hits: list[Hit] = []
    for number, (key, document) in enumerate(zip(rows.ids, rows.documents, strict=True)):
        shared = words_of(document or "") & weights.keys()
        if shared and (found.exact or matches(rows.metadatas[number], found)):
            # Summed in a fixed order, so that equal scores are bitwise equal.
            hits.append(Hit(RecordId(key), sum(weights[word] for word in weights if word in shared)))
    return hits
