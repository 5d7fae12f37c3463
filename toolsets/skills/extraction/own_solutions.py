"""Reads how customers tell a solution that they found themselves, with the commands below it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from toolsets.skills.extraction.cues import is_addressed_to_a_machine, is_chatter, is_courtesy
from toolsets.skills.extraction.instructions import as_sentence, instruction_in, plain
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.sentences import Sentence, sentences
from toolsets.skills.extraction.solutions import ADVERBS, NO_DEED, gerunds_in_base_form, in_base_form, solving_step
from toolsets.skills.extraction.steps import StepsOf, with_code
from toolsets.skills.extraction.verbs import base_of_gerund, base_of_past, is_verb
from toolsets.skills.transcript import Turn

_LEXICON = lexicon("own_solutions")
_FIRST: Final = (
    r"(?:^|[.!?;:…\n]\s{0,3}|\s[-–—]\s)[^\w\n]{0,3}"
    r"(?:(?:aha?|and|but|edit|eventually|finally|ha|hey|in the end|just|now|ok(?:ay)?|oh|so|update|well|yay|yes)[\s,.!:–-]{1,3})*"
)
_SOLVED = re.compile(rf"(?i)\b{_LEXICON.any_of('solved')}(?!\w)|{_FIRST}{_LEXICON.any_of('solved_first')}(?!\w)")
_FOUND = re.compile(rf"(?i)\b{_LEXICON.any_of('found')}(?!\w)|{_FIRST}{_LEXICON.any_of('found_first')}(?!\w)")
_SOLVED_AFTER_ALL = re.compile(rf"(?i){_FIRST}{_LEXICON.any_of('solved_after_all')}")
_HAD_TO: Final = (
    rf"(?:{_LEXICON.any_of('had_to')}\s+{ADVERBS}(?P<base>[a-z-]+)\b|{_LEXICON.any_of('must')}\s+{ADVERBS}(?P<must>[a-z-]+)\b"
    r"|ended up (?P<gerund>[a-z-]+ing)\b|(?P<past>[a-z-]+)\b)"
)
_WHO: Final = rf"(?:i|we)(?:'ve| have)? {ADVERBS}"
_OBJECT: Final = (
    r"(?= (?:(?:out|off|on|up|down) )?(?:an?|all|it|its|my|our|that|the|these|this|those|your|\S*[/`\"\d])(?!\w))"
)
_DEED = re.compile(
    rf"(?i)(?:(?P<place>^(?:after|at|from|in|on|under|with) (?:[^,;:.]|\.(?=\w)){{2,60}}?),? {_WHO}"
    rf"|(?:^|[,;:]\s+|\s[-–—]\s+|\b(?:and|but|so|then|that)\s+)(?:in the end,? |after that,? )?{ADVERBS}{_WHO}"
    rf"|^{ADVERBS}(?=[a-z]+ )|(?:[,;:]|\s[-–—])\s+{ADVERBS}(?=[a-z]+{_OBJECT})|(?=\b{_LEXICON.any_of('must')}\b)){_HAD_TO}"
)
_TAIL = re.compile(r"(?i)(?:,? (?:after which|and|so|then|which|until|since then)|,|;| [-–—])(?= )")
_WORKS_NOW = re.compile(rf"(?i)(?:^|[.!,;]\s|\s[-–—]\s|\b(?:and|so) ){_LEXICON.any_of('works_now')}\W*$")
_CAME_OF_IT = re.compile(rf"(?i){_LEXICON.any_of('came_of_it')}\W*")
_SELF = re.compile(r"(?i)(?:^|[\s(])(?:i|we|i'm|i've|we've|me|us)(?![\w/.])")
_MINE = re.compile(r"(?i)(?<![\w./-])(?:my|our)(?![\w/.-])")
_PRONOUN = re.compile(r"(?i)\S+ (?:\w+ )?(?:it|them|that|this|those|one)\b")
_LIKE_CODE = re.compile(r"[^\sA-Z][^\n]*[|=<>/\\$\"'{}][^\n]*(?<![.!?:])")
"""A line below a line of code that a sentence does not look like."""
_RESULT = re.compile(r"(?i)(?:[^\s,:]+ ){1,4}(?:again|now)\W*")
"""A few words that say how it is now, without a verb: "Full speed now."."""
_INTENDED = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('before_intention')}\W+){{0,3}}{_LEXICON.any_of('intention')}\b")
"""The beginning of a sentence about what the customer is going to do, or where a thing is, which has solved nothing."""
_LEAD = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('lead')}(?:[\s,.:;!–-]+|$))+")
"""Words at the beginning of a sentence that say nothing of the cause: "Update:", "Oh man,", "I am stupid,"."""
_DONE_TO = re.compile(r"(?i)(?:(?:back|down|off|on|out|up) )?(?:it|them|the|that|those|my|our)\b")
_CAUSE_BEFORE = re.compile(
    r"(?i)(?P<cause>[^,;:.!?]{4,120} (?:had|has|is|are|was|were)(?:n['’]t)? [^,;.!?]{2,120})(?:[;,]| [-–—]) "
    rf"{ADVERBS}(?:{_WHO})?[a-z-]+{_OBJECT}"
)
_MENU = re.compile(
    r"[A-Z][^\n>:.!?]{0,40}(?: (?:>|->|→|») [^\n>:,;.!?→»]{1,40}?){0,6} (?:>|->|→|») (?P<last>[^\W\d][\w'’-]+)"
)
"""A path through menus and the first word after it: "Settings > Display > set"."""
_STATE = re.compile(r"(?i)\b(?:has|have|is|are|was|were)\b")
_CODE_LABEL = re.compile(r"(?i)(?:code|output|quote)\s?:")
"""What forums write above a block."""
_PLACED = re.compile(
    r"(?i)(?:at|in|inside|on|under|within) (?!addition|case|fact|general|short|(?:my|our) case|the (?:end|evening|meantime"
    r"|morning|weekend)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)[^.!?]{3,100}\b(?:had|has|is|are|was|were|there)\b"
)
"""A statement that begins with a place."""
_BY_DOING = re.compile(r"(?i)by (?P<gerund>[a-z-]+ing)\b(?P<rest>.*)", re.DOTALL)
_AFTER: Final = " \t,.:;!?–—-)"


@dataclass(frozen=True, slots=True)
class OwnSolution:
    """A customer's own solution: its steps, whether they announce it, and what they say before it."""

    steps: tuple[str, ...]
    announced: bool = False
    before: str = ""


@lru_cache(maxsize=4)
def report_in(reply: str) -> OwnSolution | None:
    """Return the solution that a customer reports, None if they report none.

    One that is not announced is a single sentence by which a deed has solved the problem.
    """
    if (announced := announced_report(reply)) is not None:
        return announced
    for sentence in sentences(reply):
        text = " ".join(sentence.text.split())
        unfit = text.endswith("?") or is_addressed_to_a_machine(text)
        if not unfit and (step := solving_step(text)) is not None:
            return OwnSolution((step,))
    return None


@lru_cache(maxsize=4)
def announced_report(reply: str) -> OwnSolution | None:
    """Return the solution that a customer reports and announces, as in "Fixed it: ...", None if they announce none."""
    solved = _SOLVED.search(reply)
    if (
        solved is None
        and (after := _SOLVED_AFTER_ALL.search(reply)) is not None
        and outcome_of(reply[: after.start()]) == "failed"
    ):
        solved = after
    match = solved if solved is not None else _FOUND.search(reply)
    if match is not None and not reply.rstrip().endswith("?"):
        before, rest = reply[: match.start()], reply[match.end() :].lstrip(_AFTER)
        outcome = outcome_of(rest)
        worked = outcome == "worked" or (outcome != "failed" and _WORKS_NOW.search(rest.rstrip()) is not None)
        if (
            outcome != "failed"
            and (solved is not None or worked or _in_a_menu(rest) is not None)
            and (steps := _steps_of(reply, match, rest, worked=worked))
        ):
            return OwnSolution(steps, announced=True, before=before)
        if worked and outcome_of(before) != "failed" and (steps := _ReportedSteps().read(before)):
            return OwnSolution(steps, announced=True)
    return None


def deeds_in(reply: str) -> tuple[str, ...]:
    """Return, as steps, what the customer says they did or were told to do; none if they ask something."""
    if reply.rstrip().endswith("?"):
        return ()
    return _ReportedSteps(deeds_only=True).read(reply)


def last_deeds(turns: Sequence[Turn]) -> tuple[str, tuple[str, ...]] | None:
    """Return the customer's last turn in which they did something, with its steps; None if a helper instructs after it.

    The first turn tells the problem. One after which something is still wrong has solved nothing.
    """
    for turn in reversed(turns[1:]):
        if turn.role == "agent" and StepsOf(turn.text).any():
            return None
        if turn.role == "customer" and outcome_of(turn.text) == "failed":
            return None
        if turn.role == "customer" and (steps := deeds_in(turn.text)):
            return turn.text, steps
    return None


def own_solution(reply: str) -> list[str]:
    """Return the steps of the customer's own solution; none if they report no solution."""
    return [] if (report := report_in(reply)) is None else list(report.steps)


def _steps_of(reply: str, announcement: re.Match[str], rest: str, *, worked: bool) -> tuple[str, ...]:
    """Return the steps that follow an announcement, or that are in its sentence: "Fixed it by restarting"."""
    reported = _ReportedSteps()
    announced = next(iter(sentences(reply[announcement.start() :].lstrip(_AFTER + "\n"))), None)
    if announced is not None and (step := solving_step(announced.text)) is not None:
        reported.found.append(step)
        rest = reply[announcement.start() :].lstrip(_AFTER + "\n").removeprefix(announced.text)
    return reported.read(rest) or (reported.statement() if worked else ())


@dataclass(slots=True)
class _ReportedSteps:
    """The part of a report that has been read."""

    found: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    """Statements, which count if no step is found."""
    before: str | None = None
    """The statement just read, which may name what the next step calls "it", or announce code."""

    coding: bool = False
    """Whether a line of code has just been read."""
    deeds_only: bool = False
    """Whether an imperative is no step."""

    def read(self, text: str) -> tuple[str, ...]:
        """Return the steps in a text, as instructions where that is safe, or else in the words of the customer."""
        for sentence in sentences(text):
            if not sentence.printed:
                self._add(sentence)
        return tuple(self.found)

    def statement(self) -> tuple[str, ...]:
        """Return the statements as one step; none without any."""
        return (" ".join(self.said),) if self.said else ()

    def _add(self, sentence: Sentence) -> None:
        if sentence.kind == "code" or (self.coding and not sentence.starts and _LIKE_CODE.fullmatch(sentence.text)):
            self._add_code(sentence.text)
            return
        self.coding = False
        text = _without_lead(plain(sentence.text))
        if (
            not text
            or sentence.kind == "caption"
            or text.endswith("?")
            or is_courtesy(text)
            or is_addressed_to_a_machine(text)
        ):
            return
        if ":" not in text and _INTENDED.match(text) is not None:
            return
        if _CODE_LABEL.fullmatch(text) is not None and self.found:
            return
        step = None if _is_result(text) else _as_step(text, deeds_only=self.deeds_only)
        if (
            step is None
            and sentence.kind == "item"
            and (base := base_of_past(text.casefold().strip(" .!"))) is not None
        ):
            step = f"{base[0].upper()}{base[1:]}." if base not in NO_DEED else None
        if self.deeds_only and step is not None and _NO_SOLUTION.match(step) is not None:
            return
        if step is not None:
            before = _cause_in(text) or self.before
            named = _PRONOUN.match(step) is not None or (before is self.before and _names_a_place(before))
            self.found.append(f"{as_sentence(before)} {step}" if before is not None and named else step)
            self.before = None
        elif text.endswith(":"):
            self.before = text
        elif outcome_of(text) == "none" and not is_chatter(text):
            self.before = text
            self.said.append(as_sentence(text))

    def _add_code(self, code: str) -> None:
        if self.before is not None and self.before.endswith(":"):
            self.found.append(with_code(as_sentence(self.before).rstrip(".:") + ":", code))
        elif self.found:
            self.found[-1] = with_code(self.found[-1], code)
        else:
            self.found.append(code if self.before is None else with_code(as_sentence(self.before), code))
        self.before, self.coding = None, True


def _without_lead(text: str) -> str:
    """Return a sentence without the words before the cause or the deed that it tells: "Found it!", "Turned out that"."""
    bare = text
    for _ in range(_MOST_LEADS):
        found = next((match for form in (_LEAD, _SOLVED, _FOUND) if (match := form.match(bare)) is not None), None)
        if found is None or not found.group():
            break
        bare = bare[found.end() :].lstrip(_AFTER).removeprefix("that ")
    return bare


_NO_SOLUTION = re.compile(rf"(?i){_LEXICON.any_of('no_solution')}")
_MOST_LEADS: Final = 4
"""Leads before a cause; a sentence has one or two."""


def _is_result(text: str) -> bool:
    """Return whether a few words say how it is now; "Opened it again" says what was done."""
    first, _, rest = text.partition(" ")
    done = base_of_past(first.casefold()) is not None and _DONE_TO.match(rest) is not None
    return not done and _RESULT.fullmatch(text) is not None


def _names_a_place(statement: str | None) -> bool:
    """Return whether a statement says where a thing was wrong: "In the menu the old profile was active"."""
    return statement is not None and _PLACED.match(statement) is not None


def _cause_in(text: str) -> str | None:
    """Return what a sentence says before the deed, as in "the fuse was off; turned it on"; None if that is no statement."""
    return cause["cause"] if (cause := _CAUSE_BEFORE.match(text)) is not None else None


def _as_step(text: str, *, deeds_only: bool) -> str | None:
    """Return a sentence as a step, which keeps a colon at its end; None if it tells nothing that was done or is to be done."""
    step = _done_by(text) or solving_step(text) or _in_a_menu(text) or deed(text)
    if step is None and not deeds_only and (instruction := instruction_in(text)) is not None:
        step = as_sentence(outside_code(_without_outcome, instruction))
    if step is None:
        return None
    return f"{step.rstrip('.:')}:" if text.rstrip().endswith(":") else step


def _in_a_menu(text: str) -> str | None:
    """Return a path through menus with what was chosen or what was wrong there, without its result; None for other texts."""
    if (match := _MENU.match(text)) is None or not match["last"]:
        return None
    path, comma, last = text.rpartition(", ")
    while comma and (outcome_of(last) == "worked" or (last[:4] == "now " and _CAME_OF_IT.fullmatch(last) is not None)):
        path, comma, last = path.rpartition(", ")
    path = f"{path}{comma}{outside_code(_without_outcome, last)}".rstrip(" ,;.!")
    verb = match["last"].casefold()
    return (
        as_sentence(path)
        if is_verb(verb) or base_of_past(verb) is not None or _STATE.search(text, match.end())
        else None
    )


def _done_by(text: str) -> str | None:
    """Return "Set it to 4." for "by setting it to 4"."""
    if (match := _BY_DOING.match(text)) is None or (base := base_of_gerund(match["gerund"].casefold())) is None:
        return None
    rest = outside_code(lambda prose: _MINE.sub("your", gerunds_in_base_form(prose)), match["rest"]).rstrip(" ,;.!:")
    return None if base in NO_DEED else as_sentence(f"{base[0].upper()}{base[1:]}{rest}.")


def deed(text: str) -> str | None:
    """Return what a customer did as an instruction, without what came of it, or in the customer's words where that is safer."""
    for match in _DEED.finditer(text):
        base = _base_of(match)
        if base is None or base in NO_DEED:
            continue
        rest = outside_code(lambda prose: _without_outcome(in_base_form(prose)), text[match.end() :]).rstrip(" ,;.!:")
        if len(rest.strip()) < _SHORTEST_OBJECT:
            continue
        place = f"{match['place'][0].upper()}{match['place'][1:]}, " if match["place"] else ""
        instruction = f"{place}{base if place else base[0].upper() + base[1:]}{rest}"
        if _SELF.search(instruction) is not None:
            return as_sentence(text)
        return as_sentence(f"{outside_code(lambda prose: _MINE.sub('your', prose), instruction)}.")
    return None


_SHORTEST_OBJECT: Final = 2
"""Characters; what is shorter names nothing that was done."""


def _base_of(match: re.Match[str]) -> str | None:
    if (base := match["base"] or match["must"]) is not None:
        return base.casefold() if is_verb(base.casefold()) else None
    if match["gerund"] is not None:
        return base_of_gerund(match["gerund"].casefold())
    return base_of_past(match["past"].casefold())


_JOINING: Final = frozenset({"after which", "and", "so", "since then", "which"})


def _without_outcome(text: str) -> str:
    """Return a text up to the clause that says that it works."""
    for match in _TAIL.finditer(text):
        clause = text[match.end() :].strip()
        joins = match.group().strip(", ") in _JOINING or clause[:4].casefold() == "now "
        joins = joins or clause.rstrip(" .!").endswith((" again", " now"))
        if outcome_of(clause) == "worked" or (joins and _CAME_OF_IT.fullmatch(clause) is not None):
            return text[: match.start()]
    return text
