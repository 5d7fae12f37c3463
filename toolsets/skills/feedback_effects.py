"""What feedback does to the steps of a skill, and what of it is left."""

from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.model import MAX_STEP, cut, numbered, steps_of
from toolsets.skills.feedback import FeedbackContent
from toolsets.skills.reported_steps import case_of

_QUOTE_SIZE: Final = 120
"""A line or two of a reply."""


def extend_steps(resolution: str, content: FeedbackContent, changes: list[str]) -> tuple[str, list[str]]:
    """Return a resolution with what feedback adds to its steps, and sentences about what it could not be added to."""
    steps = list(steps_of(resolution))
    missing: list[str] = []
    for each in content.extensions:
        at = _index(each.number, steps)
        if at is None:
            missing.append(f"Added nothing from “{quoted(each.text)}”: the skill has no step {each.number}.")
        elif frozenset(terms(each.text)) <= frozenset(terms(steps[at])):
            continue
        elif len(steps[at]) + len(each.text) >= MAX_STEP:
            missing.append(f"Added nothing from “{quoted(each.text)}”: step {at + 1} has no room for it.")
        else:
            blank = "\n" if "\n" in steps[at] else " "
            steps[at] = f"{each.text} {steps[at]}" if each.first else f"{steps[at]}{blank}{each.text}"
            changes.append(f"Added “{quoted(each.text)}” to step {at + 1} from the feedback.")
    missing += _renamed(steps, content, changes)
    for number in content.needless:
        if (at := _index(number, steps)) is None:
            missing.append(f"The feedback calls step {number} unnecessary, which the skill does not have.")
        else:
            changes.append(f"Kept step {at + 1}, which the feedback calls unnecessary: an update drops nothing.")
    for number in content.doubted:
        if (at := _index(number, steps)) is None:
            missing.append(f"The feedback doubts step {number}, which the skill does not have.")
        else:
            changes.append(
                f"Kept step {at + 1}, which the feedback says did harm: somebody has to decide whether it is right."
            )
    return numbered(steps) if changes else resolution, missing


def _renamed(steps: list[str], content: FeedbackContent, changes: list[str]) -> Iterator[str]:
    """Add new names to the steps that have the old ones, and yield sentences about those that no step has."""
    for old, new in content.renamed:
        note = f"The name “{old}” is now “{new}”."
        named = [at for at, step in enumerate(steps) if old.casefold() in step.casefold()]
        if not named:
            yield f"Added nothing from “{quoted(note)}”: no step has that name."
        for at in named:
            if note not in steps[at] and len(steps[at]) + len(note) < MAX_STEP:
                steps[at] += f"{chr(10) if chr(10) in steps[at] else ' '}{note}"
                changes.append(f"Added “{quoted(note)}” to step {at + 1} from the feedback.")


def kept_conditions(content: FeedbackContent, conditions: Sequence[str]) -> list[str]:
    """Return sentences about the conditions that feedback asks to remove."""
    known = {condition.casefold() for condition in conditions}
    return [
        f"Kept the condition “{quoted(unwanted)}”, which the feedback asks to remove: an update drops nothing."
        if unwanted.casefold() in known
        else f"The feedback asks to remove the condition “{quoted(unwanted)}”, which the skill does not have."
        for unwanted in content.unwanted
    ]


def _index(number: int, steps: Sequence[str]) -> int | None:
    """Return the position of the step with a number, of which 0 is the last one; None if there is none."""
    at = (number or len(steps)) - 1
    return at if at < len(steps) else None


def unused_of(content: FeedbackContent, missing: Sequence[str], resolution: str) -> list[str]:
    """Return sentences about the parts of feedback that are not in a resolution."""
    if content.refused:
        return ["Added nothing from the feedback: it reads like an order to a program that reads it."]
    said = [frozenset(terms(step)) for step in steps_of(resolution)]
    cased = bool(content.case) and content.case.casefold() in resolution.casefold()
    parts = [part for part in content.unused if not is_said(frozenset(terms(part)), said)]
    parts = [part for part in parts if not (cased and case_of(part) == content.case)]
    found = [*missing, *(f"Added nothing from this part of the feedback: “{quoted(part)}”" for part in parts)]
    if len(found) <= MAX_UNUSED:
        return found
    return [
        *found[: MAX_UNUSED - 1],
        f"Added nothing from {len(found) - MAX_UNUSED + 1} further parts of the feedback.",
    ]


def is_said(words: frozenset[str], steps: Sequence[frozenset[str]]) -> bool:
    """Return whether a step has most of the words."""
    return bool(words) and any(len(words & step) >= _SAID * len(words) for step in steps)


_SAID: Final = 0.7
"""With a lower share, feedback that adds something would count as said; with a higher one, steps would be repeated."""
MAX_UNUSED: Final = 10
"""The most sentences about parts of the feedback that are not used."""


def quoted(text: str) -> str:
    """Return the first line of a text, shortened for a quotation."""
    return cut(text.split("\n", 1)[0].strip(), _QUOTE_SIZE)
