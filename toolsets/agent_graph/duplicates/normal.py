"""The normal form of a name, without the spelling differences that carry no meaning."""

import re
import unicodedata
from dataclasses import dataclass

from backends.ports.text import normalized

_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ø": "o", "ł": "l"}
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_JS = re.compile(r"(?<=[^\W_])[.\s-]?js\b")
_BETWEEN = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"(\d+)")
_DROPPED = frozenset(
    "inc incorporated corp corporation ltd limited llc gmbh ag co company plc project initiative team".split()
)
MINOR = frozenset("of the and for de von van".split())
"""Words that one of two alike names may lack."""


@dataclass(frozen=True, slots=True)
class NormalName:
    """The words of a name in order, each of letters or of digits; never empty."""

    words: tuple[str, ...]

    @property
    def joined(self) -> str:
        """The words without spaces."""
        return "".join(self.words)

    @property
    def text(self) -> str:
        """The words joined by spaces; unique for each sequence of words."""
        return " ".join(self.words)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The words of digits; they differ for 1.11 and 11.1, and for 9.6 and 96."""
        return tuple(word for word in self.words if word.isdigit())

    @property
    def initials(self) -> tuple[str, ...]:
        """The words of one letter."""
        return tuple(word for word in self.words if len(word) == 1 and not word.isdigit())

    @property
    def core(self) -> tuple[str, ...]:
        """The words without initials and minor words; all words if nothing else is left."""
        return (
            tuple(word for word in self.words if word.isdigit() or (len(word) > 1 and word not in MINOR)) or self.words
        )


def normal(name: str) -> NormalName:
    """Return the normal form of a name.

    It drops case, accents, punctuation, articles, legal forms, the words project, initiative and team, the s of a plural,
    the ending js, and a zero at the end of a version. Camel-case humps and digits separate words.
    """
    text = name.translate(_UMLAUTS).replace("++", " plus plus").replace("#", " sharp ")
    text = _HUMP.sub(" ", text)
    plain = (text if text.isascii() else _without_accents(text)).casefold()
    words = _BETWEEN.sub(" ", _JS.sub("", plain)).split()
    words = [_singular(part) for word in words for part in _DIGITS.split(word) if part]
    kept = [word for word in words if word not in _DROPPED]
    while len(kept) > 1 and kept[0] in {"the", "a", "an"}:
        kept = kept[1:]
    while len(kept) > 2 and kept[-1] == "0" and kept[-2].isdigit():
        kept = kept[:-1]
    return NormalName(tuple(kept or words or [plain.strip() or name]))


def _without_accents(text: str) -> str:
    return "".join(letter for letter in normalized(text, "NFKD") if not unicodedata.combining(letter))


def _singular(word: str) -> str:
    plural = len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "es", "os", "as"))
    return word[:-1] if plural else word
