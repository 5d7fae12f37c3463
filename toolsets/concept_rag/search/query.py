"""Queries: the words and phrases of a question, its vector, and what it is expanded by."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolsets.bm25 import STOP_WORDS, LexicalRanking, terms
from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.wordnet import wordnet
from toolsets.concept_rag.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_WORDS: Final = 32
"""Words of a question that are looked up; retrieval and keyword relevance use all of them."""
_LONGEST_NAME: Final = 4
"""Words of the longest concept."""
_MAX_SYNONYMS: Final = 5
"""Synonyms of a word that are tried; WordNet has the common ones first."""
_KEPT_COMMON: Final = 3
"""Common words that are looked for in a question of nothing but such."""
_NEAREST: Final = 3
"""Concepts of a text whose closeness to the question counts."""
_CACHED: Final = 100
"""Questions and names of concepts whose length is remembered while candidates are ranked."""
MAX_EXPANDED: Final = 20
"""Expanded terms that are shown."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Some words of a question in normal form, by their places in it."""

    text: str
    start: int
    end: int

    def is_within(self, other: "Phrase") -> bool:
        """Say whether it is a part of a longer phrase."""
        return other.start <= self.start and self.end <= other.end and len(other.text) > len(self.text)


@dataclass(frozen=True, slots=True)
class QueryConcept:
    """A concept of the library that a question names or comes near."""

    id: int
    name: str
    weight: float
    """1 for one that is named, less for a part of a longer name and for one that is only near."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A question, ready to be looked for."""

    text: str
    vector: "Vector"
    concepts: tuple[QueryConcept, ...] = ()
    """Heaviest first."""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """WordNet's synonyms by the word of the question."""
    used: frozenset[str] = frozenset()
    """Synonyms that are concepts of the library."""

    def keywords(self, common: Mapping[str, float]) -> str:
        """Return the words that keyword retrieval looks for: those of the question that count, and synonyms in use.

        `common` has the share of the chunks that hold a word, by stem, for words that many hold: finding all of those takes
        long and tells little. They are left out, unless the question has nothing else: then its rarest are kept.
        """
        own = [word for word in self.text.split() if word.strip("?!.,;:()\"'").casefold() not in STOP_WORDS]
        words = dict.fromkeys((*(own or self.text.split()), *_content(words_of(self.text)), *sorted(self.used)))
        shares = {word: min((common.get(each, 0.0) for each in terms(word)), default=0.0) for word in words}
        rare = [word for word, share in shares.items() if share == 0.0]
        return " ".join(rare or sorted(shares, key=lambda word: (shares[word], word))[:_KEPT_COMMON])

    def concept_share(self, concepts: Collection[int], cosines: Mapping[int, float]) -> float:
        """Return how far a text with these concepts deals with those of the question, 0 to 1.

        It is the mean of two figures: the share of the question that the text's concepts account for, and how near in
        meaning to the question its three nearest concepts are, by the cosines of each.
        """
        near = sorted((max(0.0, cosines.get(concept, 0.0)) for concept in concepts), reverse=True)[:_NEAREST]
        return (self.covered_share(dict.fromkeys(concepts, 1.0)) + sum(near) / _NEAREST) / 2

    def covered_share(self, concepts: Mapping[int, float]) -> float:
        """Return the share of the question's words that the concepts of a text account for, 0 to 1.

        `concepts` has how much each counts, 0 to 1. Concepts of the question that are only near count for a part.
        """
        covered = sum(
            each.weight * _words_in(each.name) * concepts[each.id] for each in self.concepts if each.id in concepts
        )
        return min(1.0, covered / _length(self.text))

    def expanded_terms(self, texts: LexicalRanking) -> list[str]:
        """Return what was looked for beside the question's own words: concepts, then synonyms that the library uses."""
        own = " ".join(words_of(self.text))
        names = (concept.name for concept in self.concepts)
        synonyms = (each for some in self.in_use(texts).values() for each in some)
        found = {" ".join(words_of(term)): term for term in reversed([*names, *synonyms])}
        kept = [term for key, term in reversed(found.items()) if f" {key} " not in f" {own} "]
        return kept[:MAX_EXPANDED]

    def in_use(self, texts: LexicalRanking) -> Mapping[str, tuple[str, ...]]:
        """Return the synonyms by word that the library uses: that are its concepts, or occur in a candidate's text."""
        held = {
            word: tuple(each for each in some if each in self.used or any(_holds(texts, each)))
            for word, some in self.synonyms.items()
        }
        return {word: some for word, some in held.items() if some}

    def synonym_shares(self, texts: LexicalRanking) -> list[float]:
        """Return for each candidate the share of the question's words that it holds as such or as a synonym, 0 to 1.

        Only words with a synonym that the library uses are counted; without any all shares are 0.
        """
        in_use = self.in_use(texts)
        if not in_use:
            return [0.0] * len(texts.counts)
        held = [_holds_any(texts, (word, *some)) for word, some in in_use.items()]
        return [sum(column) / len(held) for column in zip(*held, strict=True)]


def phrases_of(text: str) -> list[Phrase]:
    """Return the phrases of a question that may be names of concepts: of one to four words, longest first."""
    words = words_of(text)[:MAX_WORDS]
    return [
        Phrase(" ".join(words[start : start + length]), start, start + length)
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
        if not {words[start], words[start + length - 1]} & FUNCTION_WORDS
    ]


def synonyms_of(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return WordNet's synonyms for the words of a question, and for two words in a row that WordNet knows as one term."""
    words = words_of(text)[:MAX_WORDS]
    found: dict[str, tuple[str, ...]] = {}
    place = 0
    while place < len(words):
        for length in (2, 1):
            phrase = " ".join(words[place : place + length])
            entry = None if words[place] in FUNCTION_WORDS else wordnet().lookup(phrase)
            if entry is not None:
                if entry.synonyms:
                    found[phrase] = entry.synonyms[:_MAX_SYNONYMS]
                break
        place += length
    return found


@lru_cache(_CACHED)
def _length(text: str) -> int:
    """Return how many different words that count a question has, at least 1."""
    return max(1, len(set(terms(text))))


@lru_cache(_CACHED)
def _words_in(name: str) -> int:
    """Return how many words a name has."""
    return len(words_of(name))


def by_weight(concepts: Sequence[QueryConcept]) -> tuple[QueryConcept, ...]:
    """Return concepts in the order of their weight, ties by name."""
    return tuple(sorted(concepts, key=lambda each: (-each.weight, each.name.casefold())))


def _content(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in FUNCTION_WORDS and word not in STOP_WORDS]


def _holds(texts: LexicalRanking, term: str) -> list[bool]:
    """Return for each candidate whether it has all the words of a term."""
    words = terms(term)
    # Most synonyms have a word that no candidate has.
    if not all(word in texts.statistics.holders for word in words):
        return [False] * len(texts.counts)
    return [all(word in counts for word in words) for counts in texts.counts]


def _holds_any(texts: LexicalRanking, some: Sequence[str]) -> list[bool]:
    columns = [_holds(texts, term) for term in some]
    return [any(column) for column in zip(*columns, strict=True)]
