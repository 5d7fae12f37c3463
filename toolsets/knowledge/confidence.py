"""The confidence service: computes the certainty of a concept; kept separate because its formula is documented."""

import re
from dataclasses import dataclass

from backends.ports.values import Micros
from toolsets.knowledge.concept import Concept, Edit, Placement

_SENTENCE_END = re.compile(r"[.!?…。！？]+(?=\s|$)")
_DAY = 86_400 * 1_000_000

FULL_LENGTH = 400
"""Characters of an explanation beyond which the score does not grow."""
FULL_SENTENCES = 4
"""Sentences beyond which the score does not grow; documented in docs/tools/knowledge.md."""
FULL_CONNECTIONS = 5
"""Relationships beyond which the score does not grow; with more, only hubs would get all points."""
HALF_LIFE_DAYS = 180
"""Days without a review after which half of the points for freshness remain."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The inputs of a score; `age` is in microseconds since the last review."""

    explanation: str
    placement: Placement
    connections: int
    age: int


def score(evidence: Evidence) -> float:
    """Return 0 to 100, in whole numbers: up to 50 for substance, 20 for placement, 20 for connections, 10 for freshness.

    The formula is part of the documentation (docs/tools/knowledge.md); equal evidence always gives an equal score.
    """
    total = (
        _substance(evidence.explanation)
        + _placement(evidence.placement)
        + 20 * min(1, evidence.connections / FULL_CONNECTIONS)
        + 10 * 0.5 ** (max(0, evidence.age) / (HALF_LIFE_DAYS * _DAY))
    )
    return float(round(total))


def score_after(before: Concept, edit: Edit, *, connections: int, now: Micros) -> float:
    """Return the score of a concept after an update at the time `now`; a new explanation is a review."""
    explanation = edit.explanation_after(before)
    age = 0 if explanation != before.explanation else now - before.reviewed_at
    return score(Evidence(explanation, edit.placement_after(before), connections, age))


def _substance(explanation: str) -> float:
    """Return up to 35 points for length and 15 for the number of sentences; runs of white space count as one character."""
    text = " ".join(explanation.split())
    sentences = max(1, len(_SENTENCE_END.findall(text)))
    return 35 * min(1, len(text) / FULL_LENGTH) + 15 * min(1, sentences / FULL_SENTENCES)


def _placement(placement: Placement) -> float:
    levels = ((placement.area, 8), (placement.topic, 7), (placement.subtopic, 5))
    return sum(points for level, points in levels if level is not None)
