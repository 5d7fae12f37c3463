"""What is learned from a conversation, and when there is nothing to learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

ISSUE_TYPES: Final = (
    "access",
    "billing",
    "bug",
    "configuration",
    "error",
    "how-to",
    "installation",
    "performance",
    "question",
)
"""The types that extraction infers; a caller's own word is kept as it is."""
START_CONFIDENCE: Final = 0.5
CONFIRMED_GAIN: Final = 0.1

MAX_TITLE: Final = 100
MAX_PROBLEM: Final = 1_000
MAX_STEP: Final = 600
MAX_STEPS: Final = 30
MAX_CONDITION: Final = 200
MAX_CONDITIONS: Final = 20
MAX_KEYWORD: Final = 60
MAX_KEYWORDS: Final = 20
MAX_LABEL: Final = 60
"""Code points, or entries; what is longer is cut at a word."""


class NothingToLearn(Exception):
    """A conversation makes no skill; the message says what it lacks."""


@dataclass(frozen=True, slots=True)
class ExtractedSkill:
    """A skill that a conversation teaches; `resolution` is one step, or several numbered from 1, a line each."""

    title: str
    problem: str
    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    product_area: str
    issue_type: str
    confidence: float


def numbered(steps: Sequence[str]) -> str:
    """Return steps as the text of a resolution: numbered when there are several, later lines of a step indented."""
    if len(steps) == 1:
        return steps[0]
    return "\n".join(f"{number}. {step.replace(chr(10), f'{chr(10)}   ')}" for number, step in enumerate(steps, 1))


def steps_of(resolution: str) -> tuple[str, ...]:
    """Return the steps of a resolution's text; text that is not numbered in order is one step."""
    steps: list[str] = []
    for line in resolution.splitlines():
        mark = f"{len(steps) + 1}. "
        if line.startswith(mark):
            steps.append(line.removeprefix(mark))
        elif steps:
            steps[-1] += "\n" + line.removeprefix("   ")
        elif line.strip():
            return (resolution,)
    return tuple(steps)


def cut(text: str, size: int) -> str:
    """Return a text of at most `size` code points, cut at a blank and marked with an ellipsis when it is longer."""
    if len(text) <= size:
        return text
    head = text[: size - 1]
    blank = head.rfind(" ", size // 2)
    return (head[:blank] if blank > 0 else head).rstrip(" ,;:-(") + "…"
