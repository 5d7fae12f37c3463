"""The numbers of steps that feedback names or calls unnecessary; kept separate because nothing is added to the skill here."""

import re
from typing import Final

from toolsets.skills.extraction.instructions import as_sentence
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.steps import steps_in

_LEXICON = lexicon("feedback")
PLEASE: Final = r"(?:(?:also|and|kindly|maybe|perhaps|please|you (?:could|should))[ ,]+)*"
"""What comes before a wish."""
_OPINION: Final = r"(?:(?:i think|imo|in my opinion)[ ,]+(?:that )?)?"
_NOW: Final = r"(?: (?:any ?more|any longer|at all|here|now|too))*"
_REASON: Final = (
    rf"(?:(?:\s?[,;:(–—-])?\s+{_LEXICON.any_of('reason')}[^?]{{3,200}}"
    r"|\s?[,;:(–—-]\s+(?!(?:and|but|except|however|instead|only|so|then)\b)(?P<clause>[^?]{3,200}))?"
)
"""The reason for an opinion, or a clause after it that may be one."""
_NEEDLESS: Final = tuple(
    re.compile(rf"(?i)\W*{PLEASE}{_OPINION}{form}{_NOW}{_REASON}\W*")
    for form in (
        rf"(?:the )?(?P<step>{_LEXICON.any_of('step')}) {_LEXICON.any_of('needless')}",
        rf"{_LEXICON.any_of('not_needed')} (?:the )?(?P<step>{_LEXICON.any_of('step')})",
    )
)
_DROP_IT = re.compile(
    rf"(?i)\W*(?:the )?(?P<step>{_LEXICON.any_of('step')}) (?P<said>[^?]{{3,120}}?)[,;:.–—-]*(?: (?:and|so))?"
    rf" {_LEXICON.any_of('drop_it')}\W*"
)
_NOT_TO = re.compile(r"(?i)(?:\b(?:cannot|never|nobody should|not)|n['’]t)(?: (?:ever|just|please|simply|yet))*$")
_COUNTED, _ORDINALS = _LEXICON.phrases["counted"], _LEXICON.phrases["ordinal"]


def needless_steps(text: str) -> list[int]:
    """Return the numbers of the steps that a sentence calls unnecessary."""
    for form in (*_NEEDLESS, _DROP_IT):
        if (match := form.fullmatch(text)) is not None:
            clause, said = match.groupdict().get("clause"), match.groupdict().get("said")
            if said is not None and _NOT_TO.search(said) is not None:
                return []
            return [] if clause is not None and steps_in(as_sentence(clause)) else step_numbers(match["step"])
    return []


def step_numbers(step: str) -> list[int]:
    """Return the numbers of the steps that a text names, such as "steps 2 and 3" or "the first step"; 0 is the last one."""
    words = re.findall(r"\d+|[a-z]+", step.casefold())
    return [number for word in words if (number := _number(word)) is not None]


def _number(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    for names in (_COUNTED, _ORDINALS):
        if word in names:
            return names.index(word) + 1
    return 0 if word in {"last", "final"} else None
