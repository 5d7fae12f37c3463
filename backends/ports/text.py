"""The texts that a store accepts, and the shadow in which they are searched."""

import re
import unicodedata
from typing import Literal

from backends.ports.errors import InvalidInput

MAX_TEXT_BYTES = 256 * 1024
"""Longer texts are documents, which are stored in passages; a page of records holds up to a thousand texts."""
MAX_INDEXED_BYTES = 32 * 1024
"""A longer text is stored and returned whole, but not found by `Contains`, `InIgnoringCase` or `keyword`."""
MAX_SHADOW_POINTS = MAX_INDEXED_BYTES * 3 // 2
"""The longest shadow of a searched text, even decomposed: a character has at most 1.5 code points there per byte of UTF-8."""
MAX_SORT_BYTES = 2_000
"""Engines limit the keys of their indexes: PostgreSQL's to about 2,700 bytes."""
MAX_NAME_POINTS = 500
"""The longest name, in code points, unless a document states another limit."""

_MAX_MARKS = 30
"""The limit of Unicode's Stream-Safe Text Format."""
_LONG_ENOUGH = re.compile(rf"[\u0300-\U0010ffff]{{{_MAX_MARKS + 1}}}")
_MARKS = re.compile(rb"[^\0]{%d}(?=[^\0])" % _MAX_MARKS)
"""Thirty non-starters before another one, in a string of combining classes."""
_DECOMPOSED = str.maketrans(dict.fromkeys("\u0f73\u0f75\u0f81\uff9e\uff9f", "\u0301"))
"""The characters of combining class 0 whose decomposition starts with a non-starter."""
_JOINER = "\u034f"


def text_problem(text: str, *, max_bytes: int = MAX_TEXT_BYTES) -> str | None:
    """Return why `text` cannot be stored, as the end of a sentence about it; None if it can."""
    if "\x00" in text:
        return "must not contain the NUL character"
    try:
        # Every text is checked. Most are ASCII, whose size is known without encoding.
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        return "must not contain lone surrogates"
    if size > max_bytes:
        return f"must not be longer than {max_bytes} bytes of UTF-8 (it has {size})"
    return None


def check_text(text: str, *, what: str, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Return `text` unchanged. Raises `InvalidInput` for NUL, lone surrogates and texts over `max_bytes`."""
    if (problem := text_problem(text, max_bytes=max_bytes)) is not None:
        raise InvalidInput(f"{what} {problem}")
    return text


def normalized(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> str:
    """Return `text` in a normal form of Unicode, in time linear in its length.

    Normalising sorts each run of combining marks, which is quadratic in the length of the run. A combining grapheme joiner
    is therefore inserted after every 30 marks, as in the stream-safe format of UAX 15; no language has longer runs.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _stream_safe(text) if _LONG_ENOUGH.search(text) else text)


def _stream_safe(text: str) -> str:
    classes = bytes(map(unicodedata.combining, text.translate(_DECOMPOSED)))
    ends = [match.end() for match in _MARKS.finditer(classes)]
    return _JOINER.join(text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True))


def shadow(text: str) -> str:
    """Return the form in which texts are compared without case: `casefold(NFC(text))`.

    Both follow Python's version of Unicode, so they are the same for every engine, whatever its own rules for case.
    """
    return normalized(text, "NFC").casefold()


def is_findable(needle: str) -> bool:
    """Return False for a needle that no searched text can contain, because of its length. The needle is not read.

    A decomposed needle may have more code points than its shadow. But a text's shadow, even decomposed, has at most
    `MAX_SHADOW_POINTS`, and a needle has no more than its own decomposed shadow.
    """
    return len(needle) <= MAX_SHADOW_POINTS
