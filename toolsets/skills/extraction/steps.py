"""Finds the steps in an answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from toolsets.skills.extraction.command_lines import is_command
from toolsets.skills.extraction.cues import (
    asks_back,
    is_addressed_to_a_machine,
    is_chatter,
    is_refusal,
    without_signature,
)
from toolsets.skills.extraction.instructions import (
    as_sentence,
    asks_for_fact,
    forbidden_instruction,
    forbids_what_follows,
    instruction_in,
    introduction,
    is_hint,
    is_precondition,
    permits,
    plain,
    shows_where,
    wording_of,
)
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.model import MAX_STEP, cut
from toolsets.skills.extraction.scopes import limit_of
from toolsets.skills.extraction.sentences import Kind, Sentence, sentences
from toolsets.skills.extraction.states import requires_state, with_subject
from toolsets.skills.extraction.step_references import with_steps_named

_LEXICON = lexicon("answers")
_LEADS_TO_LIST = re.compile(r"(?i)\b(?:steps|following|as follows|below)\b.{0,30}$")
_LONGEST_LEAD: Final = 44
"""The number of characters at the end of a sentence in which these words are searched."""
_ANNOUNCED = re.compile(
    r"(?i)\b(?:steps?|follow\w*|do|try|procedure|instructions|as follows|here(?:'s| is) (?:how|what)|how to"
    r"|you can|should|please)\b"
)
_CAUSE = re.compile(
    r"(?i)\b(?:because|causes?|caused by|there (?:is|are|was) no|missing|so the|so that|killed|too (?:many|much"
    r"|small|large|big|low|high|long|short)|due to|reason|known (?:issue|bug|problem|limitation)|bug|expired"
    r"|blocked|blocks|conflict|corrupt|outdated|too old|not (?:supported|compatible|enabled|installed|allowed"
    r"|possible)|no longer|limit(?:ed|s)?|defaults? to|by default|means|happens (?:when|if|because)|needs"
    r"|requires|only|(?<!\bi )(?<!\bwe )(?<!\byou )can(?:['’]t|not))\b"
)
_BEFORE_THAT = re.compile(rf"(?i){_LEXICON.any_of('before_that')},? ")
_FIRST_MARKS: Final = frozenset({"1", "a"})
MAX_REMARKS: Final = 2
"""The most sentences of explanation that are kept with a step."""


def steps_in(text: str) -> list[str]:
    """Return the steps of an answer, in order, as instructions; explanations are kept with the step that they follow.

    What an answer forbids is a step with its negation, and what a program printed is left out.
    """
    return StepsOf(text).all()


class StepsOf:
    """The steps of an answer, read as far as they are asked for: of an answer that failed, whether it has one."""

    def __init__(self, text: str) -> None:
        self._unread = _learnable(text)
        self._read = _Steps()

    def any(self) -> bool:
        """Return whether it has steps."""
        while not self._read.found and (learnable := next(self._unread, None)) is not None:
            self._read.add(*learnable)
        return bool(self._read.found)

    def all(self) -> list[str]:
        """Return them, as `steps_in` does."""
        for sentence, bare in self._unread:
            self._read.add(sentence, bare)
        return [cut(step, MAX_STEP) for step in self._read.found]


class Answer:
    """An answer and its steps: those of its text, which are read when they are needed, or given ones."""

    def __init__(self, text: str, steps: Sequence[str] | None = None) -> None:
        self.text = text
        self._steps = StepsOf(text) if steps is None else steps

    @property
    def instructs(self) -> bool:
        """Whether it has steps."""
        return self._steps.any() if isinstance(self._steps, StepsOf) else bool(self._steps)

    @property
    def steps(self) -> Sequence[str]:
        """Its steps, in order."""
        if isinstance(self._steps, StepsOf):
            self._steps = self._steps.all()
        return self._steps


@dataclass(slots=True)
class _Steps:
    """The steps of the part of an answer that has been read."""

    found: list[str] = field(default_factory=list[str])
    lead: list[str] = field(default_factory=list[str])
    """Causes and limits before the first step."""
    said: list[str] = field(default_factory=list[str])
    """All explanations before the first step."""
    heading: str | None = None
    """The instruction just read, if it only announces others."""
    statement: str | None = None
    """The statement just read, if it ends with a colon, so that it may announce code."""
    ban: str | None = None
    """The sentence that forbids what is below it."""
    banned: Kind | None = None
    """What is below that sentence, once it has been read: a list, a paragraph or code."""
    remarks: int = 0
    listing: bool = False
    """Whether the sentence is below one that announces steps."""
    open: bool = False
    """Whether the step just read ends with a colon."""
    last: Kind = "prose"
    introduction: str | None = None
    """The sentence of prose just read as a step, which may introduce a numbered list."""

    def add(self, sentence: Sentence, bare: str) -> None:
        """Read a sentence, whose plain wording is `bare`."""
        if sentence.printed or self._forbids(sentence, bare):
            return
        if sentence.kind == "prose" and is_precondition(bare):
            wording = None if self.found and self.remarks < MAX_REMARKS else as_sentence(bare)
        else:
            wording = wording_of(sentence, bare, listing=self.listing) or self._required(sentence, bare)
        announces = _leads_to_list(sentence.text) and (wording is not None or _ANNOUNCED.search(sentence.text))
        self.listing = (self.listing and sentence.kind == "item") or bool(announces)
        if sentence.mark in _FIRST_MARKS and wording is not None:
            self._introduce()
        self.introduction = None
        heading, statement, opened = self.heading, self.statement, self.open
        self.heading, self.statement, self.open = None, None, False
        if sentence.kind == "code":
            self._add_code(sentence.text, heading, statement, opened=opened)
        elif wording is None:
            self.heading = introduction(bare)
            self._add_remark(sentence, bare)
        elif _is_heading(sentence.text) and sentence.kind == "prose" and not _has_object(wording):
            self.heading = wording
        elif self.found and (match := _BEFORE_THAT.match(wording)) is not None:
            self.found.insert(-1, as_sentence(wording[match.end() :]))
        else:
            self._append(wording, sentence.kind)
            self.open = _is_heading(sentence.text)
            self.introduction = bare if sentence.kind == "prose" else None

    def _required(self, sentence: Sentence, bare: str) -> str | None:
        """Return a sentence about a required state if it is the first step; after a step it explains that one."""
        if self.found or _remark(sentence, bare) is None or not requires_state(bare):
            return None
        # What is said before gives its reason, or what it is about.
        self.lead = self.said
        return as_sentence(bare)

    def _introduce(self) -> None:
        """Keep the sentence before a numbered list with its first item, if it announces the list or only says what is to be done.

        "It has to be freed from behind:" is no step before "1. Unplug it.".
        """
        if self.introduction is not None and (
            _is_heading(self.introduction) or instruction_in(self.introduction) is None
        ):
            self.lead = [self.found.pop()]

    def _append(self, step: str, kind: Kind) -> None:
        self.found.append(" ".join((*self.lead[-MAX_REMARKS:], step)))
        self.lead.clear()
        self.remarks, self.last = 0, kind

    def _add_code(self, code: str, heading: str | None, statement: str | None, *, opened: bool) -> None:
        """Add a line of code: to what announces it, to the last step, or as a step."""
        if heading is not None:
            self._append(with_code(heading, code), "code")
        elif statement is not None and (not self.found or (is_command(code) and statement.endswith(":"))):
            if self.lead[-1:] == [as_sentence(statement)]:
                self.lead.pop()
            self._append(with_code(as_sentence(_JOINED.sub("", statement)).rstrip(".") + ":", code), "code")
        elif self.found and statement is not None and statement.endswith(":"):
            said = f"{self.found[-1]}{' ' if self.last == 'prose' else chr(10)}{statement}"
            self.found[-1] = with_code(said, code)
        elif self.found and (self.last == "code" or opened or not _is_own_step(code, self.found[-1])):
            self.found[-1] = with_code(self.found[-1], code)
        else:
            self._append(code, "code")
        self.last = "code"

    def _add_remark(self, sentence: Sentence, bare: str) -> None:
        """Add an explanation to the step that it follows; a statement with a colon is kept until the next sentence."""
        self.statement = _statement(sentence, bare)
        if (remark := _remark(sentence, bare)) is None:
            return
        if self.found and self.remarks < MAX_REMARKS and len(self.found[-1]) + len(remark) < MAX_STEP:
            self.found[-1] += (
                "\n" if "code" in {sentence.kind, self.last} or sentence.kind == "item" else " "
            ) + remark
            self.last = sentence.kind
            self.remarks += 1
        elif not self.found:
            self.said.append(remark)
            if _CAUSE.search(remark) is not None or limit_of(remark) is not None:
                self.lead.append(remark)

    def _forbids(self, sentence: Sentence, bare: str) -> bool:
        """Return whether a sentence forbids what is below it, or is below such a one; what it forbids becomes a step."""
        if self.ban is not None and self._is_banned(sentence):
            self._add_ban(sentence, bare)
            return True
        self.ban, self.banned = None, None
        if sentence.kind != "prose" or not forbids_what_follows(bare):
            return False
        self.ban = bare.rstrip(": ")
        self.heading, self.statement, self.listing, self.open = None, None, False, False
        return True

    def _is_banned(self, sentence: Sentence) -> bool:
        """Return whether a sentence is below a prohibition: in its list, in its paragraph or in its lines of code."""
        if sentence.kind != "code" and permits(sentence.text):
            return False
        goes_on = sentence.kind == self.banned and sentence.kind != "prose"
        return self.banned is None or goes_on or not sentence.starts

    def _add_ban(self, sentence: Sentence, bare: str) -> None:
        first, self.banned = self.banned is None, sentence.kind
        if sentence.kind != "code" and (step := forbidden_instruction(bare)) is not None:
            self._append(step, sentence.kind)
        elif not first and sentence.kind == "prose":
            self._add_remark(sentence, bare)
        else:
            line = sentence.text if sentence.kind == "code" else f"- {bare}"
            if first or not self.found:
                self._append(f"{as_sentence(str(self.ban)).rstrip('.')}:", sentence.kind)
            self.found[-1] = with_code(self.found[-1], line)
            self.last = "code"


def _statement(sentence: Sentence, text: str) -> str | None:
    """Return a statement that may announce code, such as "It has the following format:" or a caption."""
    if sentence.kind == "caption":
        return text
    announces = _is_heading(text) or _FOLLOWS.search(text) is not None
    unfit = is_chatter(text) or is_refusal(text) or asks_back(text) or _HERE.match(text) is not None
    if unfit or not announces or len(text.split()) < _FEWEST_WORDS - (sentence.kind == "item"):
        return None
    return text


_FOLLOWS = re.compile(rf"(?i)\b{_LEXICON.any_of('following')}\b[^.!?]*\.$")
_JOINED = re.compile(r"(?i)^(?:and|but|or|so),? ")
_HERE = re.compile(r"(?i)here\b")
_FEWEST_WORDS: Final = 2
"""A single word above a list is rather a label than a step."""


def _is_own_step(code: str, before: str) -> bool:
    """Return whether a command is a step of its own, because the step before it names nothing to run or to write."""
    return is_command(code) and not before.endswith(":") and _CARRIES_CODE.search(before) is None


_CARRIES_CODE = re.compile(rf"(?i)\b{_LEXICON.any_of('carries_code')}\b|\n")


def instructions_in(text: str) -> int:
    """Return the number of sentences in an answer that are instructions."""
    return sum(sentence.kind != "code" and instruction_in(bare) is not None for sentence, bare in _learnable(text))


def explanation_in(text: str) -> list[str]:
    """Return the explanations in an answer, without its instructions."""
    found: list[str] = []
    statement: str | None = None
    for sentence, bare in _learnable(text):
        if sentence.printed:
            continue
        remark = _remark(sentence, bare)
        if remark is not None and sentence.kind == "code" and (statement or found):
            found.append(with_code(f"{as_sentence(statement).rstrip('.')}:" if statement else found.pop(), remark))
        elif remark is not None:
            found.append(remark)
        statement = None if remark is not None else _statement(sentence, bare)
    return found


def as_text(parts: Sequence[str]) -> str:
    """Return explanations as one text; after code it goes on in another line."""
    return "".join(f"{part}{chr(10) if chr(10) in part else ' '}" for part in parts).strip()


def _learnable(text: str) -> Iterator[tuple[Sentence, str]]:
    """Yield the sentences that are not instructions to a program, each with its plain wording."""
    said = with_steps_named(list(without_signature(sentences(text))))
    before, asked, questioned = "", False, False
    for sentence in said:
        hints = (asked and is_hint(sentence.text)) or (questioned and shows_where(sentence.text))
        questioned = sentence.kind == "prose" and sentence.text.endswith("?")
        asked = questioned and asks_for_fact(sentence.text)
        if hints:
            continue
        bare = with_subject(plain(sentence.text), before) if sentence.kind == "prose" else plain(sentence.text)
        before = bare if sentence.kind == "prose" else ""
        if bare and not is_addressed_to_a_machine(bare):
            yield sentence, bare


def _remark(sentence: Sentence, text: str) -> str | None:
    """Return a sentence if it explains something: no courtesy, no question, nothing about the conversation itself."""
    unfit = is_chatter(text) or is_refusal(text) or asks_back(text) or text.endswith("?")
    if unfit or len(text) < 12 or sentence.kind == "caption" or (sentence.kind == "prose" and text.endswith(":")):
        return None
    return sentence.text if sentence.kind == "code" else f"- {text}" if sentence.kind == "item" else as_sentence(text)


def with_code(step: str, code: str) -> str:
    """Return a step with another line of code; a step that is too long already is cut at its end, so it gets none."""
    if len(step) > MAX_STEP:
        return step
    return f"{step if chr(10) in step else announcement(step)}\n{code}"


def announcement(step: str) -> str:
    """Return a sentence with a colon at its end, unless it is a command or ends with another mark."""
    if step.endswith("."):
        return f"{step[:-1]}:"
    return f"{step}:" if step.endswith((")", "”", '"', "`")) and not is_command(step) else step


def _leads_to_list(text: str) -> bool:
    return _is_heading(text) or _LEADS_TO_LIST.search(text, max(0, len(text) - _LONGEST_LEAD)) is not None


def _is_heading(text: str) -> bool:
    return text.rstrip().endswith(":")


def _has_object(wording: str) -> bool:
    """Return whether an instruction does more than announce others."""
    return (
        re.search(
            r"(?i)\b(?:following|these steps|this|steps below|as follows|do (?:that|this|it|so))\b"
            r"|^[\w-]+ (?:that|it|these|those)\W*$|^(?:please )?(?:do not|don['’]?t|never) (?:forget|miss)(?: to)?\W*$",
            wording,
        )
        is None
        or len(wording.split()) > 12
    )


def join_steps(parts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the steps of several answers in order, each wording once.

    "Update the app first" that ends an answer comes before the steps of the answer before it.
    """
    seen: set[str] = set()
    for part in _in_order(parts):
        for step in part:
            key = " ".join(map(_folded, step.split()))
            if key not in seen:
                seen.add(key)
                yield step


def _in_order(parts: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the steps of answers, those to be done first before the answer that needs them."""
    ordered: list[Sequence[str]] = []
    for part in parts:
        if ordered and part and _TO_BE_FIRST.match(part[-1]) is not None:
            ordered[-1:] = [part[-1:], ordered[-1]]
            ordered += [part[:-1]] if part[:-1] else []
        elif part:
            ordered.append(part)
    return ordered


_TO_BE_FIRST = re.compile(
    r"(?i)(?!(?:do|try) (?:it|that|this)\b)(?:[^.!?;:\n]|[.:](?=\S)){3,200}?(?<!\bat)(?<!\bthe)(?<!\byour) first"
    r"(?:\s*[,;.!(–-]|$)"
)
"""A step that ends with "first", unlike "First, ..." and "the first"."""


def _folded(word: str) -> str:
    """Return a word in lower case; an option, a path and a name with marks keep their case."""
    return word.casefold() if word.strip(".,:;!?()\"'").isalpha() else word
