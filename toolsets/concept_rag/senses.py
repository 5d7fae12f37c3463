"""Selects the sense of a noun that fits a document, so that the lexicon stays independent of documents."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.wordnet import Sense, wordnet
from toolsets.concept_rag.words import FUNCTION_WORDS, word

_PER: Final = 10_000
"""Counts are scaled to this number of words, so that long and short documents are comparable."""
_LEAST_SHARED: Final = 2
"""The least number of words that a rarer sense must share with the document; a single one is chance."""
_SHORTEST: Final = 3
"""Shorter words hardly tell one sense from another."""
_OF_DEFINITIONS: Final = frozenset("used especially usually something someone".split())
_CACHED: Final = 2_000
"""The most nouns whose senses are cached, about 10 MB."""


@dataclass(frozen=True, slots=True)
class _Signature:
    definition: str
    words: frozenset[str]
    """The words around a sense, without the noun itself."""


def definition_in(noun: str, counts: Mapping[str, int]) -> str:
    """Return the definition of a noun or phrase in the sense used by a document; "" if WordNet does not have it.

    The sense selected is the one whose definition and WordNet neighbours share most words with the document. `counts`
    has the count of each word of the document, in normal form. A shared word weighs more if it is frequent in the
    document and rare in English; long definitions have no advantage. With fewer than two shared words, the most common
    sense is selected.
    """
    senses = _senses(noun)
    if len(senses) < 2:
        return senses[0].definition if senses else ""
    total = max(1, sum(counts.values()))
    scores = [_score(sense.words, counts, total) for sense in senses]
    return senses[max(range(len(senses)), key=lambda place: (round(scores[place], 6), -place))].definition


def _score(words: frozenset[str], counts: Mapping[str, int], total: int) -> float:
    shared = [each for each in words if counts.get(each)]
    if len(shared) < _LEAST_SHARED:
        return 0.0
    weights = (math.log1p(counts[each] * _PER / total) / math.sqrt(1 + word(each).frequency) for each in sorted(shared))
    return sum(weights) / math.sqrt(len(words))


@lru_cache(_CACHED)
def _senses(noun: str) -> Sequence[_Signature]:
    """Return the senses of a noun, most common first."""
    own = set(words_of(noun))
    return [_Signature(sense.definition, frozenset(_words(sense)) - own) for sense in wordnet().senses(noun, "n")]


def _words(sense: Sense) -> set[str]:
    found = words_of(" ".join((sense.definition, *sense.synonyms, *sense.around)))
    return {each for each in found if len(each) >= _SHORTEST} - FUNCTION_WORDS - _OF_DEFINITIONS
