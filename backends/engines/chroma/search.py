"""Searches: dense, with candidates from the index that are re-scored exactly, and by keyword, without a word index.

A dense search fetches more candidates until the best are certain. A search by keyword ranks the records that contain the
rarest words by BM25.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from backends.engines.chroma.collections import StoredCollection
from backends.engines.chroma.driver import Rows
from backends.engines.chroma.filters import CompiledFilter
from backends.engines.chroma.rows import matches
from backends.engines.chroma.text_lengths import words_of
from backends.kit.bm25 import MOST_PER_TERM, idf, length_norm, term_score
from backends.kit.cosine import cosines, top_hits
from backends.kit.overfetch import overfetch
from backends.kit.queries import DenseQuery
from backends.ports.text import shadow
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

EXTRA_HITS: Final = 2
"""Extra candidates: a clearly worse one proves that the hits are complete. Fetching vectors dominates the cost."""
SLACK: Final = 1e-5
"""How much the engine's distances may deviate from the exact cosine."""
READ_AT_ONCE: Final = 500
"""Ids of one request; the client encodes it in the event loop, and many thousands would block it noticeably."""

MAX_WORDS: Final = 32
"""Each word takes a query. Of a longer text the longest words are used, as the most distinctive."""
CHECKED_AT_ONCE: Final = 128
"""Texts of one request: with fewer there are more requests, with more a search reads texts that cannot reach the hits."""
CHECKED: Final = 4_000
"""The most records whose texts are read, unless fewer than `k` were found among them."""
_WHOLE_WORD: Final = r"(?:^|[^\p{{L}}\p{{N}}]){}(?:$|[^\p{{L}}\p{{N}}])"
"""`\b` would count underscores and marks as parts of words. A word has letters and digits only, so it needs no escape."""


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
    hits = top_hits((hit for hit, matches in scored if matches), query.k, query.min_score)
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


async def keyword(within: StoredCollection, text: str, k: int, found: CompiledFilter) -> Sequence[Hit]:
    """Return the best records that share words with `text`, best first, ties by id."""
    words = sorted({*words_of(shadow(text))}, key=lambda word: (-len(word), word))[:MAX_WORDS]
    if found.nothing:
        return []
    records = await within.records.count()
    average = await within.average_length.of(within.records, records)
    holders = {word: await _holders(within, word, found) for word in words}
    weights = {word: idf(len(ids), max(records, len(ids))) for word, ids in holders.items() if ids}
    promising: dict[str, float] = {}
    for word, ids in holders.items():
        for key in ids:
            promising[key] = promising.get(key, 0.0) + weights[word]
    return await _ranked(within, promising, weights, average, k, found)


async def _holders(within: StoredCollection, word: str, found: CompiledFilter) -> Sequence[str]:
    """Return the records whose text contains the word, not counting longer words."""
    return (await within.records.get(where=found.where, text_pattern=_WHOLE_WORD.format(word))).ids


async def _ranked(
    within: StoredCollection,
    promising: Mapping[str, float],
    weights: Mapping[str, float],
    average: float,
    k: int,
    found: CompiledFilter,
) -> Sequence[Hit]:
    """Rank the most promising records by their texts.

    `promising` has the sum of the weights of a record's words. Reading ends once no other record can score as high as `k` hits.
    """
    order = sorted(promising, key=lambda key: (-promising[key], key))
    hits: Sequence[Hit] = []
    at_once = max(CHECKED_AT_ONCE, 2 * k)
    for start in range(0, len(order), at_once):
        if len(hits) == k and (start >= CHECKED or hits[-1].score >= promising[order[start]] * MOST_PER_TERM):
            break
        texts = await _texts(within, order[start : start + at_once], found)
        scored = ((key, _score(words, weights, average)) for key, words in texts.items())
        hits = top_hits([*hits, *(Hit(RecordId(key), score) for key, score in scored if score > 0)], k, None)
    return hits


async def _texts(within: StoredCollection, ids: Sequence[str], found: CompiledFilter) -> Mapping[str, Sequence[str]]:
    """Return the words of each record that matches the filter."""
    include = ("documents",) if found.exact else ("documents", "metadatas")
    rows = await within.records.get(ids=ids, include=include)
    return {
        key: words_of(document or "")
        for number, (key, document) in enumerate(zip(rows.ids, rows.documents, strict=True))
        if found.exact or matches(rows.metadatas[number], found)
    }


def _score(words: Sequence[str], weights: Mapping[str, float], average: float) -> float:
    """Return the BM25 score of a text; 0 if it contains none of the words as a whole word."""
    counts = Counter(filter(weights.__contains__, words))
    factor = length_norm(len(words), average)
    # Summed in a fixed order, so that equal scores are bitwise equal.
    return sum(term_score(weight, counts[word], factor) for word, weight in weights.items() if counts[word])
