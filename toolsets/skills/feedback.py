"""What feedback tells besides praise and blame: steps that a skill lacks, corrections of its steps, and its limits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.bm25 import terms
from toolsets.skills.extraction.instructions import finished, plain
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.model import MAX_CONDITION, MAX_STEP, cut
from toolsets.skills.extraction.orders import clean_turns
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.sentences import sentences
from toolsets.skills.extraction.steps import steps_in
from toolsets.skills.redaction import redact
from toolsets.skills.transcript import Turn

_LEXICON = lexicon("feedback")
_MISSING = re.compile(rf"(?i)^\W*{_LEXICON.any_of('missing')}\s*(?P<told>\S.*)", re.DOTALL)
_CORRECTION = re.compile(rf"(?i)^\W*{_LEXICON.any_of('correction')}\s*(?P<told>\S.*)", re.DOTALL)
_RESTRICTION = re.compile(rf"(?i)^\W*(?P<limit>{_LEXICON.any_of('restriction')} [^.!?]{{2,160}})")
_STEP = re.compile(r"(?i)\bstep (?P<step>\d{1,2})\b")
_INSTEAD = re.compile(r"(?i)\b(?:instead of|rather than|not) (?P<what>[^.!?,;]{1,80})")
_ON = re.compile(
    r"(?P<scope>(?:On|With|For|In) (?:[\w.-]+ ){0,3}?(?:\w*\d[\w.-]*|[A-Z][\w.-]+)) (?P<told>[a-z].*)", re.DOTALL
)
_PLACE = re.compile(r"(?i)\b(?P<side>after|before) (?P<what>[^.!?,;]{3,80})")
_FIRST = re.compile(r"(?i)\b(?:first(?: of all)?|at the beginning|to begin with)\b")
_ABOUT_SKILL = _LEXICON.pattern("about_skill")
_JOINED = _LEXICON.pattern("joined")
MAX_TOLD: Final = 10
"""The most steps that are taken from one feedback."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A step that feedback tells, with the words of the step beside which it belongs."""

    step: str
    beside: str = ""
    before: bool = False
    number: int | None = None
    """The number of that step."""


@dataclass(frozen=True, slots=True)
class Told:
    """The steps and conditions that feedback tells."""

    additions: tuple[Addition, ...] = ()
    conditions: tuple[str, ...] = ()


NOTHING_TOLD: Final = Told()


def told_by(feedback: str) -> Told:
    """Return what feedback tells of a skill, redacted; nothing if it has an instruction to a program."""
    whole = Turn("other", redact(feedback))
    if clean_turns([whole]) != [Turn("other", whole.text.strip())]:
        return Told()
    additions: list[Addition] = []
    conditions: list[str] = []
    for sentence in sentences(whole.text):
        text = plain(sentence.text)
        if sentence.kind == "code" or text.endswith("?"):
            continue
        if (limit := _RESTRICTION.match(text)) is not None:
            conditions.append(cut(_capital(limit["limit"].strip(" ,;")), MAX_CONDITION))
        else:
            additions += _additions(text)
    return Told(tuple(additions[:MAX_TOLD]), tuple(conditions[:MAX_TOLD]))


def _additions(text: str) -> list[Addition]:
    if (missing := _MISSING.match(text)) is not None:
        return [_placed(cut(finished(missing["told"]), MAX_STEP))]
    if (correction := _CORRECTION.match(text)) is not None:
        step = cut(finished(correction["told"]), MAX_STEP)
        number = correction["step"]
        return [_corrected(f"Correction: {step}", None if number is None else int(number))]
    if (scoped := _ON.match(text)) is not None and steps_in(finished(scoped["told"])):
        return [_corrected(finished(f"{scoped['scope']}, {scoped['told']}"), None)]
    if _ABOUT_SKILL.search(text) is not None or _JOINED.search(text) is None or outcome_of(text) != "none":
        return []
    found = steps_in(text)
    return [_corrected(step, None) if _INSTEAD.search(step) else _placed(step) for step in found]


def _corrected(step: str, number: int | None) -> Addition:
    """Return a step that belongs after the one that it corrects."""
    instead = _INSTEAD.search(step)
    return Addition(step, beside=instead["what"] if instead is not None else step, number=number)


def _placed(step: str) -> Addition:
    if (at := _PLACE.search(step)) is not None:
        numbered = _STEP.search(at["what"])
        number = None if numbered is None else int(numbered["step"])
        return Addition(step, beside=at["what"], before=at["side"].lower() == "before", number=number)
    return Addition(step, before=_FIRST.search(step) is not None)


def place_of(addition: Addition, steps: Sequence[str]) -> int:
    """Return the position at which a step is inserted: beside the one that it names, else first or last."""
    at = addition.number - 1 if addition.number is not None else _alike(addition.beside, steps)
    if at is None or not 0 <= at < len(steps):
        return 0 if addition.before and not addition.beside else len(steps)
    return at if addition.before else at + 1


def _alike(words: str, steps: Sequence[str]) -> int | None:
    """Return the position of the step that has most of the words, the first of equal ones; None if no step has any."""
    wanted = frozenset(terms(words))
    shared = [len(wanted.intersection(terms(step))) for step in steps]
    return shared.index(max(shared)) if shared and max(shared) > 0 else None


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
