"""Converts printed characters of a PDF to plain text."""

import re
from typing import Final

from backends.ports.text import normalized

_LIGATURES: Final = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st",
    "\u0132": "IJ", "\u0133": "ij",
}  # fmt: skip
_BULLETS: Final = "‣⁃⁌⁍∙▪▫►▶▸●◦◾◼■□❖➢➔\u2022"
# Symbol fonts keep their bullets in the private area.
_PRIVATE_BULLETS: Final = (
    "\uf0b7\uf0a7\uf0a8\uf06e\uf06f\uf076\uf0d8\uf0e0\uf0fc\uf02d\uf0a3\uf071\uf077\uf0be\uf0ae\uf09f"
)
_DROPPED: Final = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufffe\uffff\ufffc"
_CONTROLS: Final = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)))
_TABLE: Final[dict[int, str | int | None]] = {
    **_CONTROLS,
    **{ord(char): text for char, text in _LIGATURES.items()},
    **dict.fromkeys(map(ord, _PRIVATE_BULLETS), "\u2022"),
    **dict.fromkeys(map(ord, _DROPPED)),
    **dict.fromkeys((0xA0, 0x2007, 0x202F), " "),
}
_PRIVATE_OR_LONE: Final = re.compile("[\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]")
# An accent that TeX prints next to its letter: "´e" for "é", "¨o" for "ö".
_SPACING_ACCENTS: Final = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¯": "\u0304",
    "˘": "\u0306",
    "ˇ": "\u030c",
    "˚": "\u030a",
}
_SPLIT_ACCENT: Final = re.compile("([´¨ˆ˜¯˘ˇ˚])([A-Za-zı])")

_TEX_LIGATURES: Final = dict(zip(range(0x1B, 0x20), "\ufb00\ufb01\ufb02\ufb03\ufb04", strict=True))
_TEX_LIGATURE: Final = re.compile("(?<=[^\\W\\d_])[\x1b-\x1f]+|[\x1b-\x1f]+(?=[^\\W\\d_])")

BULLET: Final = re.compile(f"[{_BULLETS}]")


def with_ligatures(text: str) -> str:
    """Return `text` with a ligature for each of TeX's codes of one, next to a letter; no character changes its place.

    A font of TeX that lacks a table of its characters has "ff", "fi", "fl", "ffi" and "ffl" at control characters.
    """
    return text if text.isprintable() else _TEX_LIGATURE.sub(lambda match: match[0].translate(_TEX_LIGATURES), text)


def plain(text: str) -> str:
    """Return `text` with ligatures split and accents composed, without control and private characters."""
    if text.isascii() and text.isprintable():
        return text
    return normalized(_PRIVATE_OR_LONE.sub("", _SPLIT_ACCENT.sub(_composed, text.translate(_TABLE))), "NFC")


def _composed(match: re.Match[str]) -> str:
    letter = match[2].replace("ı", "i")
    return letter + _SPACING_ACCENTS[match[1]]


def with_mark(before: str, part: str) -> str:
    """Return a raised part of a word, after the part before it: `[3]` for a note, `^3` for a power, "" for the mark of a note."""
    if not part.isdecimal() and not (len(part) == 1 and part.isalpha()):
        return part
    letters = before.rstrip(".,;:!?)\u201d\u2019\"'")
    noted = not letters or (len(letters) > 1 and letters[-2:].isalpha()) or letters != before
    if part.isdecimal():
        return f"[{part}]" + ("" if letters else " ") if noted else f"^{part}"
    return "" if len(letters) > 3 and noted and letters[-1].islower() else part
