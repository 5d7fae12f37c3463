"""The normal form of a name, without the spelling differences that carry no meaning."""

import re
import unicodedata
from dataclasses import dataclass

from backends.ports.text import normalized

_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ø": "o", "ł": "l"}
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_JS = re.compile(r"(?:(?<=[^\W_])[.\s-]|(?<=[^\W_]{2}))js\b")
# Only in these scripts (Latin to Arabic) is a mark an accent; in others it makes another letter or is a vowel.
_ACCENTED = re.compile(
    r"([!-\u077f])[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_UNSEEN = re.compile(r"[\u034f\ufe00-\ufe0f]")
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


def normal(name: str, *, is_person: bool = False) -> NormalName:
    """Return the normal form of a name.

    It drops case, accents, punctuation, articles, legal forms, the words project, initiative and team, the s of a plural
    (not of a person's name), the ending js, and a zero at the end of a version. Camel-case humps and digits separate words.
    """
    text = normalized(name, "NFC").translate(_UMLAUTS).replace("+", " plus ").replace("#", " sharp ")
    text = _HUMP.sub(" ", text)
    plain = (text if text.isascii() else _without_accents(text)).casefold()
    words = _separated(_JS.sub("", plain)).split()
    words = [part for word in words for part in _DIGITS.split(word) if part]
    if not is_person:
        words = [_singular(word) for word in words]
    kept = [word for word in words if word not in _DROPPED]
    while len(kept) > 1 and kept[0] in {"the", "a", "an"}:
        kept = kept[1:]
    while len(kept) > 2 and kept[-1] == "0" and kept[-2].isdigit():
        kept = kept[:-1]
    return NormalName(tuple(kept or words or [plain.strip() or name]))


def _without_accents(text: str) -> str:
    bare = _ACCENTED.sub(r"\1", normalized(text, "NFKD"))
    return normalized(_UNSEEN.sub("", bare), "NFC")


def _separated(text: str) -> str:
    """Return a text with blanks for all that is neither a letter, a digit, nor a mark of a letter, such as a vowel sign."""
    if text.isascii():
        return _BETWEEN.sub(" ", text)
    kept: list[str] = []
    for sign in text:
        belongs = sign.isalnum() or (kept and kept[-1] != " " and unicodedata.category(sign).startswith("M"))
        kept.append(sign if belongs else " ")
    return "".join(kept)


def _singular(word: str) -> str:
    plural = len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "es", "os", "as"))
    return word[:-1] if plural else word
