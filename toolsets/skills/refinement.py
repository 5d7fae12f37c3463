"""Refines a skill by another conversation and feedback: new parts are added, and what was there is kept."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from toolsets.bm25 import stem
from toolsets.skills.confidence import Judgement, changed_by, judge
from toolsets.skills.extraction.markup import code_spans
from toolsets.skills.extraction.model import (
    MAX_CONDITIONS,
    MAX_KEYWORDS,
    MAX_STEPS,
    ExtractedSkill,
    cut,
    numbered,
    steps_of,
)
from toolsets.skills.extraction.outcomes import Outcome
from toolsets.skills.redaction import redact

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[NDArray[numpy.float32]]]"
"""Returns one row of unit norm for each text."""

SAME_MEANING: Final = 0.88
"""The cosine from which two steps or conditions count as the same. With the default embedder 9 of 12 pairs of paraphrases
reach it; of 15 pairs of different steps, those that reach it differ in a number or an opposite, which `differ` finds. A
miss only repeats a step in other words."""
_OPPOSITES: Final = tuple(
    (frozenset(one.split("/")), frozenset(other.split("/")))
    for one, other in map(
        str.split,
        """
        on off
        in out
        up down
        left right
        first last
        before after
        more less
        old new
        do don't
        always never
        open close
        start stop
        show hide
        add/create/install/reinstall remove/delete/uninstall
        enable/activate/enabled disable/deactivate/disabled
        allow/unblock/accept block/deny/reject
        increase/raise decrease/lower/reduce
        check/select/tick uncheck/deselect/untick
        connect/plug/attach disconnect/unplug/detach
        mount unmount
        mute unmute
        lock unlock
        subscribe unsubscribe
        upgrade/update downgrade
        import export
        upload download
        encrypt decrypt
        maximum minimum
        public private
        """.strip().splitlines(),
    )
)
"""Pairs of opposites: two texts differ in meaning if each has another side of a pair."""
_NEGATION: Final = frozenset("not don't never without no cannot can't".split())
_TOKEN = re.compile(r"[\w'’.:/\\-]*\w")
RELATED: Final = 0.25
"""The cosine of problems or of steps from which a conversation counts as one about a skill. With the default embedder 80 % of the
pairs of unlike skills from one field stay below it. A miss leaves the confidence as it is."""
_QUOTE_SIZE: Final = 120
_ALTERNATIVE: Final = "If that does not help: "


class Document(Protocol):
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


@dataclass(frozen=True, slots=True)
class Refinement:
    """The fields of a skill after its refinement, the judgement of the skill, and sentences that describe the changes."""

    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    confidence: float
    judgement: Judgement
    changes: tuple[str, ...]


async def refine(
    skill: Document,
    learned: ExtractedSkill | None,
    feedback: str,
    embed: Embed,
    *,
    outcome: Outcome = "none",
    repeated: bool = False,
) -> Refinement:
    """Return the refinement of a skill by a conversation and feedback.

    `learned` is the skill that the conversation teaches, None if it teaches none; `outcome` is how it ended, and counts
    only without feedback. A conversation about another problem moves the confidence only by negative feedback, and a
    `repeated` one, from which the skill was learned or refined before, does not raise it. A step with the same meaning as an
    existing one is not added; a new step is inserted after the step that it followed. If no step is the same, the new steps
    are appended as an alternative. Raises the errors of `embed`.
    """
    changes: list[str] = []
    judgement = await _judgement(skill, learned, feedback, embed, changes, outcome=outcome, repeated=repeated)
    confidence = changed_by(skill.confidence, judgement)
    resolution, conditions, keywords = skill.resolution, skill.conditions, skill.keywords
    if learned is not None:
        resolution = await _merged_steps(skill.resolution, learned.resolution, embed, changes)
        conditions = await _merged_conditions(skill.conditions, learned.conditions, embed, changes)
        keywords = _merged_keywords(skill.keywords, learned.keywords, changes)
    if confidence != skill.confidence:
        verb = "Raised" if confidence > skill.confidence else "Lowered"
        changes.append(f"{verb} the confidence from {skill.confidence:g} to {confidence:g}.")
    if not changes:
        changes.append("Changed nothing: the skill already says all that the conversation and the feedback tell.")
    return Refinement(resolution, conditions, keywords, confidence, judgement, tuple(map(redact, changes)))


async def _judgement(
    skill: Document,
    learned: ExtractedSkill | None,
    feedback: str,
    embed: Embed,
    changes: list[str],
    *,
    outcome: Outcome,
    repeated: bool,
) -> Judgement:
    """Return the judgement of feedback and conversation as far as it counts; `changes` gets the reason if it does not."""
    judgement = judge(feedback, outcome)
    blamed = judgement == "negative" and bool(feedback.strip())
    if judgement == "neutral" or blamed:
        return judgement
    if learned is not None and not await _is_related(skill, learned, embed):
        changes.append("Left the confidence as it is: the conversation is about another problem.")
        return "neutral"
    if repeated and judgement == "positive":
        changes.append("Left the confidence as it is: the same conversation was counted before.")
        return "neutral"
    return judgement


async def _is_related(skill: Document, learned: ExtractedSkill, embed: Embed) -> bool:
    """Return whether a conversation has a problem or steps similar to those of a skill."""
    rows = await embed([skill.problem, learned.problem, skill.resolution, learned.resolution])
    return max(float(rows[0] @ rows[1]), float(rows[2] @ rows[3])) >= RELATED


async def _merged_steps(before: str, learned: str, embed: Embed, changes: list[str]) -> str:
    steps = list(steps_of(before))
    new = [redact(step) for step in steps_of(learned)]
    same = await _counterparts(new, [step.removeprefix(_ALTERNATIVE) for step in steps], embed)
    room = MAX_STEPS - len(steps)
    added = [step for step, counterpart in zip(new, same, strict=True) if counterpart is None]
    if not added:
        return before
    kept = set(range(len(new))) if len(added) <= room else _first_new(same, room)
    if len(added) > room:
        changes.append(_left_out(len(added) - max(0, room), "step", MAX_STEPS))
    if all(counterpart is None for counterpart in same):
        wanted = [step for number, step in enumerate(new) if number in kept]
        merged = [*steps, *(f"{_ALTERNATIVE if at == 0 else ''}{step}" for at, step in enumerate(wanted))]
    else:
        merged = _woven(steps, new, same, kept)
    changes += (f"Added the step “{_quoted(new[at])}”" for at in sorted(kept) if same[at] is None)
    return numbered(merged)


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
    behind: dict[int, list[str]] = {}
    first_known = next(counterpart for counterpart in same if counterpart is not None)
    last = first_known - 1
    for number, (step, counterpart) in enumerate(zip(new, same, strict=True)):
        if counterpart is not None:
            last = max(last, counterpart)
        elif number in kept:
            behind.setdefault(last, []).append(step)
    merged = list(behind.get(-1, []))
    for number, step in enumerate(steps):
        merged += (step, *behind.get(number, []))
    return merged


async def _merged_conditions(
    before: tuple[str, ...], learned: Sequence[str], embed: Embed, changes: list[str]
) -> tuple[str, ...]:
    new = [redact(condition) for condition in learned if condition.casefold() not in map(str.casefold, before)]
    same = await _counterparts(new, before, embed)
    added = [condition for condition, counterpart in zip(new, same, strict=True) if counterpart is None]
    room = max(0, MAX_CONDITIONS - len(before))
    if len(added) > room:
        changes.append(_left_out(len(added) - room, "condition", MAX_CONDITIONS))
    added = added[:room]
    changes += (f"Added the condition “{_quoted(condition)}”" for condition in added)
    return (*before, *added)


def _merged_keywords(before: tuple[str, ...], learned: Sequence[str], changes: list[str]) -> tuple[str, ...]:
    known = {stem(word.casefold()) for word in before}
    added = [word for word in map(redact, learned) if stem(word.casefold()) not in known]
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
        close = (at for at in order if _is_same(text, known[at], float(cosines[number, at])))
        found.append(next(close, None))
    return found


def _is_same(one: str, other: str, cosine: float) -> bool:
    if " ".join(one.casefold().split()) == " ".join(other.casefold().split()) and _code(one) == _code(other):
        return True
    return cosine >= SAME_MEANING and not differ(one, other)


def differ(one: str, other: str) -> bool:
    """Return whether two similar texts differ in meaning: by opposites, a "not" in one, other numbers or other code."""
    code, other_code = _code(one), _code(other)
    if code and other_code and code != other_code:
        return True
    words, others = _words(one), _words(other)
    if bool(words & _NEGATION) != bool(others & _NEGATION):
        return True
    figures, other_figures = _figures(one), _figures(other)
    if figures and other_figures and figures.isdisjoint(other_figures):
        return True
    only, only_other = words - others, others - words
    return any(
        (only & left and only_other & right) or (only & right and only_other & left) for left, right in _OPPOSITES
    )


def _code(text: str) -> frozenset[str]:
    """Return the commands, options and paths in a text, as written: in backticks, in lines of their own, or in prose."""
    spans = [text[start:stop].strip("`") for start, stop in code_spans(text)]
    spans += [line.strip() for line in text.split("\n")[1:] if line.strip()]
    found = (match.group().rstrip(".,;:!?)\"'") for part in (*spans, text) for match in _LITERAL.finditer(part))
    return frozenset(filter(None, (*spans, *found)))


_LITERAL = re.compile(r"(?<!\S)(?:--?[A-Za-z][\w-]*|(?:[~.]{0,2}/|[A-Za-z]:\\)\S+|\S*\*\S*)")


def _words(text: str) -> frozenset[str]:
    return frozenset(match.group().casefold().replace("’", "'").strip(".:'") for match in _TOKEN.finditer(text))


def _figures(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if any(c.isdigit() for c in word))


def _quoted(text: str) -> str:
    """Return the first line of a text, shortened for a quotation."""
    return cut(text.split("\n", 1)[0].strip(), _QUOTE_SIZE)
