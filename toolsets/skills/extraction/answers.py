"""Prepares a helper's turn for the search for steps: an answer without pleasantries, and with the conditions of its questions."""

import re
from typing import Final

from toolsets.skills.extraction.cues import without_greeting
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon

_LEXICON = lexicon("answers")
_START: Final = r"(?im)(?:^|(?<=[.!?:]\s))[^\w\n]{0,3}"
_OPENING: Final = r"(?:(?:ah|but|hi|hm+|no|oh|ok(?:ay)?|oops|right|so|sorry|wait|well|yes)[,.!:]?\s+){0,3}?"
_APOLOGY: Final = r"(?:(?:apologies|my (?:bad|fault|mistake)|oops|sorry|wait)[,.!:]?\s+(?:no[,.!]?\s+)?)"
_RETRACTION = re.compile(
    rf"{_START}{_OPENING}(?:{_LEXICON.any_of('retraction')}|{_APOLOGY}{_LEXICON.any_of('retraction_with_apology')})"
    r"[^.!?:\n]{0,80}(?:[.!?:]+|$)"
)
_ASIDE = re.compile(
    rf"{_START}{_OPENING}(?:{_LEXICON.any_of('pleasantry')}|{_LEXICON.any_of('handover')})(?=\s|$)[^\S\n]*"
)
_MEANT = re.compile(
    rf"{_START}{_APOLOGY}{_LEXICON.any_of('meant')}:? (?P<right>(?:[^.!?,\n]|[.,](?=\d)){{1,120}}?)"
    r"(?:,? (?:and )?not (?P<wrong>(?:[^.!?,\n]|[.,](?=\d)){1,80}))?(?:[.!]+|(?=\n)|$)"
)
"""What a helper meant instead of what the sentence before says."""
_AMOUNT = re.compile(r"(?<![\w.-])(?P<number>\d[\d.,]*(?<=\d))(?P<unit>(?:\s|-)?(?:[A-Za-z]+|%|°\w?))?")
_INTERNAL = re.compile(rf"(?im)^\W{{0,4}}{_LEXICON.any_of('internal')}\b[^\n]*$")
_BRANCH = re.compile(
    r"(?im)(?:^|(?<=[.!?:]\s))(?P<verb>is|are|was|were|do|does|did|have|has|can) (?P<rest>[^.!?\n]{3,120})\?\s+"
    r"(?=(?:if (?:so|not|yes|no|it (?:is|does|isn't|doesn't))|yes|no|otherwise)\b)"
    r"(?P<branches>(?:(?:if (?:so|yes|not|no|it (?:is|does|isn't|doesn't))|otherwise),? [^.!?\n]{3,200}[.!?]?\s*){1,2})"
)
_ARM = re.compile(
    r"(?i)(?P<when>if (?:so|yes|not|no|it (?:is|does|isn't|doesn't))|otherwise),? (?P<then>[^.!?\n]{3,200}[.!?]?)\s*"
)
_AGREEING: Final = frozenset({"if so", "if yes", "if it is", "if it does"})
_PRONOUN = re.compile(
    r"(?i)(?:you|it|they|he|she|we|i|this|that|these|those|there|anything|everything|anybody|someone)\b"
)
_PREDICATE = re.compile(
    r"(?i)\s(?:\w+(?:ed|ing)|on|off|in|at|up|down|under|over|still|already|also|plugged|set|lit|open|shut|the|an?|your"
    r"|older|newer|more|less|full|empty|available|visible|present|correct|missing)\b"
)


def retracted(text: str) -> tuple[bool, str]:
    """Return whether a turn takes back what was said before it, and the text of the turn after the last such sentence."""
    folded = text.casefold()
    if not any(map(folded.__contains__, _LEXICON.letters["retraction"])):
        return False, text
    ends = [match.end() for match in _RETRACTION.finditer(text)]
    return (True, text[ends[-1] :].strip()) if ends else (False, text)


def substance(text: str) -> str:
    """Return a turn without praise, announcements and internal notes, corrected, and with conditions for its questions.

    "Is it open? If so, close it." becomes "If it is open, close it.".
    """
    bare = _ASIDE.sub("", without_greeting(corrected(_INTERNAL.sub("", text))))
    return (_BRANCH.sub(_conditional, bare) if "?" in bare else bare).strip()


def corrected(text: str) -> str:
    """Return a turn in which "Sorry, I meant 4 seconds" has changed the sentence before it, where it is clear what it changes."""
    if "i mean" not in text.casefold() and "to mean" not in text.casefold():
        return text
    parts: list[str] = []
    done = 0
    for match in _MEANT.finditer(text):
        stop = match.start()
        near = text[max(done, stop - _REACH) : stop].rstrip()
        ends = (near.rstrip(".!?").rfind(mark) for mark in _SENTENCE_MARKS)
        said = near[max((at + 1 for at in ends if at >= 0), default=0) :].lstrip()
        better = _bettered(said, match["right"].strip(), match["wrong"]) if said else None
        if better is not None:
            parts += (text[done:stop].rstrip().removesuffix(said), better, text[match.end() : match.end() + 1])
            done = match.end() + 1
    return "".join((*parts, text[done:])) if parts else text


_REACH: Final = 400
"""The number of characters before a correction in which the sentence that it corrects is."""
_SENTENCE_MARKS: Final = (". ", "! ", "? ", ": ", "\n")


def _bettered(sentence: str, right: str, wrong: str | None) -> str | None:
    """Return a sentence with what was meant instead of what was said; None if it is unclear what that replaces."""
    if wrong is not None:
        at = sentence.casefold().rfind(wrong.strip().casefold())
        return None if at < 0 else f"{sentence[:at]}{right}{sentence[at + len(wrong.strip()) :]}"
    if (amount := _AMOUNT.match(right)) is not None:
        said = list(_AMOUNT.finditer(sentence))
        if len(said) != 1:
            return None
        start, stop = said[0].span() if amount["unit"] else said[0].span("number")
        return f"{sentence[:start]}{right}{sentence[stop:]}"
    if is_order(right):
        return f"{right[0].upper()}{right[1:]}."
    noun = right.rsplit(None, 1)[-1]
    said = list(re.finditer(rf"(?i)\b(?:the|an?|your) (?:[\w-]+ ){{0,2}}?{re.escape(noun)}\b", sentence))
    return f"{sentence[: said[0].start()]}{right}{sentence[said[0].end() :]}" if len(said) == 1 else None


def _conditional(match: re.Match[str]) -> str:
    subject, predicate = _parted(match["rest"])
    verb = match["verb"].lower()
    positive = f"{subject} {predicate}" if verb == "do" else f"{subject} {verb} {predicate}"
    negative = f"{subject} {verb}{'' if verb == 'can' else ' '}not {predicate}"
    arms = (
        f"If {positive if arm['when'].lower() in _AGREEING else negative}, {arm['then']}"
        for arm in _ARM.finditer(match["branches"])
    )
    return " ".join(arms) + ("\n" if match["branches"].endswith("\n") else " ")


def _parted(clause: str) -> tuple[str, str]:
    """Return subject and predicate of a question without its verb: "the lid", "open"."""
    if (pronoun := _PRONOUN.match(clause)) is not None:
        return pronoun.group(), clause[pronoun.end() :].strip()
    first = clause.find(" ", clause.find(" ") + 1)
    found = _PREDICATE.search(clause, max(first, 0)) if first > 0 else None
    at = found.start() if found is not None else clause.rfind(" ")
    return clause[:at].strip(), clause[at:].strip()
