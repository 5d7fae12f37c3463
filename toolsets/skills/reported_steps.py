"""Turns what people report in feedback into steps: what helped them, what else they did, and what is right in some cases."""

import re
from typing import Final

from toolsets.skills.extraction.frames import from_gerund
from toolsets.skills.extraction.instructions import as_sentence
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.steps import steps_in
from toolsets.skills.extraction.verbs import base_of_past

_LEXICON = lexicon("feedback")
_INSTEAD = re.compile(r"(?i)^\W*instead,? |,? instead\b(?! of)")
_BESIDES: Final = _LEXICON.any_of("besides")
_BESIDES_WORD = re.compile(rf"(?i)\b{_BESIDES}\b")
_NEEDED_TOO = re.compile(
    rf"(?i)\W*(?:(?P<after>{_LEXICON.any_of('only_after')}) )?(?:i|we)(?:['’]d| had| have)?(?: {_BESIDES})? "
    rf"(?:(?:had|needed) to (?:{_BESIDES} )?(?P<verb>[a-z]+)|(?P<past>(?!to\b)[a-z]+)) (?P<rest>[^?]{{2,200}}?)\W*"
)
_WORKED_AFTER = re.compile(
    r"(?i)\W*(?:(?:it|that|this) )?(?:(?P<only>only|just) )?(?:helps|helped|worked|works)(?: (?:only|just))? (?=(?:after|once"
    r"|when)\b)"
)
_THEN_IT_WORKED = re.compile(
    r"(?i),? (?:and )?(?:then|after that|afterwards|now),? (?:it|that|everything|all)(?: (?:all|finally))? (?:helped|worked"
    r"|works)\W*$"
)
"""The success that someone reports before or after what was done for it."""
_AS_BEFORE: Final = _LEXICON.any_of("as_before")
_CASE = re.compile(
    rf"(?i)\W*(?:(?:it|that|the skill|this) )?(?:{_LEXICON.any_of('no_help')})(?: (?:at all|here|(?:for|to|with) (?:me|us)))*"
    r" ?[,:;–—-]?"
    r"(?: (?:as|because|since) (?P<cause>(?!it (?:did|does|is)\b|(?:i|nothing|of|that|they|this|we)\b)[^.!?]{3,120}?)"
    rf"|(?<=[,:;–—-]) ?(?P<found>(?:an?|its|my|our|the) (?!{_AS_BEFORE})(?:[\w'’-]+ ){{1,6}}?(?:had been|was|were)"
    rf" (?:(?!{_AS_BEFORE})[^.!?,;]){{3,80}}?))"
    r"(?:,? (?:and|but|so|therefore|which)\b[^.!?]*)?[.!]?\s*"
)
_WAS = re.compile(r"(?i)\b(was|were|had been)\b")
_IS: Final = {"was": "is", "were": "are", "had been": "is"}
_OWN = re.compile(r"(?i)\b(?:my|our)\b")
_HELPED = re.compile(
    rf"(?i)\W*(?P<what>[a-z-]+ing\b[^.!?;:]{{2,160}}?),? (?:then |finally |instead )*{_LEXICON.any_of('did_it')}\b[^?]{{0,20}}"
)
MAX_CASE: Final = 160
"""The most characters of a case."""


def for_some(blame: re.Match[str], text: str) -> str | None:
    """Return what is right for the cases in which a step is wrong, as a step; None if a text instructs nothing."""
    bare = _INSTEAD.sub("", text).strip(" .!,;")
    steps = steps_in(as_sentence(bare)) if bare and not text.rstrip().endswith("?") else []
    if len(steps) != 1:
        return None
    scope = re.sub(r"(?i)^to\b", "for", blame["scope"])
    reason = "" if blame["reason"] is None else f": {blame['reason']}"
    return as_sentence(f"{scope[0].upper()}{scope[1:]}, {_lower(steps[0].rstrip('.'))} instead{reason}")


def needed_too(text: str) -> str | None:
    """Return what someone also had to do, as a step: "Restart the hub." for "only after I also restarted the hub"."""
    success = _WORKED_AFTER.match(text)
    text = _THEN_IT_WORKED.sub("", text if success is None else text[success.end() :])
    match = _NEEDED_TOO.fullmatch(text)
    if match is not None and success is not None and success["only"] is None and _BESIDES_WORD.search(text) is None:
        return None
    if match is None or (match["after"] is None and _BESIDES_WORD.search(text) is None):
        return None
    verb = match["verb"] or base_of_past(match["past"].lower())
    rest = _BESIDES_WORD.sub("", match["rest"]).strip(" ,.;")
    instruction = as_sentence(f"{verb} {_OWN.sub('your', rest)}")
    return instruction if verb is not None and steps_in(instruction) else None


def case_of(text: str) -> str | None:
    """Return the case in which a skill did not help: "If the old phone is stolen" of "... because the old phone was stolen"."""
    match = _CASE.fullmatch(text)
    if match is None:
        return None
    cause = _OWN.sub("your", _WAS.sub(lambda verb: _IS[verb[1].lower()], (match["cause"] or match["found"]).strip()))
    return f"If {_lower(cause) if cause[1:2].islower() else cause}"


def deed_that_helped(text: str) -> str | None:
    """Return a deed that someone says to have helped, as an instruction: "Remove it." for "Removing it did it"."""
    match = _HELPED.match(text)
    instruction = None if match is None else from_gerund(match["what"])
    return None if instruction is None else as_sentence(_OWN.sub("your", instruction))


def renamed_in(text: str) -> tuple[str, str] | None:
    """Return the old and the new name of a thing: "Feeds" and "Sources" of "it is now called Sources instead of Feeds"."""
    match = next((found for form in _RENAMED if (found := form.fullmatch(text)) is not None), None)
    return None if match is None else (match["old"].strip(_MARKS), match["new"].strip(_MARKS))


def unwanted_condition(text: str) -> tuple[str, str] | None:
    """Return the condition that a sentence asks to remove, and what it says before that."""
    match = _UNWANTED.search(text)
    return None if match is None else (match["what"].strip(_MARKS), text[: match.start()].strip(" ,;"))


_MARKS: Final = "\"'“”‘’ "
_NAME: Final = r"(?:[\"“'‘][^\"”'’]{2,60}[\"”'’]|(?-i:[A-Z])[\w&/-]{1,30}(?: [\w&/-]{1,30}){0,3}?)"
_THING: Final = r"(?:the |this |that |it)?(?:[\w-]+ ){0,3}?"
_RENAMED: Final = (
    re.compile(
        rf"(?i)\W*{_THING}(?:['’]s|are|has been|have been|is|was|were) ?(?:now |meanwhile )?{_LEXICON.any_of('called')}"
        rf" (?P<new>{_NAME})(?: now)?,? {_LEXICON.any_of('instead_of')} (?P<old>{_NAME})(?: any ?more)?\W*"
    ),
    re.compile(
        rf"(?i)\W*{_THING}(?P<old>{_NAME})(?: [a-z]+)? (?:has been|is|was) (?:now |meanwhile )?{_LEXICON.any_of('called')}"
        rf" (?P<new>{_NAME})(?: now)?\W*"
    ),
)
_UNWANTED = re.compile(
    rf"(?i)(?:^|[,;:–-] |\b(?:and|so) )(?:so |and |please |kindly |you (?:can|could|should) |just )*{_LEXICON.any_of('remove')} "
    rf"(?:the )?{_LEXICON.any_of('limit')}s?[ :]+(?P<what>(?:[^.!?]|[.](?=\w)){{2,80}}?)[^\w\]]*$"
)


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"
