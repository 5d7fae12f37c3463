"""The scores of stored skills for a query: mostly by meaning, partly by words."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from toolsets.lexical_scores import lexical_ranking
from toolsets.replies import SCORE_DIGITS

DENSE_WEIGHT: Final = 0.7
"""Documented in docs/tools/skills.md."""
KEYWORD_WEIGHT: Final = 0.3
"""The rest, so that a score is at most 1."""
CANDIDATES_PER_RESULT: Final = 2
"""The candidates of vector search and of keyword search, each, for every result requested."""
DUPLICATE_COSINE: Final = 0.95
"""Two skills with a higher true cosine are duplicates."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill found by retrieval, with the fields that are searched for words."""

    skill_id: str
    cosine: float
    """The cosine of query and skill, in -1..1."""
    title: str
    problem: str
    resolution: str
    conditions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that is searched for words."""
        return "\n".join((self.title, self.problem, self.resolution, *self.conditions, *self.keywords))


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a candidate and its parts, each in 0..1."""

    skill_id: str
    total: float
    cosine: float
    keyword: float


def rank(query: str, candidates: Sequence[Candidate], *, top_k: int, min_score: float = 0.0) -> list[Score]:
    """Return the best `top_k` candidates that score at least `min_score`, best first; ties go by title, then id.

    The total is 0.7 cosine + 0.3 of the larger of keyword and cosine, where a negative cosine is 0. A
    shared word thus raises a candidate, and a candidate with the same meaning in other words loses nothing. Totals have
    four digits.
    """
    keywords = lexical_ranking([candidate.text for candidate in candidates]).scores(query)
    scores = [_score(candidate, keyword) for candidate, keyword in zip(candidates, keywords, strict=True)]
    titles = {candidate.skill_id: candidate.title for candidate in candidates}
    kept = [score for score in scores if score.total >= min_score]
    return nsmallest(top_k, kept, key=lambda score: (-score.total, titles[score.skill_id], score.skill_id))


def is_duplicate(cosine: float) -> bool:
    """Return whether two skills with this cosine are duplicates."""
    return cosine > DUPLICATE_COSINE


def _score(candidate: Candidate, keyword: float) -> Score:
    cosine = min(1.0, max(0.0, candidate.cosine))
    total = DENSE_WEIGHT * cosine + KEYWORD_WEIGHT * max(keyword, cosine)
    # Rounded before the comparison, so that a score in a reply, sent back as `min_score`, keeps its match.
    return Score(candidate.skill_id, round(total, SCORE_DIGITS), cosine, keyword)
