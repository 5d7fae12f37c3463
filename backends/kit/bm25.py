"""The terms of BM25, for ranking texts by given statistics."""

import math
from typing import Final

_K1: Final = 1.2
"""BM25's k1: how quickly repeated occurrences of a word stop adding to the score."""
_B: Final = 0.75
"""BM25's b: how strongly long texts are discounted."""
MOST_PER_TERM: Final = _K1 + 1
"""The most that a word adds to a score, as a multiple of its weight, however often it occurs in however short a text."""


def idf(document_frequency: int, documents: int) -> float:
    """Return the inverse document frequency of a word that `document_frequency` of the documents contain."""
    return math.log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))


def length_norm(length: int, average: float) -> float:
    """Return how strongly a text of `length` words is discounted; 1 for one of average length."""
    return 1 - _B + _B * length / average if average else 1.0


def term_score(weight: float, count: int, norm: float) -> float:
    """Return what `count` occurrences of a word with the IDF `weight` add to the score of a text with this length norm."""
    return weight * count * (_K1 + 1) / (count + _K1 * norm)
