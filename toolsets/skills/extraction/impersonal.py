"""Words clauses without the person in them: "When opening a file" for "when I open a file"."""

import re
from typing import Final

from toolsets.skills.extraction.verbs import gerund

_FIRST_PERSON = re.compile(
    r"(?i)^(?P<who>i|we|you|they|users?|the user|people|someone|he|she) (?:(?:try|tries|want|wants|need|start"
    r"|begin) to |(?:am|are) trying to |(?:just|always|also|only|then) )*(?P<verb>[a-z][a-z-]{1,15})\b(?!'"
    r"|’)(?P<rest>.*)"
)
_NO_GERUND: Final = frozenset(
    """am are been came can could did do does got had has have installed is made may might saw should took tried was
    went were will would""".split()
)


def impersonal(word: str, rest: str) -> str:
    """Return a clause without the person in it: "When opening a file" for "when I open a file"."""
    if (match := _FIRST_PERSON.match(rest)) is not None and word in {
        "when",
        "whenever",
        "while",
        "after",
        "only when",
        "every time",
        "each time",
    }:
        verb = match["verb"].lower()
        if verb not in _NO_GERUND and not verb.endswith(("ed", "ing", "s")):
            conjunction = "when" if word in {"whenever", "every time", "each time"} else word
            return f"{conjunction.capitalize()} {gerund(verb)}{match['rest']}"
    return f"{word.capitalize()} {rest}"


def clause_without_person(text: str) -> str:
    """Return a text without the person in its clause with "when"."""
    return _WHEN.sub(lambda match: _lower_first(impersonal(match["word"].lower(), match["rest"])), text)


_WHEN = re.compile(r"(?i)\b(?P<word>when|whenever|while|after) (?P<rest>(?:i|we) .{3,150})")


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]
