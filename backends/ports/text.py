"""Which texts a store accepts, and the shadow in which they are searched."""

import unicodedata

from backends.ports.errors import InvalidInput

MAX_TEXT_BYTES = 256 * 1024
MAX_INDEXED_BYTES = 32 * 1024
"""A longer text is stored and returned whole, but not found by `Contains` or `keyword`."""
MAX_SORT_BYTES = 2_000
MAX_NAME_POINTS = 500
"""The longest name, in code points, where a document states no limit of its own."""


def text_problem(text: str, *, max_bytes: int = MAX_TEXT_BYTES) -> str | None:
    """Say why `text` cannot be stored, as the end of a sentence about it; None when it can."""
    if "\x00" in text:
        return "must not contain the NUL character"
    try:
        # Each text that comes or goes is asked: what is ASCII, as most are, need not be encoded to know its size.
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


def shadow(text: str) -> str:
    """Return the form in which a text is compared when case must not matter: `casefold(NFC(text))`."""
    return unicodedata.normalize("NFC", text).casefold()
