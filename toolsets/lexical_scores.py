"""Lexical ranking of candidates: BM25 with the statistics of the candidates themselves, or of a sample of texts.

A score does not depend on the engine that found the candidates, and needs no statistics of the whole collection.
"""

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from backends.kit.bm25 import idf, length_norm, term_score
from backends.kit.byte_cache import ByteCache
from backends.ports.text import shadow
from toolsets.piece_cache import PieceCache

_CACHED: Final = 50_000
"""The most cached pieces of text, about 10 MB."""
_WORD = re.compile(r"\w+(?:[.\-'’+#]\w+)*[+#]{0,2}")
_PART = re.compile(r"\w+")
_PUNCTUATION: Final = ".,;:!?)"
STOP_WORDS: Final = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do does doing for from
    get got had has have he her here hi him his how i if in into is it its just me my no not of on or our out please she so
    some such than thanks that the their them then there these they this to too up us was we were what when where which
    while who why will with would you your""".split()
)
"""Words that are ignored in ranking."""


def terms(text: str) -> list[str]:
    """Return the stems of the words that are ranked, in order; a compound also yields the stems of its parts.

    A text that consists only of stop words keeps them, so that it can be found at all.
    """
    # About sixty passages are ranked for a question, so pieces between spaces are looked up without a Python loop, and as
    # they are written: the shadow of a whole text takes a third of the time, and no character of it depends on another piece.
    pieces = text.split()
    found = list(chain.from_iterable(map(_ranked_forms.__getitem__, pieces)))
    return found or [form for piece in pieces for form in _forms(piece)]


def _forms(written: str) -> Iterator[str]:
    """Yield the stem of each word in a piece of text without spaces, and those of the parts of a compound."""
    piece = shadow(written)
    bare = piece[:-1] if piece[-1] in _PUNCTUATION else piece
    if bare.isalpha():  # true for most pieces
        yield stem(bare)
        return
    for word in _WORD.findall(piece):
        yield stem(word)
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from map(stem, parts)


def _ranked(piece: str) -> tuple[str, ...]:
    return tuple(form for form in _forms(piece) if form not in STOP_WORDS)


_ranked_forms: Final = PieceCache(_ranked, most=_CACHED)
"""The ranked stems by piece of text without spaces, in the letter case in which it is written."""


def stem(word: str) -> str:
    """Return a word without the ending of its number or tense; short words and names with digits are unchanged."""
    if not word.isalpha() or len(word) < 4:
        return word
    if len(word) == 4:
        return word[:-1] if word[-1] == "s" and word[-2] not in "isu" else word
    for ending, instead in _ENDINGS.get(word[-1], ()):
        bare = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(bare) >= 2 and not _VOWELS.isdisjoint(bare):
            if ending in {"ing", "ed"} and len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz":
                return bare[:-1]
            return bare.removesuffix("e") if len(bare) > 4 else bare
    return word.removesuffix("e")


_VOWELS: Final = frozenset("aeiouy")
_ENDINGS: Final = {
    "s": (
        ("ies", "y"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("ings", ""),
        ("ss", "ss"),
        ("us", "us"),
        ("is", "is"),
        ("s", ""),
    ),
    "d": (("ied", "y"), ("ed", "")),
    "g": (("ing", ""),),
}
"""Endings and their replacements, by last letter; the first match applies."""


@dataclass(frozen=True, slots=True)
class CountedText:
    """The ranked words of a text and their counts."""

    counts: Mapping[str, int]
    """The count of each word."""
    length: int
    """The sum of the counts."""


_MAX_HELD: Final = 10_000
"""The most words for which a ranking keeps the candidates that contain them; a ranking of samples is used for minutes."""
MAX_COUNTED_BYTES: Final = 32 * 2**20
"""The cache of recently counted texts, about 2,000 passages; a passage is a candidate for many questions."""
_WORD_BYTES: Final = 30
"""Memory per word of a counted text; texts share the strings of common words."""


def _counted_bytes(text: str, counted: CountedText) -> int:
    return sys.getsizeof(text) + sys.getsizeof(counted.counts) + _WORD_BYTES * len(counted.counts) + 200


_counted: Final = ByteCache[str, CountedText](MAX_COUNTED_BYTES, _counted_bytes)


def counted_text(text: str) -> CountedText:
    """Return the ranked words of a text with their counts."""
    if (known := _counted.get(text)) is None:
        words = terms(text)
        # A plain dict is faster: a Counter calls `__missing__` for each absent word.
        known = CountedText(dict(Counter(words)), len(words))
        _counted.put(text, known)
    return known


@dataclass(frozen=True, slots=True)
class LexicalRanking:
    """Candidates to be scored against queries, created by `lexical_ranking`."""

    texts: tuple[CountedText, ...]
    average: float
    sample: "LexicalRanking | None" = None
    """The texts whose statistics are used; None for those of the candidates."""
    _holding: dict[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])

    def holding(self, word: str) -> Sequence[int]:
        """Return the indices of the candidates that contain a word, in order."""
        known = self._holding.get(word)
        if known is None:
            known = [index for index, text in enumerate(self.texts) if word in text.counts]
            if known and len(self._holding) < _MAX_HELD:
                self._holding[word] = known
        return known

    def all_holding(self, words: Sequence[str]) -> Collection[int]:
        """Return the indices of the candidates that contain each of at least one word."""
        if len(words) == 1:
            return self.holding(words[0])
        return set(range(len(self.texts))).intersection(*map(self.holding, words))

    @property
    def statistics(self) -> "LexicalRanking":
        """The texts that give the rarity of words and the average length."""
        return self.sample or self

    def idf(self, words: Sequence[str]) -> float:
        """Return the rarity of a term of at least one word, all of which a text must contain."""
        return idf(len(self.statistics.all_holding(words)), len(self.statistics.texts))

    def scores(self, query: str) -> list[float]:
        """Return a score from 0 to 1 for each candidate, in their order.

        A text of average length that contains every word of the query once scores 1; higher scores are cut to 1.
        """
        wanted = {word: self.idf((word,)) for word in terms(query)}
        best = sum(wanted.values())
        scores = [0.0] * len(self.texts)
        if best <= 0:
            return scores
        average = self.statistics.average
        norms = [length_norm(text.length, average) for text in self.texts]
        # Most candidates lack most words, so only those that contain a word are visited.
        for word, weight in wanted.items():
            for index in self.holding(word):
                scores[index] += term_score(weight, self.texts[index].counts[word], norms[index])
        return [min(1.0, score / best) for score in scores]


def lexical_ranking(texts: Sequence[str], sample: LexicalRanking | None = None) -> LexicalRanking:
    """Return the ranking of the candidates with these texts, with the statistics of a sample unless it is empty."""
    counted = tuple(map(counted_text, texts))
    average = sum(text.length for text in counted) / max(1, len(counted))
    return LexicalRanking(counted, average, sample if sample is not None and sample.texts else None)
