"""Applies what helpers correct in what they said: "Sorry, I meant 4 seconds", "Correction: /dev/sdb, not /dev/sda"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.contrasts import (
    RIGHT_ENDS,
    WRONG_ENDS,
    Contrast,
    contrasts_in,
    counterpart,
    is_plain,
    proper_ones_in,
    without_asides,
)
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.replacements import PLAIN, alike, splice, with_new_name, with_replacement, with_value
from toolsets.skills.extraction.steps import Answer, steps_in

_LEXICON = lexicon("answers")
SENTENCE_START: Final = r"(?im)(?:^|(?<=[.!?:]\s))[^\w\n]{0,3}"
OPENING: Final = r"(?:(?:actually|ah|but|hi|hm+|no|oh|ok(?:ay)?|oops|right|so|sorry|wait|well|yes)[,.!:]?\s+){0,3}?"
APOLOGY: Final = (
    r"(?:(?:(?:apologies|my (?:bad|fault|mistake)|oops|sorry)[,.!:]?|wait(?:[,.!:]|(?= no\b)))\s+(?:no[,.!]?\s+)?)"
)
_BODY: Final = r"(?P<body>(?:[^.!?\n]|[.!?](?=[^\s])){1,300})(?P<end>[.!?]?)"
_FRAGMENT: Final = r"(?:[^\s.!?,]+ ){0,4}[^\s!?,]+?[.!]?[^\S\n]*$"
"""A few words up to the end of the line."""
_CUE = re.compile(
    rf"{SENTENCE_START}{OPENING}(?:"
    rf"(?P<label>{_LEXICON.any_of('correction')})(?: {_LEXICON.any_of('in_step')})?(?:\s?[:,]|\s(?:->|=>|→|[-–—]))\s*"
    rf"|(?P<apology>{APOLOGY})(?:(?P<sorry>{_LEXICON.any_of('meant')}:?\s+)|(?={_LEXICON.any_of('right')}\b)"
    rf"|{_LEXICON.any_of('wrong_thing')}(?:[:,.;]|\s[-–—])\s*)"
    rf"|{APOLOGY}(?=not [^.!?\n]{{1,60}} but |[^.!?\n]{{1,60}}[ ,]{_LEXICON.any_of('instead')}\b|{_FRAGMENT})"
    rf"|(?P<meant>{_LEXICON.any_of('meant')}:? )|(?P<edit>{_LEXICON.any_of('edit')}\s?:\s*)){_BODY}"
)
_OF_ANOTHER = re.compile(
    rf"{SENTENCE_START}{OPENING}{APOLOGY}{{1,3}}(?P<wrong>[^.!?\n]{{1,60}}?) {_LEXICON.any_of('is_of_another')} "
    rf"[^.!?\n]{{1,80}}[.!;,]\s+(?P<body>(?:{_LEXICON.any_of('for_this')} [^.,!?\n]{{2,40}}?,? )?{_LEXICON.any_of('right')} "
    r"(?P<right>[^.!?\n]{1,60}))[.!]?"
)
"""An apology for a value of something else, with the right one: "Sorry, 15 mm is for the old model. On yours it must be 7"."""
_SAID: Final = r"(?:[^.!?\n]|[.!?](?=\S))"
_MIXED_UP = re.compile(
    rf"{SENTENCE_START}{OPENING}{APOLOGY}{{0,2}}{_LEXICON.any_of('mixed_up')}[^.!?\n]{{0,80}}?[,;.!]\s+"
    rf"(?P<body>{_SAID}{{0,160}}?"
    rf"(?:[\"“](?P<quoted>[^\"”\n]{{1,60}})[\"”][^.!?\n\"“]{{0,60}}?"
    rf"|\b{_LEXICON.any_of('right')} (?P<right>[^.!?\n\"“]{{1,60}}?))"
    rf"(?:,|\s[-–—])?\s{_LEXICON.any_of('instead')} (?P<wrong>{_SAID}{{1,60}}))[.!]?"
)
"""A helper's mistake, and what is right and what is wrong: "I mixed that up. It must be "UTF-8" there, not "ANSI"."."""
_AUXILIARY = re.compile(rf"(?i)\b{_LEXICON.any_of('auxiliary')}$")
_STARRED = re.compile(r"(?m)^\s*(?:\*(?=[^\s*])(?P<body>[^*\n]{1,60}?)\*?|(?P<body2>[^*\n]{1,60}?[^\s*])\*)[^\S\n]*$")
"""A line that is only the right word, with the asterisk of chats."""
_DENIED: Final = r"(?![^,.\n]{0,40}?(?:\b(?:are|is|was|were)|['’](?:re|s)) not\b)"
_BARE = re.compile(rf"(?im)^[^\S\n]*{OPENING}{_DENIED}{_BODY}")
_STEP = re.compile(rf"(?i)\b{_LEXICON.any_of('in_step')}[,:]?\s*")
_NUMBER = re.compile(r"\d{1,2}")
_LABEL = re.compile(rf"(?i)^{_LEXICON.any_of('correction')}\s?[:,]\s*")
_LEAD = re.compile(rf"(?i)(?:(?:please|just)\s+)*{_LEXICON.any_of('right')}:?\s+(?=\S)")
_PAIRS: Final = tuple(
    re.compile(rf"(?i){form}")
    for form in (
        r"s/(?P<wrong>[^/]{1,80})/(?P<right>[^/]{1,80})/?g?",
        r"not (?P<wrong>.{1,80}?),? but(?: rather)? (?P<right>.{1,80})",
        rf"(?P<right>.{{1,160}}?)[,;]?(?:\s[-–—])? {_LEXICON.any_of('instead')} (?P<wrong>.{{1,300}})",
        rf"{_LEXICON.any_of('exchange')} (?P<wrong>.{{1,80}}?) {_LEXICON.any_of('exchange_by')} (?P<right>.{{1,80}})",
        rf"(?!{_LEXICON.any_of('pronoun_subject')} )(?P<wrong>.{{1,80}}?)\s{_LEXICON.any_of('should_be')}\s(?P<right>.{{1,80}})",
    )
)
"""What is right and what is wrong, in either order."""
_QUOTES: Final = "`\"'“”‘’ "
_SENTENCE_MARKS: Final = (". ", "! ", "? ", ": ", "\n")
CORRECTION: Final = "Correction: "
"""The beginning of a step that is a correction of which it is unclear what it replaces."""
MAX_CORRECTIONS: Final = 8
"""The most corrections of a turn that are applied."""
_REACH: Final = 4_000
"""The number of characters before a correction in which what it corrects is."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence in which a helper takes back or corrects something, from `start` to `stop` in the turn."""

    start: int
    stop: int
    wording: str
    """What it says, without "Correction:" and without an apology."""
    right: str
    wrong: str | None
    """What is wrong, if it names that."""
    named: bool
    """Whether that may be the name of what is wrong, as in "the port should be 22"."""
    step: int | None
    """The number of the step that it names."""
    sure: bool
    """Whether it is one by its words, wherever it stands."""
    meant: bool
    """Whether it says what the helper meant to say instead."""

    def applied(self, said: str, steps: Sequence[str] = ()) -> str | None:
        """Return a text corrected; None if it is unclear what is to be replaced. `steps` are those of the text."""
        if self.step is not None and 0 < self.step <= len(steps):
            first = steps[self.step - 1].split("\n", 1)[0].rstrip(".:")
            at = said.casefold().find(first.casefold())
            if at >= 0:
                stop = said.find("\n", at + len(first))
                stop = len(said) if stop < 0 else stop
                better = self._applied(said[at:stop])
                return None if better is None else f"{said[:at]}{better}{said[stop:]}"
        return self._applied(said)

    def _applied(self, said: str) -> str | None:
        if self.wrong is not None:
            return (
                (with_new_name if self.named else with_replacement)(said, self.right, self.wrong)
                if is_plain(self.right)
                else None
            )
        if is_order(self.right):
            spans = alike(said, self.right)
            return splice(said, spans, self.right) if len(spans) == 1 else None
        cut = self.right if not self.sure and not self.meant else RIGHT_ENDS.split(self.right, maxsplit=1)[0]
        for right in dict.fromkeys((self.right, cut.strip(_QUOTES))):
            if right and (better := with_value(said, right, self.wording)) is not None:
                return better
        return None

    def replaces(self, steps: Sequence[str]) -> int | None:
        """Return the number of the step, from 0, that an order replaces; None if that is unclear or it is no order."""
        if self.wrong is not None or not is_order(self.right):
            return None
        if self.step is not None:
            return self.step - 1 if 0 < self.step <= len(steps) else None
        verb = _verb(self.right)
        same = [at for at, step in enumerate(steps) if _verb(step) == verb]
        found = same if same or not self.meant or len(steps) != 1 else [0]
        return found[0] if len(found) == 1 and "\n" not in steps[found[0]] else None

    def corrected_answer(self, answer: Answer) -> Answer | None:
        """Return an answer corrected, with its steps; None if it is unclear what the correction replaces."""
        text, steps = answer.text, answer.steps
        if (at := self.replaces(steps)) is not None:
            better = text.replace(steps[at].rstrip("."), self.order().rstrip("."))
            return Answer(better, [*steps[:at], self.order(), *steps[at + 1 :]])
        better = self.applied(text, steps)
        if better is None:
            return None
        return Answer(better, [*steps_in(better), *(step for step in steps if step.startswith(CORRECTION))])

    def order(self) -> str:
        """Return its order as a step."""
        return f"{self.right[0].upper()}{self.right[1:]}."


def with_corrections(text: str) -> str:
    """Return a turn in which corrections have changed what stands before them, where it is clear what they change."""
    parts: list[str] = []
    done = 0
    for found in corrections_in(text):
        head = text[max(done, found.start - _REACH) : found.start]
        better = _corrected_head(head.rstrip(), found)
        if better is not None:
            parts += (text[done : found.start].removesuffix(head), better, text[found.stop : found.stop + 1])
            done = found.stop + 1
    return "".join((*parts, text[done:])) if parts else text


def _corrected_head(head: str, found: Correction) -> str | None:
    """Return what stands before a correction corrected, its last sentence if that is clear, or any other."""
    ends = (head.rstrip(".!?").rfind(mark) for mark in _SENTENCE_MARKS)
    last = head[max((at + 1 for at in ends if at >= 0), default=0) :].lstrip()
    if not last:
        return None
    said = head.removesuffix(last)
    if found.step is None and (better := found.applied(last)) is not None:
        return f"{said}{better}"
    if is_order(found.right) and found.wrong is None and found.step is None:
        return f"{said}{found.order()}" if found.meant or _verb(found.right) == _verb(last) else None
    return found.applied(head) if found.step is None else None


def corrections_in(text: str) -> list[Correction]:
    """Return the corrections of a turn, in order; one that is not sure has something before it or begins the turn."""
    folded = text.casefold()
    found: list[Correction] = []
    if _LEXICON.letters["correction"].are_in(folded):
        found += map(_of_another, islice(_OF_ANOTHER.finditer(text), MAX_CORRECTIONS))
        found += map(_mixed_up, islice(_MIXED_UP.finditer(text), MAX_CORRECTIONS - len(found)))
        found += (
            each
            for match in islice(_CUE.finditer(text), MAX_CORRECTIONS - len(found))
            if not any(other.start <= match.start() < other.stop for other in found)
            and (each := _read(text, match)) is not None
        )
    for name, read in (("instead", contrasts_in), ("proper_one", proper_ones_in)):
        if _LEXICON.letters[name].are_in(folded):
            more = map(_contrast, islice(read(text), MAX_CORRECTIONS - len(found)))
            found += [
                one for one in more if not any(one.start < other.stop and other.start < one.stop for other in found)
            ]
    found.sort(key=lambda each: each.start)
    return found or list(islice(_brief(text, folded), MAX_CORRECTIONS))


def _contrast(found: Contrast) -> Correction:
    return Correction(
        found.start,
        found.stop,
        found.wording,
        found.right,
        found.wrong,
        named=False,
        step=None,
        sure=found.sure,
        meant=False,
    )


_MAY_BEGIN: Final = frozenset({"a", "an", "not", "the"})


def _read(text: str, match: re.Match[str]) -> Correction | None:
    if match["end"] == "?" or text.count("```", 0, match.start()) % 2 == 1:
        return None
    meant = match["sorry"] is not None or match["meant"] is not None
    plain = not meant and all(match[name] is None for name in ("label", "apology", "edit"))
    if plain and match["body"].split(None, 1)[0].casefold() in STOP_WORDS - _MAY_BEGIN:
        # "Sorry for the delay" corrects nothing.
        return None
    named = _NUMBER.search(step.group()) if (step := _STEP.search(match.group())) is not None else None
    return _correction(
        match,
        match["body"],
        step=None if named is None else int(named.group()),
        sure=match["label"] is not None or match["apology"] is not None,
        meant=meant,
    )


def _of_another(match: re.Match[str]) -> Correction:
    return Correction(
        *match.span(), match["body"], match["right"], match["wrong"], named=False, step=None, sure=True, meant=False
    )


def _mixed_up(match: re.Match[str]) -> Correction:
    said = match["quoted"] or RIGHT_ENDS.split(match["right"], maxsplit=1)[0]
    right, wrong = (part.strip(_QUOTES + ",") for part in (said, WRONG_ENDS.split(match["wrong"], maxsplit=1)[0]))
    return Correction(
        *match.span(), match["body"], right, wrong or None, named=False, step=None, sure=True, meant=False
    )


def _brief(text: str, folded: str) -> Iterator[Correction]:
    """Yield corrections that are a line: "*300 dpi", or that begin one: "300 dpi, not 600 dpi"."""
    if "*" in text:
        for starred in _STARRED.finditer(text):
            yield _correction(starred, starred["body"] or starred["body2"])
    if _LEXICON.letters["instead"].are_in(folded):
        for bare in _BARE.finditer(text):
            if len(bare["body"]) > _LONGEST_BRIEF or bare["end"] == "?" or is_order(bare["body"]):
                continue
            found = _correction(bare, bare["body"])
            if found.wrong is not None and (found.wrong[:1].isdigit() or PLAIN.fullmatch(found.wrong) is None):
                yield found


_LONGEST_BRIEF: Final = 100
"""Characters; a longer sentence with "instead" tells a story rather than corrects a step."""


def _correction(
    match: re.Match[str], body: str, *, step: int | None = None, sure: bool = False, meant: bool = False
) -> Correction:
    statement = _STEP.sub("", body, count=1).strip() if step is not None else body.strip()
    statement = _LABEL.sub("", statement, count=1)
    statement = statement[lead.end() :] if (lead := _LEAD.match(statement)) is not None else statement
    right, wrong, named = statement, None, False
    for pair in _PAIRS:
        if (parts := pair.fullmatch(statement)) is not None:
            right = parts["right"].strip(_QUOTES + ",")
            right = right[lead.end() :] if (lead := _LEAD.match(right)) is not None else right
            if _AUXILIARY.search(right) is not None:
                # "Do not open it" forbids something; "do" is not in its place.
                right = statement
                continue
            named = pair is _PAIRS[-1]
            wrong = without_asides(WRONG_ENDS.split(parts["wrong"], maxsplit=1)[0].strip(_QUOTES + ","))
            right = counterpart(right, wrong) or "" if wrong and not named else right
            break
    wording = f"I meant {body}" if meant else body
    return Correction(*match.span(), wording.strip(), right.strip(_QUOTES), wrong or None, named, step, sure, meant)


def _verb(text: str) -> str:
    return text.lstrip(_QUOTES).split(None, 1)[0].casefold() if text.strip(_QUOTES) else ""
