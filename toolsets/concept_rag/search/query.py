"""Queries: the words and phrases of a question, its vector, and the terms that expand it."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.names import words_of, written_words
from toolsets.concept_rag.wordnet import wordnet
from toolsets.concept_rag.words import CONTRACTION, FUNCTION_WORDS
from toolsets.lexical_scores import STOP_WORDS, LexicalRanking, stem, terms

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_WORDS: Final = 32
"""The most words of a question that are looked up; retrieval and keyword relevance use all of them."""
_SMALL: Final = FUNCTION_WORDS | STOP_WORDS
_SMALL_STEMS: Final = frozenset((*_SMALL, *map(stem, _SMALL)))
_FEW_WORDS: Final = 4
"""The most words of a question that are likely to occur together in a passage whose meaning is another one."""
_LONGEST_NAME: Final = 4
"""The most words of a concept's name."""
_MAX_SYNONYMS: Final = 5
"""The most synonyms tried for a word; WordNet lists common ones first."""
_KEPT_COMMON: Final = 3
"""The most common words that are searched for if a question has no other words."""
_NEAREST: Final = 3
"""The number of a text's nearest concepts whose cosines count."""
_CACHED: Final = 100
"""The most questions and concept names whose length is cached."""
_CACHED_TERMS: Final = 2_000
"""The most synonyms whose words are cached; each question tries about fifty."""
_LETTER: Final = "\U00010380"
_IDEOGRAPH: Final = "\U0002fa1d"
CHARACTERS: Final = 5
"""Characters of a question that take as long to analyse as an event takes to read; from 1,000 on, a thread does it."""
MAX_EXPANDED: Final = 20
"""The most expanded terms in a reply."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Consecutive words of a question in normal form, with their positions."""

    text: str
    start: int
    end: int

    def is_within(self, other: "Phrase") -> bool:
        """Return whether the phrase is part of a longer one."""
        return other.start <= self.start and self.end <= other.end and len(other.text) > len(self.text)


@dataclass(frozen=True, slots=True)
class QueryConcept:
    """A concept of the library that a question names or is near to."""

    id: int
    name: str
    weight: float
    """1 for a named concept, less for part of a longer name and for a near concept."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A question prepared for search."""

    text: str
    """The question without contractions, see `without_contractions`."""
    vector: "Vector"
    is_understood: bool = True
    """Whether the embedding model understands the script of the question; if not, results need words of it."""
    concepts: tuple[QueryConcept, ...] = ()
    """Heaviest first."""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """WordNet's synonyms of each word of the question."""
    used: frozenset[str] = frozenset()
    """Synonyms that are concepts of the library."""

    def keywords(self, common: Mapping[str, float]) -> str:
        """Return the words for keyword retrieval: the question's ranked words, and synonyms that the library uses.

        `common` has the share of chunks with each common word, by stem. Common words are slow to search for and not
        selective, so they are left out. If the question has no other words, its rarest ones are kept.
        """
        own = [word for word in self.text.split() if word.strip("?!.,;:()\"'").casefold() not in STOP_WORDS]
        words = dict.fromkeys((*(own or self.text.split()), *_content(self.text), *sorted(self.used)))
        shares = {word: min((common.get(each, 0.0) for each in terms(word)), default=0.0) for word in words}
        rare = [word for word, share in shares.items() if share == 0.0]
        return " ".join(rare or sorted(shares, key=lambda word: (shares[word], word))[:_KEPT_COMMON])

    def concept_share(self, concepts: Collection[int], cosines: Mapping[int, float]) -> float:
        """Return how well a text with these concepts covers the question's concepts, 0 to 1.

        It is the mean of two numbers: the share of the question that the text's concepts account for, and the cosines of
        its three nearest concepts with the question.
        """
        near = sorted((max(0.0, cosines.get(concept, 0.0)) for concept in concepts), reverse=True)[:_NEAREST]
        return (self.covered_share(dict.fromkeys(concepts, 1.0)) + sum(near) / _NEAREST) / 2

    def covered_share(self, concepts: Mapping[int, float]) -> float:
        """Return the share of the question's words that the concepts of a text account for, 0 to 1.

        `concepts` has the weight of each concept, 0 to 1. Near concepts of the question count in part.
        """
        covered = sum(
            each.weight * _words_in(each.name) * concepts[each.id] for each in self.concepts if each.id in concepts
        )
        return min(1.0, covered / _length(self.text))

    @property
    def is_short(self) -> bool:
        """Whether one passage may have every word of the question but function words."""
        return 0 < len(self._telling()) <= _FEW_WORDS

    def wholly_in(self, texts: LexicalRanking) -> Collection[int]:
        """Return the places of the candidates that have every word of the question but function words."""
        words = self._telling()
        return set[int].intersection(*(set(texts.holding(word)) for word in words)) if words else ()

    def _telling(self) -> Collection[str]:
        return set(terms(self.text)) - _SMALL_STEMS

    def expanded_terms(self, texts: LexicalRanking) -> list[str]:
        """Return the terms searched for in addition to the question's words: concepts, then synonyms that the library uses."""
        own = " ".join(words_of(self.text))
        names = (concept.name for concept in self.concepts)
        synonyms = (each for some in self.in_use(texts).values() for each in some)
        found = {" ".join(words_of(term)): term for term in reversed([*names, *synonyms])}
        kept = [term for key, term in reversed(found.items()) if f" {key} " not in f" {own} "]
        return kept[:MAX_EXPANDED]

    def in_use(self, texts: LexicalRanking) -> Mapping[str, tuple[str, ...]]:
        """Return, by word, the synonyms that are concepts of the library or occur in a text of the ranking's sample."""
        held = {
            word: tuple(each for each in some if each in self.used or _holding(texts.statistics, each))
            for word, some in self.synonyms.items()
        }
        return {word: some for word, some in held.items() if some}

    def synonym_shares(self, texts: LexicalRanking) -> list[float]:
        """Return for each candidate the share of the question's words that it has, as such or as a synonym, 0 to 1.

        Only words with a synonym that the library uses are counted, rare ones more; if there are none, all shares are 0.
        """
        held = [0.0] * len(texts.texts)
        whole = 0.0
        for word, some in self.in_use(texts).items():
            weight = texts.idf(_words_of_term(word))
            whole += weight
            for place in set[int]().union(*(_holding(texts, each) for each in (word, *some))):
                held[place] += weight
        return [each / whole for each in held] if whole else held


def without_contractions(text: str) -> str:
    """Return a question with the function word "not" for each contraction, such as "don't", whose parts look like words.

    A question that consists of contractions is unchanged.
    """
    bare = CONTRACTION.sub("not", text)
    return bare if CONTRACTION.sub("", text).strip() else text


def of_unknown_words(text: str) -> str:
    """Return a text of as many words, in which no model knows any: the letters are Ugaritic, ideographs a rare one."""
    spelled = "".join(point if _separates(point) else _IDEOGRAPH if _is_ideograph(point) else _LETTER for point in text)
    return re.sub(f"{_LETTER}+", _LETTER, spelled)


def _separates(point: str) -> bool:
    return point.isspace() or unicodedata.category(point)[0] in "PCM"


def _is_ideograph(point: str) -> bool:
    return unicodedata.name(point, "").startswith("CJK")


def phrases_of(text: str) -> list[Phrase]:
    """Return the phrases of a question that may name concepts: one to four words, longest first."""
    words, small = _words_asked(text)
    return [
        Phrase(" ".join(words[start : start + length]), start, start + length)
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
        if not {start, start + length - 1} & small
    ]


def synonyms_of(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return WordNet's synonyms of a question's words, and of pairs of words that WordNet has as one term.

    Function words and single letters have none.
    """
    words, small = _words_asked(text)
    found: dict[str, tuple[str, ...]] = {}
    place = 0
    while place < len(words):
        for length in (2, 1):
            phrase = " ".join(words[place : place + length])
            entry = None if place in small or len(phrase) < 2 else wordnet().lookup(phrase)
            if entry is not None:
                if entry.synonyms:
                    found[phrase] = entry.synonyms[:_MAX_SYNONYMS]
                break
        place += length
    return found


def _words_asked(text: str) -> tuple[Sequence[str], set[int]]:
    """Return the first words of a question in normal form, and the places of its function words.

    Function words are recognised as they are written: the singular of "does" and "was" would be "doe" and "wa".
    """
    bare = without_contractions(text)
    words = words_of(bare)[:MAX_WORDS]
    return words, {place for place, word in enumerate(written_words(bare)[:MAX_WORDS]) if word in _SMALL}


@lru_cache(_CACHED)
def _length(text: str) -> int:
    """Return the number of different ranked words of a question, at least 1."""
    return max(1, len(set(terms(text))))


@lru_cache(_CACHED)
def _words_in(name: str) -> int:
    """Return the number of words of a name."""
    return len(words_of(name))


def by_weight(concepts: Sequence[QueryConcept]) -> tuple[QueryConcept, ...]:
    """Return the concepts, heaviest first, ties by name."""
    return tuple(sorted(concepts, key=lambda each: (-each.weight, each.name.casefold())))


def _content(text: str) -> list[str]:
    """Return the words of a question in normal form without its function words."""
    return [word for word, written in zip(words_of(text), written_words(text), strict=True) if written not in _SMALL]


def _holding(texts: LexicalRanking, term: str) -> Collection[int]:
    """Return the indexes of the candidates that have all words of a term."""
    return texts.all_holding(_words_of_term(term))


@lru_cache(_CACHED_TERMS)
def _words_of_term(term: str) -> tuple[str, ...]:
    return tuple(terms(term))
