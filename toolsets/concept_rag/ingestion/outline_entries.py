"""The shape of an entry of a table of contents, a number and a title; shared by the text parser and by `outlines`."""

import re
from typing import Final, NamedTuple

LONGEST: Final = 200
"""The most characters of an entry; a longer line is prose."""
_PART: Final = (
    "chapter|part|appendix|section|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe|cap[ií]tulo|parte|ap[eé]ndice"
    "|capitolo|appendice|hoofdstuk|bijlage|rozdział|глава|часть"
)
_NUMBERS: Final = (
    rf"(?:{_PART})\s+(?:\d{{1,3}}|[ivxlc]{{1,7}}|[a-z])\b[.:]?",
    r"\d{1,3}\.(?=\s)",
    r"\d{1,3}(?:\.\d{1,3}){1,5}\.?(?=\s)",
    r"[a-z](?:\.\d{1,3}){0,5}\.(?=\s)",
    r"[a-z](?:\.\d{1,3}){1,5}(?=\s)",
    r"[ivxlc]{1,6}\.(?=\s)",
    r"第\s?[\d一二三四五六七八九十百]{1,4}\s?[章節节部編编回話]",
)
_ENTRY: Final = re.compile(
    rf"(?:[-*•‣◦·+]\s+)?(?P<number>{'|'.join(_NUMBERS)})\s*(?P<title>[^\s\d].*)", re.IGNORECASE | re.DOTALL
)


class NumberedEntry(NamedTuple):
    """A numbered entry."""

    number: str
    """Without the word before it: "2.1" of "Section 2.1."."""
    title: str


def numbered_entry(text: str) -> NumberedEntry | None:
    """Return the parts of an entry such as "2.1. Tools", "Chapter 2: Tools" or "第2章 道具"; None for any other text."""
    match = _ENTRY.fullmatch(text.strip()) if len(text) <= LONGEST else None
    return NumberedEntry(match["number"].split()[-1].rstrip(".:"), match["title"].strip(" .:…")) if match else None
