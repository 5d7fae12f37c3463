"""Finds the step that a customer reports as the solution."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code
from toolsets.skills.extraction.verbs import base_of_gerund, base_of_past

_LEXICON = lexicon("own_solutions")
NO_DEED: Final = _LEXICON.words("no_deed") | lexicon("answers").words("no_order")
"""What is no step by itself: "I found it", "I noticed"."""
ADVERBS: Final = rf"(?:{_LEXICON.any_of('adverb')}\s)*"
_JOINT = re.compile(
    rf"(?i)(?P<joint>,? (?:and then|and|then)|,) (?P<who>(?:i|we)(?:'ve| have)? )?{ADVERBS}(?P<past>[a-z-]+)\b(?=[ .,:;!]|$)"
)
_GERUND_JOINT = re.compile(r"(?i)(?P<joint>,? (?:and then|and|then) |, )(?P<did>[a-z-]+ing)\b(?= )")
_UNNAMED = re.compile(r"(?i)(?: (?:all|both|everything|it|so|that|these|this|those))+")
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
        if (match := pattern.search(sentence)) is not None and (step := _step_of(match)) is not None:
            return _finished(step)
    return None


def _step_of(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    if (done := groups.get("did")) is not None:
        first, _, rest = done.partition(" ")
        base = base_of_gerund(first.lower())
        unfit = base is None or len(rest) < 3 or re.match(r"(?i)(?:it|that|this)\b", rest) is not None
        return None if unfit else f"{base} {outside_code(gerunds_in_base_form, rest)}"
    if groups.get("past") is not None:
        base = _base_of(match["past"])
        unnamed = _UNNAMED.fullmatch(match["rest"]) is not None
        fit = base is not None and base not in NO_DEED and not unnamed
        return f"{base}{outside_code(in_base_form, match['rest'])}" if fit else None
    return groups.get("base")


def in_base_form(text: str) -> str:
    """Return a text with the base forms of the past forms that "and" or a comma joins: "and pick" for "and picked"."""

    def base(match: re.Match[str]) -> str:
        known = base_of_past(match["past"].casefold())
        if known is None or (known in NO_DEED and match["who"] is None):
            return match.group()
        return f"{match['joint']} {known}"

    return _JOINT.sub(base, text)


def gerunds_in_base_form(text: str) -> str:
    """Return a text with the base forms of the forms in -ing that "and" or a comma joins: "and pick" for "and picking"."""

    def base(match: re.Match[str]) -> str:
        known = base_of_gerund(match["did"].casefold())
        return match.group() if known is None else f"{match['joint']}{known}"

    return _GERUND_JOINT.sub(base, text)


def _base_of(past: str) -> str | None:
    """Return the base form of a verb in the past; "put up" stays "put up"."""
    verb, _, particle = past.lower().partition(" ")
    base = base_of_past(verb)
    return base if base is None or not particle else f"{base} {particle}"
