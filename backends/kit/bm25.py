"""The terms of BM25, for ranking candidates by statistics of the candidates themselves."""

import math
from typing import Final

_SATURATION: Final = 1.2
"""BM25's k1: how quickly repeated occurrences of a word stop adding to the score."""
_LENGTH: Final = 0.75
"""BM25's b: how strongly long texts are discounted."""


def rarity(holders: int, candidates: int) -> float:
    """Return the inverse document frequency of a word that `holders` of the candidates contain; it is highest for 0."""
    return math.log(1 + (candidates - holders + 0.5) / (holders + 0.5))


def length_factor(length: int, average: float) -> float:
    """Return how strongly a text of `length` words is discounted; 1 for one of average length."""
    return 1 - _LENGTH + _LENGTH * length / average if average else 1.0


def term_score(rare: float, count: int, factor: float) -> float:
    """Return what `count` occurrences of a word of rarity `rare` add to the score of a text with this length factor."""
    return rare * count * (_SATURATION + 1) / (count + _SATURATION * factor)
