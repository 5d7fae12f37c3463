"""Refines a skill by another conversation and feedback: new parts are added, and what was there is kept."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import anyio.to_thread

from toolsets.bm25 import stem, terms
from toolsets.skills.confidence import judge
from toolsets.skills.extraction.model import (
    MAX_CONDITIONS,
    MAX_KEYWORDS,
    MAX_STEPS,
    ExtractedSkill,
    numbered,
    steps_of,
)
from toolsets.skills.extraction.outcomes import Outcome
from toolsets.skills.feedback import NO_CONTENT, Addition, FeedbackContent, place_of
from toolsets.skills.feedback_effects import extend_steps, is_said, kept_conditions, quoted, unused_of
from toolsets.skills.redaction import redact
from toolsets.skills.sameness import contradict, is_same, parts_of
from toolsets.skills.skill import Judgement, Refinement, confidence_after

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[NDArray[numpy.float32]]]"
"""Returns one row of unit norm for each text."""

RELATED: Final = 0.25
"""The cosine of problems or of steps from which a conversation counts as one about a skill. With the default embedder 80 % of the
pairs of unlike skills from one field stay below it. A miss leaves the confidence as it is."""
_ALTERNATIVE: Final = "If that does not help: "
_CONDITIONAL = re.compile(
    r"(?P<clause>(?:For|If|In case|On|Only (?:if|on|with)|Unless|When|With) (?P<rest>[^.!?\n]{3,150}?)),\s"
)
"""The condition at the beginning of a step."""


class RefinableSkill(Protocol):
    """The parts of a skill that a refinement needs."""

    @property
    def problem(self) -> str:
        """What is wrong or wanted."""
        ...

    @property
    def resolution(self) -> str:
        """The steps as text."""
        ...

    @property
    def conditions(self) -> tuple[str, ...]:
        """When the skill applies."""
        ...

    @property
    def keywords(self) -> tuple[str, ...]:
        """The words by which it is found."""
        ...

    @property
    def confidence(self) -> float:
        """The confidence in it, in 0..1."""
        ...


async def refine(
    skill: RefinableSkill,
    learned: ExtractedSkill | None,
    feedback: str,
    embed: Embed,
    *,
    outcome: Outcome = "none",
    repeated: bool = False,
    content: FeedbackContent = NO_CONTENT,
) -> Refinement:
    """Return the refinement of a skill by a conversation and feedback.

    `learned` is the skill that the conversation teaches, None if it teaches none; `outcome` is how it ended, and counts
    only without feedback. A conversation about another problem adds nothing and moves the confidence only by negative
    feedback, and a `repeated` one, which has raised it before, does not raise it again. A step with the
    same meaning as an existing one or a part of it is not added; a new step is inserted after the step that it followed.
    One that contradicts a step is added, too, the changes name both, and nothing raises the confidence.
    If no step is the same, the new steps are appended as an alternative. The `content` of the feedback is added last.
    Raises the errors of `embed`.
    """
    changes: list[str] = []
    related = learned is None or await _is_related(skill, learned, embed)
    judged = await anyio.to_thread.run_sync(judge, feedback, outcome)
    judgement = _counted(judged, feedback, changes, related=related, repeated=repeated)
    extended, missing = extend_steps(skill.resolution, content, changes)
    changes += kept_conditions(content, skill.conditions)
    resolution, conditions, keywords = extended, skill.conditions, skill.keywords
    steps: Sequence[str] = ()
    if not related:
        changes.append("Added nothing from the conversation: it is about another problem.")
    elif learned is not None:
        steps = steps_of(learned.resolution)
        resolution, conditions = await _with_lesson(skill, learned, extended, content, embed, changes)
        keywords = _merged_keywords(skill.keywords, await _redacted(learned.keywords), changes)
    resolution = await _with_additions(resolution, steps_of(extended), content, embed, changes)
    conditions = await _merged_conditions(conditions, content.conditions, embed, changes)
    new = [*_bare(steps_of(resolution)), *(each.text for each in content.extensions)]
    contradictions = await anyio.to_thread.run_sync(_contradictions, extended, new, steps)
    changes += contradictions
    if contradictions and judgement == "positive":
        changes.append("Left the confidence as it is: a new step contradicts one of the skill.")
        judgement = "neutral"
    confidence = _moved(skill.confidence, judgement, changes)
    unused = unused_of(content, missing, resolution)
    if not changes:
        reason = "" if unused else ": the skill already says all that the conversation and the feedback tell"
        changes.append(f"Changed nothing{reason}.")
    changed, left = tuple(await _redacted(changes)), tuple(await _redacted(unused))
    return Refinement(resolution, conditions, keywords, confidence, judgement, changed, left)


def _moved(before: float, judgement: Judgement, changes: list[str]) -> float:
    """Return the confidence after a judgement."""
    confidence = confidence_after(before, judgement)
    if confidence != before:
        verb = "Raised" if confidence > before else "Lowered"
        changes.append(f"{verb} the confidence from {before:g} to {confidence:g}.")
    return confidence


def _contradictions(before: str, after: Sequence[str], learned: Sequence[str]) -> list[str]:
    """Return a sentence about each step `after` a refinement that contradicts one from `before`.

    Opposite steps of one conversation are a procedure: something is turned off, then on.
    """
    kept = _bare(steps_of(before))
    found = {
        step: known
        for step in after
        for known in kept
        if step not in kept and contradict(step, known) and not any(contradict(step, other) for other in learned)
    }
    return [
        f"The new step “{quoted(step)}” contradicts the step “{quoted(known)}”: "
        "both are kept, and somebody has to decide which one is right."
        for step, known in found.items()
    ]


def _bare(steps: Sequence[str]) -> list[str]:
    return [_CASE.sub("", step) for step in steps]


_CASE = re.compile(r"(?:If|When|While) [^:.!?\n]{3,160}: (?=[A-Z])")
"""What introduces steps for another case: "If that does not help: "."""


async def _redacted(texts: Iterable[str]) -> list[str]:
    """Return the texts, redacted in a thread."""
    return await anyio.to_thread.run_sync(lambda: [redact(text) for text in texts])


def _counted(judgement: Judgement, feedback: str, changes: list[str], *, related: bool, repeated: bool) -> Judgement:
    """Return the judgement of feedback and conversation as far as it counts; `changes` gets the reason if it does not."""
    blamed = judgement == "negative" and bool(feedback.strip())
    if judgement == "neutral" or blamed:
        return judgement
    if not related:
        changes.append("Left the confidence as it is: the conversation is about another problem.")
        return "neutral"
    if repeated and judgement == "positive":
        changes.append("Left the confidence as it is: the same conversation was counted before.")
        return "neutral"
    return judgement


async def _is_related(skill: RefinableSkill, learned: ExtractedSkill, embed: Embed) -> bool:
    """Return whether a conversation has a problem or steps similar to those of a skill."""
    rows = await embed([skill.problem, learned.problem, skill.resolution, learned.resolution])
    return max(float(rows[0] @ rows[1]), float(rows[2] @ rows[3])) >= RELATED


def _of_other_case(limits: Sequence[str], skill: RefinableSkill, content: FeedbackContent) -> str:
    """Return the case for which steps are that the skill does not have: by the feedback, or else by a clause with "when"."""
    known = frozenset(terms(f"{skill.problem} {' '.join(skill.conditions)}"))
    clauses = (text for text in limits if _CLAUSE.match(text) is not None and not frozenset(terms(text)) <= known)
    return content.case or next(clauses, "")


_CLAUSE = re.compile(r"(?i)(?:if|when|while)\b")


async def _with_lesson(
    skill: RefinableSkill,
    learned: ExtractedSkill,
    resolution: str,
    content: FeedbackContent,
    embed: Embed,
    changes: list[str],
) -> tuple[str, tuple[str, ...]]:
    """Return a resolution and the conditions of its skill with the steps and the limits that a conversation teaches."""
    # A condition that a step states itself is one of that step.
    limits = [text for text in learned.conditions if text.casefold() not in learned.resolution.casefold()]
    of_steps = _of_other_case(limits, skill, content)
    resolution, used = await _merged_steps(resolution, steps_of(learned.resolution), embed, changes, of_steps)
    limits = [text for text in limits if not used or text != of_steps]
    return resolution, await _merged_conditions(skill.conditions, limits, embed, changes)


async def _merged_steps(
    before: str, learned: Sequence[str], embed: Embed, changes: list[str], case: str
) -> tuple[str, bool]:
    """Return the steps with those learned, and whether a `case` introduces the new ones, which are an alternative."""
    steps = list(steps_of(before))
    new, same = await _units(await _redacted(learned), steps, embed)
    room = MAX_STEPS - len(steps)
    added = [step for step, counterpart in zip(new, same, strict=True) if counterpart is None]
    if not added:
        return before, False
    prefix = ""
    kept = set(range(len(new))) if len(added) <= room else _first_new(same, room)
    if len(added) > room:
        changes.append(_left_out(len(added) - max(0, room), "step", MAX_STEPS))
    if all(counterpart is None for counterpart in same):
        wanted = [step for number, step in enumerate(new) if number in kept]
        # A step with a condition of its own says when it is to be followed.
        if wanted and _CONDITIONAL.match(wanted[0]) is None:
            prefix = f"{case}: " if case else _ALTERNATIVE
        merged = [*steps, *(f"{prefix if at == 0 else ''}{step}" for at, step in enumerate(wanted))]
    else:
        merged = _woven(steps, new, same, kept)
    changes += (f"Added the step “{quoted(new[at])}”" for at in sorted(kept) if same[at] is None)
    return numbered(merged), bool(case and prefix)


async def _units(new: Sequence[str], steps: Sequence[str], embed: Embed) -> tuple[list[str], list[int | None]]:
    """Return the new steps, and for each the position of the step with the same meaning, None if there is none.

    A step that tells several things, some of which are known, is returned in parts.
    """
    known = [(at, text) for at, step in enumerate(_bare(steps)) for text in dict.fromkeys((step, *parts_of(step)))]
    fresh = [(at, text) for at, step in enumerate(new) for text in dict.fromkeys((step, *parts_of(step)))]
    same = await _counterparts([text for _, text in fresh], [text for _, text in known], embed)
    found = [None if at is None else known[at][0] for at in same]
    texts: list[str] = []
    places: list[int | None] = []
    for at, step in enumerate(new):
        whole, *parts = [(text, place) for (number, text), place in zip(fresh, found, strict=True) if number == at]
        if whole[1] is not None or all(place is None for _, place in parts):
            parts = [whole]
        for text, place in parts:
            if place is None and texts and places[-1] is None and len(parts) > 1 and parts[0][0] != text:
                texts[-1] = f"{texts[-1].rstrip('.')}. {_sentence(text)}"
            else:
                texts.append(step if len(parts) == 1 else _sentence(text))
                places.append(place)
    return texts, places


async def _with_additions(
    before: str, numbered_steps: Sequence[str], content: FeedbackContent, embed: Embed, changes: list[str]
) -> str:
    """Return a resolution with the steps that feedback tells, each beside the step that it names.

    The feedback counts the `numbered_steps`, to which the conversation may have added others.
    """
    steps = list(steps_of(before))
    same = await _counterparts([addition.step for addition in content.additions], steps, embed)
    said = [frozenset(terms(step)) for step in steps]
    for addition, counterpart in zip(content.additions, same, strict=True):
        words = frozenset(terms(addition.step))
        if counterpart is not None or any(words <= each for each in said):
            continue
        deed = addition.step.removeprefix(f"{content.case}, ") if content.case else addition.step
        if deed != addition.step and f"{content.case}: " in before and is_said(frozenset(terms(deed)), said):
            continue
        if len(steps) == MAX_STEPS:
            changes.append(_left_out(1, "step", MAX_STEPS))
            continue
        steps.insert(place_of(_renumbered(addition, numbered_steps, steps), steps), addition.step)
        changes.append(f"Added the step “{quoted(addition.step)}” from the feedback.")
    return before if len(steps) == len(said) else numbered(steps)


def _renumbered(addition: Addition, before: Sequence[str], after: Sequence[str]) -> Addition:
    """Return an addition with the number that its step has among the steps after a refinement."""
    if addition.number is None or not 0 < addition.number <= len(before) or before[addition.number - 1] not in after:
        return addition
    return replace(addition, number=after.index(before[addition.number - 1]) + 1)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.!?…' else '.'}"


def _left_out(number: int, kind: str, most: int) -> str:
    """Return the sentence about new parts for which a skill has no room; what it has is kept."""
    parts = f"1 new {kind} was" if number == 1 else f"{number} new {kind}s were"
    return f"{parts} left out, because a skill has at most {most} {kind}s."


def _first_new(same: Sequence[int | None], room: int) -> set[int]:
    """Return the positions of the steps that fit: all known ones, and the first `room` new ones."""
    fresh = [number for number, counterpart in enumerate(same) if counterpart is None][: max(0, room)]
    return {number for number, counterpart in enumerate(same) if counterpart is not None} | set(fresh)


def _woven(steps: Sequence[str], new: Sequence[str], same: Sequence[int | None], kept: set[int]) -> list[str]:
    """Return the steps, each new one after the step that it followed or before the one that it preceded."""
    following: dict[int, list[str]] = {}
    first_known = next(counterpart for counterpart in same if counterpart is not None)
    last = first_known - 1
    for number, (step, counterpart) in enumerate(zip(new, same, strict=True)):
        if counterpart is not None:
            last = max(last, counterpart)
        elif number in kept:
            following.setdefault(last, []).append(step)
    merged = list(following.get(-1, []))
    for number, step in enumerate(steps):
        merged += (step, *following.get(number, []))
    return merged


async def _merged_conditions(
    before: tuple[str, ...], learned: Sequence[str], embed: Embed, changes: list[str]
) -> tuple[str, ...]:
    new = await _redacted(condition for condition in learned if condition.casefold() not in map(str.casefold, before))
    same = await _counterparts(new, before, embed)
    added = [condition for condition, counterpart in zip(new, same, strict=True) if counterpart is None]
    room = max(0, MAX_CONDITIONS - len(before))
    if len(added) > room:
        changes.append(_left_out(len(added) - room, "condition", MAX_CONDITIONS))
    added = added[:room]
    changes += (f"Added the condition “{quoted(condition)}”" for condition in added)
    return (*before, *added)


def _merged_keywords(before: tuple[str, ...], learned: Sequence[str], changes: list[str]) -> tuple[str, ...]:
    known = {stem(word.casefold()) for word in before}
    added = [word for word in learned if stem(word.casefold()) not in known]
    added = added[: max(0, MAX_KEYWORDS - len(before))]
    if added:
        changes.append(f"Added the keyword{'s' if len(added) > 1 else ''} {', '.join(added)}.")
    return (*before, *added)


async def _counterparts(new: Sequence[str], known: Sequence[str], embed: Embed) -> list[int | None]:
    """Return for each new text the position of the known one with the same meaning, None if there is none."""
    if not new or not known:
        return [None] * len(new)
    rows = await embed([*known, *new])
    cosines = rows[len(known) :] @ rows[: len(known)].T
    found: list[int | None] = []
    for number, text in enumerate(new):
        order = sorted(range(len(known)), key=lambda at, number=number: -float(cosines[number, at]))
        close = (at for at in order if is_same(text, known[at], float(cosines[number, at])))
        found.append(next(close, None))
    return found
