"""Finds the sentences in which a helper says what state a thing must have: "The lid must be closed"."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.verbs import base_of_past

_LEXICON = lexicon("answers")
_SUPPOSED = _LEXICON.words("supposed")
_NO_THING = _LEXICON.words("no_thing")
_DETERMINERS = _LEXICON.words("determiner")
_SUBORDINATORS = _LEXICON.words("subordinator") | {"that", "to"}
_REQUIRED = re.compile(
    r"(?i)(?<=[\w)\"'”`]) (?P<modal>must|ha(?:s|ve) to|needs? to|should)(?: (?:also|always|only|(?P<not>never|not)))?"
    rf" (?P<verb>{_LEXICON.any_of('state_verb')})\b ?(?P<rest>[^.!?;]{{0,40}})"
)
_CLAUSE_END = re.compile(r"(?i)[,;:]\s(?:(?:and|but|or|so|then)\s)?|\s[-–—]\s|\b(?:and|but|so)\s")
_IDENTIFIES = re.compile(
    r"(?i)(?:an?|because|due|how|my|our|some|something|the(?! (?:first|last|only|same)\b)|what|why|your)\b"
)
_VALUE = re.compile(r"(?i)(?:at (?:least|most) )?\d|[\"“'`]|(?-i:[A-Z]{2})|(?:off|on|set)\b")
"""What a thing should be, unlike "ready" and "fixed", which it will be."""
_POINTS_BACK = re.compile(
    r"(?i)(?:(?:and|but|so|then),? )?(?P<who>it|that|these|they|this|those)(?= (?:must|ha|need|should))"
)
_ONE: Final = frozenset({"it", "that", "this"})
_BE = re.compile(r"(?i)(?:\b(?P<one>is|was)|\b(?:are|were)|(?P<short>['’]s)) ")
_LONGEST_SUBJECT: Final = 8
"""Words; a longer beginning is no single thing."""
_PRONOUN = re.compile(
    r"(?i)(?:you|it|they|he|she|we|i|this|that|these|those|there|anything|everything|anybody|someone)\b"
)
_PREDICATE = re.compile(
    r"(?i)\s(?:\w+(?:ed|ing)|on|off|in|at|up|down|under|over|still|already|also|plugged|set|lit|open|shut|the|an?|your"
    r"|older|newer|more|less|full|empty|available|visible|present|correct|missing)\b"
)


def requires_state(text: str) -> bool:
    """Return whether a sentence says that a thing must have a state, not that it probably has it or will have it."""
    return any(
        _names_thing(_last_clause(text[: match.start()])) and _is_due(match) for match in _REQUIRED.finditer(text)
    )


def with_subject(text: str, before: str) -> str:
    """Return a sentence about a required state with what the question or statement before it is about for its pronoun.

    "It must be off" after "Is the child guard on?" becomes "The child guard must be off".
    """
    match = _POINTS_BACK.match(text)
    required = None if match is None else _REQUIRED.match(text, match.end())
    if match is None or required is None or not _is_due(required):
        return text
    what = _subject_of(before, one=match["who"].lower() in _ONE)
    return text if what is None else f"{what[0].upper()}{what[1:]}{text[match.end() :]}"


def _is_due(match: re.Match[str]) -> bool:
    """Return whether the words after a modal are a state to be brought about."""
    modal, verb, rest = match["modal"].lower(), match["verb"].lower(), match["rest"]
    first = rest.split(maxsplit=1)[0].lower().strip(",:\"'") if rest.strip() else ""
    if modal == "should":
        return verb == "be" and _VALUE.match(rest) is not None
    if modal != "must" or match["not"] is not None:
        return bool(first)
    if verb == "have":
        return bool(first) and first != "been" and base_of_past(first) is None
    return bool(first) and first not in _SUPPOSED and (verb != "be" or _IDENTIFIES.match(rest) is None)


def _last_clause(text: str) -> str:
    return _CLAUSE_END.split(text)[-1].strip()


def _names_thing(subject: str) -> bool:
    """Return whether a text is one noun phrase for a thing."""
    words = [word.strip("\"'“”`()").lower() for word in subject.split()]
    if not 0 < len(words) <= _LONGEST_SUBJECT or not _SUBORDINATORS.isdisjoint(words) or words[0] in _NO_THING:
        return False
    return len(words) > 1 or _PRONOUN.fullmatch(words[0]) is None


def _subject_of(text: str, *, one: bool) -> str | None:
    """Return the noun phrase that a question asks about, or with which a statement begins; None if there is no such one."""
    asks = text.endswith("?")
    clause = _last_clause(text.rstrip("?.! "))
    match = _BE.search(f"{clause} ")
    if match is None or (match["one"] is not None or match["short"] is not None) != one:
        return None
    before, after = clause[: match.start()].strip(), clause[match.end() :].strip()
    what = before
    if asks:
        what = after if before.lower() == "what" else subject_and_predicate(after)[0]
    first = what.split(maxsplit=1)[0].lower() if what else ""
    fit = first in _DETERMINERS or what[:1] in '"“' or asks or what[:1].isupper()
    return what if fit and _names_thing(what) and _PRONOUN.fullmatch(first) is None else None


def subject_and_predicate(clause: str) -> tuple[str, str]:
    """Return subject and predicate of a question without its verb: "the lid", "open"."""
    if (pronoun := _PRONOUN.match(clause)) is not None:
        return pronoun.group(), clause[pronoun.end() :].strip()
    first = clause.find(" ", clause.find(" ") + 1)
    found = _PREDICATE.search(clause, max(first, 0)) if first > 0 else None
    at = found.start() if found is not None else clause.rfind(" ")
    return clause[:at].strip(), clause[at:].strip()
