"""Search by words without a word index: the records that contain most of them, the rarer words counting more."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from backends.chroma.collections import Collection
from backends.chroma.filters import Compiled
from backends.chroma.records import matches
from backends.closeness import best
from backends.ports.text import shadow
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

MAX_WORDS: Final = 32
"""Each word is a question of its own; of a longer text the longest words are looked for, as they tell most."""
LOOKED_AT: Final = 64
_WORD: Final = re.compile(r"[^\W_]+")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a shadow."""
    return frozenset(_WORD.findall(text))


async def keyword(within: Collection, text: str, k: int, found: Compiled) -> Sequence[Hit]:
    """Return the records that share most words with `text`; among equals those that share rarer ones, then by id."""
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


async def _holders(within: Collection, word: str, found: Compiled) -> Sequence[str]:
    """Return the records whose text has the word, also within a longer one."""
    return (await within.records.get(where=found.where, containing=word)).ids


def _weights(holders: Mapping[str, Sequence[str]]) -> Mapping[str, float]:
    """Return what a word counts: 1, and for rarity so little that no number of rare words outweighs one word more."""
    everybody = len({key for ids in holders.values() for key in ids})
    rarities = {word: math.log1p(everybody / len(ids)) for word, ids in holders.items() if ids}
    total = 1 + sum(rarities.values())
    return {word: 1 + rarity / total for word, rarity in rarities.items()}


async def _verified(
    within: Collection, promising: Mapping[str, float], weights: Mapping[str, float], k: int, found: Compiled
) -> Sequence[Hit]:
    """Look at the most promising records until none of the others can be among the best `k`."""
    order = sorted(promising, key=lambda key: (-promising[key], key))
    hits: Sequence[Hit] = []
    at_once = max(LOOKED_AT, 2 * k)
    for start in range(0, len(order), at_once):
        if len(hits) == k and hits[-1].score > promising[order[start]]:
            break
        some = order[start : start + at_once]
        hits = best([*hits, *await _look_at(within, some, weights, found)], k, None)
    return hits


async def _look_at(
    within: Collection, ids: Sequence[str], weights: Mapping[str, float], found: Compiled
) -> Sequence[Hit]:
    """Return a hit for each record that has one of the words as a word and matches the filter."""
    include = ("documents",) if found.exact else ("documents", "metadatas")
    rows = await within.records.get(ids=ids, include=include)
    hits: list[Hit] = []
    for number, (key, document) in enumerate(zip(rows.ids, rows.documents, strict=True)):
        shared = words_of(document or "") & weights.keys()
        if shared and (found.exact or matches(rows.metadatas[number], found)):
            # In one order, so that equal sums are equal to the last bit.
            hits.append(Hit(RecordId(key), sum(weights[word] for word in weights if word in shared)))
    return hits
