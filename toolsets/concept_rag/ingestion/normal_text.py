"""Normalises the text of blocks: removes invisible characters, and normalises white space."""

import re
import textwrap
from typing import Final

from backends.ports.text import normalized

# Controls, soft hyphens, zero-width spaces, directional marks, byte order marks, lone surrogates and noncharacters. The
# zero-width joiners are kept: Persian and Indic scripts need them.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_LINES: Final = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def prose(text: str) -> str:
    """Return `text` composed (NFC), with single spaces for runs of white space and nothing at its ends."""
    return normalized(" ".join(_UNSEEN.sub("", text).split()), "NFC")


def code(text: str) -> str:
    """Return the lines of `text` with relative indentation, without surrounding blank lines and trailing white space."""
    lines = [line.rstrip() for line in _UNSEEN.sub("", _LINES.sub("\n", text)).split("\n")]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def quotable(text: str, limit: int = 120) -> str:
    """Return `text` for quotation in a message: one line of at most `limit` characters, with unusual characters escaped."""
    line = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text[: limit + 1])
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
