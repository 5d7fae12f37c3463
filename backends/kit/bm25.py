"""BM25 of candidates, with the statistics of the candidates themselves, so that a score depends on nothing else."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_SATURATION: Final = 1.2
"""BM25's k1: how soon another occurrence of a word adds little."""
_LENGTH: Final = 0.75
"""BM25's b: how much a long text is worth less."""


@dataclass(frozen=True, slots=True)
class CandidateStatistics:
    """What the scores of some candidates are computed from: how many hold each word, and the words in one on average."""

    candidates: int
    average: float
    holders: Mapping[str, int]

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency; a word that no candidate has is the rarest."""
        holders = self.holders.get(word, 0)
        return math.log(1 + (self.candidates - holders + 0.5) / (holders + 0.5))

    def score(self, counts: Mapping[str, int], length: int, rarities: Mapping[str, float]) -> float:
        """Return the unscaled score of a text of `length` words with these occurrences, for words with their rarities.

        The sum is made in the order of `rarities`, so that equal texts have equal scores.
        """
        share = 1 - _LENGTH + _LENGTH * length / self.average if self.average else 1.0
        return sum(
            rarity * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION * share)
            for word, rarity in rarities.items()
            if counts.get(word)
        )


def candidate_statistics(counts: Collection[Mapping[str, int]], lengths: Sequence[int]) -> CandidateStatistics:
    """Return the statistics of candidates of which each has its occurrences of words and its number of words."""
    holders = Counter(word for each in counts for word in each)
    return CandidateStatistics(len(lengths), sum(lengths) / max(1, len(lengths)), holders)
