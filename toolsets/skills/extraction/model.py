"""The result of extraction: a skill, or the error that there is nothing to learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.extraction.markup import code_spans

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
"""The types that extraction infers; a type given by the caller is kept as it is."""
START_CONFIDENCE: Final = 0.5
"""The confidence of a skill that nobody has confirmed; documented in docs/readings.md, as the gain is."""
CONFIRMED_GAIN: Final = 0.1
"""What a confirmation adds."""

MAX_TITLE: Final = 100
"""A line of a list."""
MAX_PROBLEM: Final = 1_000
"""About as much text as the default embedder reads (256 tokens), by which a skill is found."""
MAX_STEP: Final = 600
"""A few sentences; a longer one is an explanation, of which the beginning is kept."""
MAX_STEPS: Final = 30
"""More are rather a whole conversation than its solution."""
MAX_CONDITION: Final = 200
"""A sentence."""
MAX_CONDITIONS: Final = 20
"""More than a reader can check before the steps."""
MAX_KEYWORD: Final = 60
"""A term of several words, such as an error message's beginning."""
MAX_KEYWORDS: Final = 20
"""Twice as many as are extracted, since refinements add some."""
MAX_LABEL: Final = 60
"""The limits are code points or entries; a longer text is cut at a word."""


class NothingToLearn(Exception):
    """A conversation teaches no skill; the message says what it lacks."""


@dataclass(frozen=True, slots=True)
class ExtractedSkill:
    """A skill that a conversation teaches; `resolution` is one step, or steps numbered from 1, one on each line."""

    title: str
    problem: str
    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    product_area: str
    issue_type: str
    confidence: float


def numbered(steps: Sequence[str]) -> str:
    """Return steps as the text of a resolution: numbered if there are several, later lines of a step indented."""
    if len(steps) == 1:
        return steps[0]
    return "\n".join(f"{number}. {step.replace(chr(10), f'{chr(10)}   ')}" for number, step in enumerate(steps, 1))


def last_steps(steps: Sequence[str]) -> Sequence[str]:
    """Return at most `MAX_STEPS` steps: of more, the last ones, because they came before the confirmation.

    The first of them then says how many were left out.
    """
    if len(steps) <= MAX_STEPS:
        return steps
    left_out = len(steps) - MAX_STEPS + 1
    return (f"{left_out} earlier steps are left out.", *steps[left_out:])


def steps_of(resolution: str) -> tuple[str, ...]:
    """Return the steps of a resolution; a text that is not numbered in order is one step."""
    steps: list[str] = []
    for line in resolution.split("\n"):
        mark = f"{len(steps) + 1}. "
        if line.startswith(mark):
            steps.append(line.removeprefix(mark))
        elif steps:
            steps[-1] += "\n" + line.removeprefix("   ")
        elif line.strip():
            return (resolution,)
    return tuple(steps)


def cut(text: str, size: int) -> str:
    """Return a text, cut and ended with an ellipsis if it has more than `size` code points.

    It is cut at a blank, but before inline code and after a line of several, so that no command is cut.
    """
    if len(text) <= size:
        return text
    line = text.rfind("\n", size // 2, size - 1)
    if line > 0:
        return f"{text[:line]}\n…"
    code = next((start for start, stop in code_spans(text) if start < size - 1 < stop), None)
    if code:
        return text[:code].rstrip(" ,;:-(") + "…"
    head = text[: size - 1]
    blank = head.rfind(" ", size // 2)
    return (head[:blank] if blank > 0 else head).rstrip(" ,;:-(") + "…"
