"""Finds the step that a customer reports as the solution."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code
from toolsets.skills.extraction.verbs import base_of_gerund, base_of_past

_CLAUSE_START: Final = (
    r"(?i)(?:^|[.,;:!]\s+|\s[-–—]\s+|\b(?:actually|after|and|but|by|eventually|finally|guess|just|once|only|or|so|that|then|think"
    r"|was|when)\s+)(?:[\"'“(]\s?)?"
)
_OWN_SOLUTION: Final = (
    re.compile(
        _CLAUSE_START
        + r"(?P<did>[a-z]+ing\b[^.!?]{2,160}?)(?:,| and)?(?: that| which)? (?:(?:has |have )?(?:fixed|solved"
        r"|resolved|worked|helped|did|does)\b(?: it| the trick| that| for me)?|made it work|was (?:it"
        r"|the (?:fix|solution|trick)))"
    ),
    re.compile(
        r"(?i)\b(?:i|we) (?:(?:just|then|finally|simply|also|ended up|went ahead and|had to"
        r"|needed to) )*(?P<past>[a-z-]+(?:ed|t|t up|id|an|ut))\b(?P<rest>[^.!?]{2,160}?)(?:,? (?:and|which) "
        r"|, (?=(?:it|that|this)\b))(?:(?:now|then) )?(?:that|this|it|everything|the \w+)?(?:'s| is)? ?(?:now )?(?:fixed|solved"
        r"|resolved|worked|works|helped|did|working|fine)\b"
    ),
    re.compile(
        r"(?i)\b(?:fixed|solved|resolved)(?: it| this| that| the (?:problem|issue))?(?: myself)? (?:by|after"
        r"|through) (?P<did>[a-z]+ing\b[^.!?]{2,160})"
    ),
    re.compile(
        r"(?i)\b(?:the (?:fix|solution|trick|answer|workaround) (?:was|is) to|(?:i|we) (?:had|needed"
        r"|just needed|just had) to) (?P<base>[a-z]+\b[^.!?]{2,160})"
    ),
)


def _finished(step: str) -> str:
    return f"{step[0].upper()}{step[1:].rstrip(' .!,')}."


def solving_step(sentence: str) -> str | None:
    """Return the solution that a sentence reports, as an instruction: "Restart it." for "restarting it fixed it"."""
    for pattern in _OWN_SOLUTION:
        if (match := pattern.search(sentence)) is not None and (step := _as_step(match)) is not None:
            return _finished(step)
    return None


def _as_step(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    if (done := groups.get("did")) is not None:
        first, _, rest = done.partition(" ")
        base = base_of_gerund(first.lower())
        return None if base is None or len(rest) < 3 or re.match(r"(?i)(?:it|that|this)\b", rest) else f"{base} {rest}"
    if groups.get("past") is not None:
        base = _base_of(match["past"])
        unnamed = _UNNAMED.fullmatch(match["rest"]) is not None
        return None if base is None or base in _NOT_DONE or unnamed else f"{base}{_in_base_form(match['rest'])}"
    return groups.get("base")


_NOT_DONE: Final = lexicon("answers").words("no_order") | lexicon("own_solutions").words("no_deed")
_UNNAMED = re.compile(r"(?i)(?: (?:all|both|everything|it|so|that|these|this|those))+")
_JOINED_PAST = re.compile(r"(?i)((?:,|\band|\bthen) )([a-z-]+)\b(?= )")


def _in_base_form(text: str) -> str:
    """Return a text with the base forms of the past forms that "and" joins: "and pick" for "and picked"."""
    return outside_code(
        lambda prose: _JOINED_PAST.sub(lambda match: match[1] + (base_of_past(match[2]) or match[2]), prose), text
    )


def _base_of(past: str) -> str | None:
    """Return the base form of a verb in the past; "put up" stays "put up"."""
    verb, _, particle = past.lower().partition(" ")
    base = base_of_past(verb)
    return base if base is None or not particle else f"{base} {particle}"
