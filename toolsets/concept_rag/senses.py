"""Senses of nouns: the one that fits a document, apart from the lexicon, so that that knows words and no documents."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.wordnet import Sense, wordnet
from toolsets.concept_rag.words import FUNCTION_WORDS, word

_PER: Final = 10_000
"""Words of a document among which an occurrence is counted, so that long and short ones are alike."""
_LEAST_SHARED: Final = 2
"""Words that a rarer sense shares with the document at least: a single one is chance."""
_SHORTEST: Final = 3
_OF_DEFINITIONS: Final = frozenset("used especially usually something someone".split())
_CACHED: Final = 2_000
"""Nouns whose senses are kept, some 10 MB when full."""


def definition_in(noun: str, counts: Mapping[str, int]) -> str:
    """Return the definition of a noun, or a phrase, in the sense in which a document uses it; "" when WordNet lacks it.

    It is the sense whose definition and neighbours in WordNet share most words with the document. `counts` has how often
    the document has each word, in normal form. A shared word counts the more, the more often the
    document and the less often English has it; long definitions have no advantage. Without two shared words the most
    common sense is taken.
    """
    senses = wordnet().senses(noun, "n")
    if len(senses) < 2:
        return senses[0].definition if senses else ""
    total = max(1, sum(counts.values()))
    scores = [_score(words, counts, total) for words in _signatures(noun)]
    return senses[max(range(len(senses)), key=lambda place: (round(scores[place], 6), -place))].definition


def _score(words: frozenset[str], counts: Mapping[str, int], total: int) -> float:
    shared = [each for each in words if counts.get(each)]
    if len(shared) < _LEAST_SHARED:
        return 0.0
    weights = (math.log1p(counts[each] * _PER / total) / math.sqrt(1 + word(each).frequency) for each in sorted(shared))
    return sum(weights) / math.sqrt(len(words))


@lru_cache(_CACHED)
def _signatures(noun: str) -> Sequence[frozenset[str]]:
    """Return the words around each sense of a noun, the noun's own left out."""
    own = set(words_of(noun))
    return [frozenset(_words(sense)) - own for sense in wordnet().senses(noun, "n")]


def _words(sense: Sense) -> set[str]:
    found = words_of(" ".join((sense.definition, *sense.synonyms, *sense.around)))
    return {each for each in found if len(each) >= _SHORTEST} - FUNCTION_WORDS - _OF_DEFINITIONS
