"""Words as they are indexed and searched: cut here, in any script, so that no language of the engine's interferes."""

import re
import unicodedata
from typing import Final

from backends.ports.text import MAX_INDEXED_BYTES, shadow

MAX_WORDS: Final = 256
MAX_WORD_POINTS: Final = 200
_ASCII: Final = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else ord(" ") for byte in range(256))
"""Letters without case, digits, and blanks for all else; a tenth of the time that a regular expression takes."""
_ACCENTS: Final = re.compile(r"[\u0300-\u036f]+")


def words(text: str) -> list[str]:
    """Return the words of `text` in order: runs of letters, digits and their marks, without case and accents."""
    plain = text if text.isascii() else shadow(text)
    if plain.isascii():
        found = plain.encode().translate(_ASCII).decode().split()
    else:
        bare = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", plain)))
        found = "".join(point if _belongs(point) else " " for point in bare).split()
    return [word[:MAX_WORD_POINTS] for word in found]


def indexed_words(text: str) -> str | None:
    """Return what is indexed of a record's text, None for one that is too long to be searched."""
    return " ".join(words(text)) if len(text.encode()) <= MAX_INDEXED_BYTES else None


def sought_words(text: str) -> str:
    """Return what is asked of the index for `text`, empty when it has no word."""
    return " ".join([*dict.fromkeys(words(text))][:MAX_WORDS])


def _belongs(point: str) -> bool:
    return point.isalnum() or unicodedata.category(point).startswith("M")
