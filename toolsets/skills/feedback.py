"""The content of feedback in addition to its verdict: what a skill and its steps lack, corrections, limits and needless steps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.confidence import HARM, LIMITED_BLAME, is_verdict
from toolsets.skills.edit_requests import asks_to_edit, said_in_note
from toolsets.skills.extraction.instructions import as_sentence, plain
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.model import MAX_CONDITION, MAX_STEP, cut
from toolsets.skills.extraction.orders import clean_turns
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.scopes import capital
from toolsets.skills.extraction.sentences import sentences
from toolsets.skills.extraction.steps import steps_in
from toolsets.skills.form_answers import after_empty_answer, names_nothing
from toolsets.skills.needless_steps import PLEASE, needless_steps, step_numbers
from toolsets.skills.redaction import redact
from toolsets.skills.reported_steps import (
    MAX_CASE,
    case_of,
    deed_that_helped,
    for_some,
    needed_too,
    renamed_in,
    unwanted_condition,
)
from toolsets.skills.transcript import Turn

_LEXICON = lexicon("feedback")
_MISSING = re.compile(rf"(?i)^\W*{_LEXICON.any_of('missing')}\s*(?P<content>\S.*)", re.DOTALL)
_CORRECTION = re.compile(rf"(?i)^\W*{_LEXICON.any_of('correction')}\s*(?P<content>\S.*)", re.DOTALL)
_RESTRICTION = re.compile(
    rf"(?i)\W{{0,9}}(?:(?:it|that) )?(?P<limit>{_LEXICON.any_of('restriction')} (?:[^.!?]|\.(?=\w)){{2,160}})"
)
_CONDITION = re.compile(
    rf"(?i)\W*{PLEASE}(?:add|include|mention|state) (?:an?|another|the|this) {_LEXICON.any_of('limit')}\s*:\s*"
    r"(?P<limit>[^.!?\s](?:[^.!?]|\.(?=\w)){2,160})\W*"
)
"""A condition that someone asks to add."""
_WHOLE = re.compile(rf"(?i){_LEXICON.any_of('whole')}")
_STEP = re.compile(r"(?i)\bstep (?P<step>[1-9]\d?)\b")
_INSTEAD = re.compile(r"(?i)\b(?:instead of|rather than|not) (?P<what>[^.!?,;]{1,80})")
_ON = re.compile(
    r"(?P<scope>(?:On|With|For|In) (?:[\w.-]+ ){0,3}?(?:\w*\d[\w.-]*|[A-Z][\w.-]+)) (?P<content>[a-z].*)", re.DOTALL
)
_PLACE = re.compile(r"(?i)\b(?P<side>after|before) (?P<what>[^.!?,;]{3,80})")
_FIRST = re.compile(r"(?i)\b(?:first(?: of all)?|at the beginning|to begin with)\b")
_ABOUT_SKILL = _LEXICON.pattern("about_skill")
_JOINED = _LEXICON.pattern("joined")
_REF: Final = rf"(?:in |to |at |for )?(?:the )?(?P<step>{_LEXICON.any_of('step')})"
_EXTENSIONS: Final = tuple(
    re.compile(rf"(?i)\W*{PLEASE}{form}[^\w\]]*$", re.DOTALL)
    for form in (
        rf"{_REF} {_LEXICON.any_of('should_mention')}[ :,]+(?P<content>\S.*?)",
        rf"{_REF}[ :,]+{PLEASE}{_LEXICON.any_of('mention')}[ :,]+(?P<content>\S.*?)",
        rf"{_LEXICON.any_of('mention')} (?=(?:in|to|at|for) ){_REF}[ :,]+(?P<content>\S.*?)",
        rf"{_LEXICON.any_of('mention')}[ :,]+(?P<content>\S.*?) (?=(?:in|to|at|for) ){_REF}",
    )
)
_FORGOTTEN = re.compile(
    rf"(?i)\W*{_LEXICON.any_of('skill')} {_LEXICON.any_of('forgot')}(?:{_LEXICON.any_of('says')}|{_LEXICON.any_of('mention')})"
    rf"(?: {_LEXICON.any_of('reader')})?(?P<that> that\b|\s*:| to\b)\s*(?P<content>\S.*)",
    re.DOTALL,
)
_ADDED = re.compile(rf"(?i)\W*{PLEASE}add(?P<that>(?: a note)? that\b|\s*:)?\s*(?P<content>\S.*)", re.DOTALL)
_SAID = re.compile(
    rf"(?i)\W*{PLEASE}(?:(?P<who>{_LEXICON.any_of('skill')}) {_LEXICON.any_of('ought')} (?:also )?)?"
    rf"(?:(?P<says>{_LEXICON.any_of('says')})|{_LEXICON.any_of('mention')})(?: {_LEXICON.any_of('reader')})?"
    r"(?P<that> that\b|\s*:| to\b)?\s*(?P<content>\S.*)",
    re.DOTALL,
)
"""What the skill should also say: "please also say that ..."."""
_ONE_MUST = re.compile(rf"(?i){_LEXICON.any_of('one_must')}\s+(?=\S)")
_OTHERWISE = re.compile(rf"(?i)^{_LEXICON.any_of('otherwise')}[ ,:]+")
_OPEN_QUESTION = re.compile(rf"(?i){_LEXICON.any_of('open_question')}\b")
_IN_FIRST_PERSON = re.compile(r"(?i)(?:i|we)(?:['’][a-z]{1,2})? ")
_TO_OR_THAT = re.compile(r"(?i)(?:(?:people|them|users|you) )?(?:that|to)\b\s*")
_AT_FIRST = re.compile(r"(?i)^(?:at )?first(?: of all)?,? |,? (?:at )?first(?: of all)?(?=\W*$)")
_LEAD = re.compile(r"(?i)^(?:but|however|except(?: that)?),? ")
_JOINT = re.compile(r"(?i),? (?:although|and|but|except that|however|though)[, ]\s*|;\s+|\s[–—-]\s")
_SENTENCE_END = re.compile(r"[.!?]\s+")
_SHORTEST: Final = 4
"""The fewest characters of what is added to a step."""
MAX_ITEMS: Final = 10
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
class Extension:
    """A sentence that feedback adds to a step of the skill."""

    number: int
    """The number of the step; 0 is the last one."""
    text: str
    first: bool = False
    """Whether it comes before what the step says."""


@dataclass(frozen=True, slots=True)
class FeedbackContent:
    """The content of feedback in addition to its judgement."""

    additions: tuple[Addition, ...] = ()
    conditions: tuple[str, ...] = ()
    extensions: tuple[Extension, ...] = ()
    needless: tuple[int, ...] = ()
    """The numbers of the steps that it calls unnecessary; 0 is the last one."""
    doubted: tuple[int, ...] = ()
    """The numbers of the steps that it says did harm."""
    renamed: tuple[tuple[str, str], ...] = ()
    """The old and the new names of things."""
    unwanted: tuple[str, ...] = ()
    """The conditions that it asks to remove."""
    case: str = ""
    """The case in which the skill did not help, and what helped did: "If the old phone is stolen"."""
    unused: tuple[str, ...] = ()
    """The sentences that are neither a judgement nor any of these."""
    refused: bool = False
    """Whether nothing is taken from it, because it has an instruction to a program."""


NO_CONTENT: Final = FeedbackContent()


def read_feedback(feedback: str) -> FeedbackContent:
    """Return the content of feedback on a skill, redacted; no content if it has an instruction to a program."""
    whole = Turn("other", redact(feedback))
    if not whole.text.strip():
        return NO_CONTENT
    if clean_turns([whole]) != [Turn("other", whole.text.strip())]:
        return FeedbackContent(refused=True)
    found = _Found()
    for sentence in sentences(whole.text):
        for text in _clauses(_LEAD.sub("", plain(sentence.text))):
            if sentence.kind != "code" and (found.reads_limited(text) or found.reads_case(text)):
                continue
            if sentence.kind == "code" or not (found.reads(text) or found.reads_end(text) or _is_verdict(text)):
                found.unused.append(text)
    found.drops_blame()
    return FeedbackContent(
        tuple(found.additions[:MAX_ITEMS]),
        tuple(found.conditions[:MAX_ITEMS]),
        tuple(found.extensions[:MAX_ITEMS]),
        tuple(dict.fromkeys(found.needless))[:MAX_ITEMS],
        tuple(dict.fromkeys(found.doubted))[:MAX_ITEMS],
        tuple(dict.fromkeys(found.renamed))[:MAX_ITEMS],
        tuple(dict.fromkeys(found.unwanted))[:MAX_ITEMS],
        found.case,
        tuple(found.unused),
    )


@dataclass(slots=True)
class _Found:
    """The content of the sentences read so far."""

    additions: list[Addition] = field(default_factory=list[Addition])
    conditions: list[str] = field(default_factory=list[str])
    extensions: list[Extension] = field(default_factory=list[Extension])
    needless: list[int] = field(default_factory=list[int])
    doubted: list[int] = field(default_factory=list[int])
    renamed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unwanted: list[str] = field(default_factory=list[str])
    unused: list[str] = field(default_factory=list[str])
    blame: re.Match[str] | None = None
    """A step that is wrong for some cases, before the sentence that may say what is right for them."""
    case: str = ""

    def reads_limited(self, text: str) -> bool:
        """Read that a step is wrong for some cases, or after that what to do in those."""
        blame = LIMITED_BLAME.match(text)
        content = text if blame is None else text[blame.end() :]
        if blame is not None:
            self.drops_blame()
            self.blame = blame
        if self.blame is None or not content.strip():
            return blame is not None
        step = for_some(self.blame, content)
        if step is None:
            self.drops_blame()
            return False
        number = next(iter(step_numbers(self.blame["step"])), None)
        self.additions.append(Addition(cut(step, MAX_STEP), number=number))
        self.blame = None
        return True

    def reads_case(self, text: str) -> bool:
        """Read in which case the skill did not help, or after that what helped."""
        if (case := case_of(text)) is not None:
            self.case = cut(case, MAX_CASE)
            self.unused.append(text)
            return True
        if self.case and (deed := deed_that_helped(text)) is not None:
            self.additions.append(Addition(cut(f"{self.case}, {deed[0].lower()}{deed[1:]}", MAX_STEP)))
            return True
        return False

    def drops_blame(self) -> None:
        """Leave out that a step is wrong for some cases if nothing says what is right."""
        if self.blame is not None:
            self.unused.append(self.blame.group().strip())
        self.blame = None

    def reads(self, text: str) -> bool:
        """Read a sentence; return whether it tells something."""
        if text.endswith("?"):
            return False
        if (limit := _CONDITION.fullmatch(text) or _RESTRICTION.match(text)) is not None:
            self.conditions.append(cut(capital(limit["limit"].strip(" ,;")), MAX_CONDITION))
        elif self._reads_doubt(text):
            return True
        elif (needed := needed_too(text)) is not None:
            self.additions.append(Addition(cut(needed, MAX_STEP)))
        elif (forgotten := _FORGOTTEN.match(text)) is not None:
            content = _ONE_MUST.sub("", forgotten["content"], count=1)
            return self._reads_added(content, asked=forgotten["that"].strip().lower() != "to")
        elif (extension := _extension(text)) is not None:
            self.extensions.append(extension)
        elif _MISSING.match(text) is None and (added := _ADDED.match(text)) is not None:
            return self._reads_added(added["content"], asked=added["that"] is not None)
        elif _MISSING.match(text) is None and (said := _said(text)) is not None:
            content = _ONE_MUST.sub("", said["content"], count=1)
            return said["that"] is not None and self._reads_added(content, asked=said["that"].strip().lower() != "to")
        elif additions := _additions(text):
            self.additions += additions
        else:
            return False
        return True

    def _reads_doubt(self, text: str) -> bool:
        """Read that steps or conditions are unnecessary, did harm, or have another name."""
        needless = needless_steps(text)
        self.needless += needless
        harm = None if needless else HARM.match(text)
        self.doubted += [] if harm is None else step_numbers(harm["step"])
        return bool(needless) or harm is not None or self._reads_names(text)

    def _reads_names(self, text: str) -> bool:
        """Read a new name, or a condition that is to be removed."""
        names, unwanted = renamed_in(text), unwanted_condition(text)
        self.renamed += [] if names is None else [names]
        if unwanted is not None:
            self.unwanted.append(unwanted[0])
            self.unused += [unwanted[1]] if unwanted[1] and not _is_verdict(unwanted[1]) else []
        return names is not None or unwanted is not None

    def _reads_added(self, content: str, *, asked: bool) -> bool:
        """Read what follows "please add": a limit, an instruction, or with "that" or a colon any sentence."""
        if _RESTRICTION.match(content) is not None:
            return self.reads(content)
        if (step := _step_of(content)) is None or not (asked or steps_in(as_sentence(step))):
            return False
        self.additions.append(_placed(cut(as_sentence(step), MAX_STEP)))
        return True

    def reads_end(self, text: str) -> bool:
        """Read what follows a verdict and a "but" or "and" in a sentence, or a limit after what tells nothing."""
        first = _JOINT.search(text)
        if first is not None and is_verdict(text[: first.start()]) and self.reads(text[first.end() :].strip()):
            return True
        limits = (joint for joint in _JOINT.finditer(text) if _RESTRICTION.match(text, joint.end()) is not None)
        if (joint := next(limits, None)) is None or not self.reads(text[joint.end() :]):
            return False
        if not _is_verdict(text[: joint.start()]):
            self.unused.append(text[: joint.start()])
        return True


def _clauses(text: str) -> list[str]:
    """Return a sentence without a verdict at its beginning, and with a limit at its end as another one."""
    if not (text := _LEAD.sub("", after_empty_answer(text))):
        return []
    end = _SENTENCE_END.search(text)
    if end is not None and is_verdict(text[: end.start()]):
        text = text[end.end() :]
    joint = next((joint for joint in _JOINT.finditer(text) if _WHOLE.match(text, joint.end()) is not None), None)
    return [text] if joint is None else [text[: joint.start()], text[joint.end() :]]


def _is_verdict(text: str) -> bool:
    return _MISSING.match(text) is None and is_verdict(_OTHERWISE.sub("it ", text))


def _is_no_step(content: str) -> bool:
    """Return whether what follows a label or "please add" is nothing that one can do: "none", "how to open it"."""
    asks = _OPEN_QUESTION.match(content) is not None and not steps_in(as_sentence(content))
    return asks or names_nothing(content)


def _step_of(content: str) -> str | None:
    """Return what follows a label or "please add" as a step; None if no one can follow it."""
    if _is_no_step(content) or (said := said_in_note(content)) is None or asks_to_edit(said):
        return None
    if _IN_FIRST_PERSON.match(said) is None:
        return said
    return needed_too(f"after {said}") or (said if steps_in(as_sentence(said)) else None)


def _said(text: str) -> re.Match[str] | None:
    """Return what a sentence asks the skill to say, unless its verb may be a step's: "also write the name on the box"."""
    match = _SAID.match(text)
    if match is None or (match["that"] is None and (match["who"] is not None or match["says"] is None)):
        return None
    return match


def _extension(text: str) -> Extension | None:
    """Return what a sentence adds to a step: "Step 1 should mention that ...", "Add to step 1: ..."."""
    for form in _EXTENSIONS:
        if (match := form.match(text)) is None:
            continue
        [number, *others] = step_numbers(match["step"])
        content = match["content"].strip(" ,;:")
        if others or len(content) < _SHORTEST or _is_no_step(content) or (noted := said_in_note(content)) is None:
            return None
        clause = _TO_OR_THAT.match(content)
        bare = (content[clause.end() :] if clause is not None else content).strip('"“” ')
        said = _AT_FIRST.sub("", bare).strip(" ,.;") or bare
        if clause is None and noted != content:
            said = noted
        elif clause is None and not steps_in(as_sentence(said)):
            said = f"Note: {said}"
        return Extension(number, as_sentence(said), first=clause is not None and said != bare.strip(" ,.;"))
    return None


def _additions(text: str) -> list[Addition]:
    if (missing := _MISSING.match(text)) is not None:
        return (
            [] if (content := _step_of(missing["content"])) is None else [_placed(cut(as_sentence(content), MAX_STEP))]
        )
    if (correction := _CORRECTION.match(text)) is not None:
        if _is_no_step(correction["content"]):
            return []
        step = cut(as_sentence(correction["content"]), MAX_STEP)
        number = correction["step"]
        return [_corrected(f"Correction: {step}", None if number is None else int(number))]
    if (scoped := _ON.match(text)) is not None and steps_in(as_sentence(scoped["content"])):
        return [_corrected(as_sentence(f"{scoped['scope']}, {scoped['content']}"), None)]
    if (
        asks_to_edit(text)
        or _ABOUT_SKILL.search(text) is not None
        or _JOINED.search(text) is None
        or outcome_of(text) != "none"
    ):
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
