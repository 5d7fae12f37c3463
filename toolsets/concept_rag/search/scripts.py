"""The evidence for questions in scripts that the embedding model does not understand.

The shipped model was trained on English: any two texts in Cyrillic or Arabic letters have cosines above .4, whatever they say.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.search.query import Query
from toolsets.concept_rag.search.scores import WORDED, evidence

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

UNRELATED: Final = (("Рецепт томатного супа", "Самолёт летит над морем"), ("番茄汤的做法", "飞机飞过大海"))
"""Texts that have nothing in common, soup and aeroplanes, in Russian and Chinese."""
_APART: Final = 0.4
"""The least cosine of unrelated texts in a script that a model does not understand."""

SHARED: Final = 0.2
"""The least share of a question's words that a text must have. "The best football club in the world" shares .17 with a
Russian text that contains "world", and "project leader" .23 with one that has "leader"; chosen by measurement."""
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+"
)
"""Runs of characters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese; and of Korean,
whose words have endings."""


def understands(pairs: "Iterable[tuple[Vector, Vector]]") -> bool:
    """Return whether a model distinguishes the texts in each pair of `UNRELATED`, given their vectors of unit norm."""
    return all(one.any() and other.any() and float(one @ other) < _APART for one, other in pairs)


def is_foreign(text: str) -> bool:
    """Return whether most letters of a text are not Latin."""
    letters = [point for point in text if point.isalpha()]
    return 2 * sum(map(_is_latin, letters)) < len(letters)


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter < "\u1f00"


def evidence_for(
    query: Query,
    texts: Sequence[str],
    cosines: Sequence[float],
    *shares: Sequence[float],
    whole: Collection[int] = (),
) -> list[float]:
    """Return the evidence of each text as `scores.evidence` does; if the query is not understood, a text needs its words.

    Such a text has evidence if it has a fifth of the question's words, or half of the pairs of neighbouring characters in a
    question without spaces or in Korean. A question without pairs has single signs instead, one of which is enough.
    """
    if query.is_understood:
        return evidence(cosines, *shares, whole=whole)
    question = query.text
    pairs = _pairs(question)
    in_pairs = [len(pairs & _pairs(text)) / len(pairs) if pairs else _has_sign(text, question) for text in texts]
    found = evidence(cosines, in_pairs, *shares, whole=whole)
    sharing = [max(of_words) >= SHARED or pair >= WORDED for pair, *of_words in zip(in_pairs, *shares, strict=True)]
    return [each if sharing[place] or place in whole else 0.0 for place, each in enumerate(found)]


def _has_sign(text: str, question: str) -> float:
    """Return 1 if a text has the sign that is a question in a script without spaces, such as "cat" in Chinese."""
    return float(any(sign in text for sign in _UNSPACED.findall(question)))


def _pairs(text: str) -> set[tuple[str, str]]:
    return {pair for run in _UNSPACED.findall(text) for pair in pairwise(run)}
