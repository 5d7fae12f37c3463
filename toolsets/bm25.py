"""Lexical ranking of candidates: BM25 with the statistics of the candidates themselves.

A score does not depend on the engine that found the candidates, and needs no statistics of the whole collection.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final

from backends.kit.bm25 import CandidateStatistics, candidate_statistics
from backends.ports.text import shadow

_CACHED: Final = 50_000
"""Pieces of text whose forms are remembered, some 10 MB."""
_LONGEST_CACHED: Final = 60
_WORD = re.compile(r"\w+(?:[.\-'’+#]\w+)*[+#]{0,2}")
_PART = re.compile(r"\w+")
STOP_WORDS: Final = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do does doing for from
    get got had has have he her here hi him his how i if in into is it its just me my no not of on or our out please she so
    some such than thanks that the their them then there these they this to too up us was we were what when where which
    while who why will with would you your""".split()
)
"""Words that nothing is found by."""


def terms(text: str) -> list[str]:
    """Return the words that count, in order, in one form for singular and plural; a compound also in its parts.

    A text of nothing but small words keeps them: they are all there is to find it by.
    """
    # Some sixty passages are ranked for a question: what stands between spaces is looked up without a step of our own each.
    pieces = shadow(text).split()
    found = list(chain.from_iterable(map(_telling_forms.__getitem__, pieces)))
    return found or [form for piece in pieces for form in _forms(piece)]


def _forms(piece: str) -> Iterator[str]:
    """Yield the stem of each word of a piece of text without spaces, and those of the parts of a compound."""
    for word in _WORD.findall(piece):
        yield stem(word)
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from map(stem, parts)


class _TellingForms(dict[str, tuple[str, ...]]):
    """The forms that count of a piece of text without spaces, remembered for those of the last texts."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        forms = tuple(form for form in _forms(piece) if form not in STOP_WORDS)
        if len(piece) <= _LONGEST_CACHED:
            if len(self) >= _CACHED:
                self.clear()
            self[piece] = forms
        return forms


_telling_forms: Final = _TellingForms()


def stem(word: str) -> str:
    """Return a word without the ending that tells its number or tense; short words and names with digits as they are."""
    if not word.isalpha() or len(word) < 4:
        return word
    if len(word) == 4:
        return word[:-1] if word[-1] == "s" and word[-2] not in "isu" else word
    for ending, instead in _ENDINGS:
        bare = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(bare) >= 2 and not _VOWELS.isdisjoint(bare):
            if ending in {"ing", "ed"} and len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz":
                return bare[:-1]
            return bare.removesuffix("e") if len(bare) > 4 else bare
    return word.removesuffix("e")


_VOWELS: Final = frozenset("aeiouy")
_ENDINGS: Final = (
    ("ies", "y"),
    ("ied", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ings", ""),
    ("ing", ""),
    ("ed", ""),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
)


@dataclass(frozen=True, slots=True)
class LexicalRanking:
    """Candidates to be scored against queries; made by `lexical_ranking`."""

    counts: tuple[Counter[str], ...]
    lengths: tuple[int, ...]
    statistics: CandidateStatistics

    def scores(self, query: str) -> list[float]:
        """Return a score in 0..1 for each candidate, in their order.

        1 is what a text of average length scores that holds every word of the query once; more is 1 as well.
        """
        rarities = {word: self.statistics.rarity(word) for word in terms(query)}
        best = sum(rarities.values())
        if best <= 0:
            return [0.0] * len(self.counts)
        scored = map(partial(self.statistics.score, rarities=rarities), self.counts, self.lengths)
        return [min(1.0, score / best) for score in scored]


def lexical_ranking(texts: Sequence[str]) -> LexicalRanking:
    """Return the ranking of some candidates' texts."""
    words = [terms(text) for text in texts]
    counts = tuple(Counter(each) for each in words)
    lengths = tuple(map(len, words))
    return LexicalRanking(counts, lengths, candidate_statistics(counts, lengths))
