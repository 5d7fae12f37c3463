"""Title, author and year: normalised from the metadata, else read from the first page."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.ingestion.normal_text import prose

MAX_TITLE: Final = 300
"""The field of a file may hold anything; longer texts are no titles."""
MAX_AUTHOR: Final = 300
"""The field of a file may hold anything; it is shown in lists, with the title."""
MAX_AUTHORS: Final = 20
"""More of them do not fit into `MAX_AUTHOR` characters."""

_YEAR: Final = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_PLACEHOLDERS: Final = frozenset(
    {"untitled", "unknown", "unknown author", "title", "document", "author", "none", "null"}
)
_FILE_NAME: Final = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)+|Microsoft Word - .*|.*\.(?:docx?|indd|pdf|html?|md|tex)")
_ADDRESS: Final = re.compile(r"\s*(?:<[^<>]*@[^<>]*>|\([^()]*@[^()]*\))")
_FIRST_PAGE: Final = 12
"""The number of blocks treated as the first page: title, subtitle, authors, date, copyright."""
_BYLINE: Final = re.compile(
    r"(?:(?:written |edited )?by|von|par|authors?|editors?)(?:\s*:\s*|\s+)(?P<names>[^\W\d_][^\d@:;/|]{2,120}?)"
    r"(?:,?\s*\(?(?P<year>1[4-9]\d\d|20\d\d)\)?\.?)?$",
    re.IGNORECASE,
)
"""A line of authors in English, German or French, with an optional year after the names."""
_NAME: Final = re.compile(r"(?:[^\W\d_a-z][\w.'’-]*|de|la|van|von|der|den|di|da|del|el|al|bin|ibn)(?:\s|$)")
_NAME_SEPARATOR: Final = re.compile(r",\s*(?:and\s+)?|\s+(?:and|&)\s+")
_COPYRIGHT: Final = re.compile(r"©|\(c\)|copyright", re.IGNORECASE)
_DATED: Final = re.compile(r"published|publication|release|updated|date\s*:|edition|version", re.IGNORECASE)
_MAX_DATE_LINE: Final = 80
"""The most characters of a date line; in a longer paragraph a year belongs to its subject."""
_MONTH: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?(?=(?:1[4-9]|20)\d\d\b)",
    re.IGNORECASE,
)


def title_from(candidates: Iterable[str | None]) -> str:
    """Return the first candidate with content, or ""."""
    for candidate in candidates:
        title = prose((candidate or "")[: 2 * MAX_TITLE])
        if title and title.casefold() not in _PLACEHOLDERS:
            return title[:MAX_TITLE].strip()
    return ""


def authors_from(names: Iterable[str | None]) -> str:
    """Return the names, each once and without mail addresses, or "".

    Names are joined by commas, or by semicolons if a name contains a comma.
    """
    found: dict[str, None] = {}
    for name in names:
        clean = prose(_ADDRESS.sub("", (name or "")[: 2 * MAX_AUTHOR]))
        if clean and clean.casefold() not in _PLACEHOLDERS and len(found) < MAX_AUTHORS:
            found[clean] = None
    return ("; " if any("," in name for name in found) else ", ").join(found)[:MAX_AUTHOR]


def year_from(dates: Iterable[str | None]) -> str:
    """Return the four digits of the first date that has a year from 1400 to 2099, or ""."""
    for date in dates:
        match = _YEAR.search((date or "")[:100])
        if match:
            return match[1]
    return ""


def best_title(stated: str, blocks: Sequence[Block]) -> str:
    """Return the title of the metadata, unless it is a file name and the document has a heading."""
    if stated and not _FILE_NAME.fullmatch(stated):
        return stated
    return first_heading(blocks) or stated


def first_heading(blocks: Sequence[Block]) -> str:
    """Return the highest-level heading of the first page, else the first heading, else ""."""
    headings = [block for block in blocks[:_FIRST_PAGE] if block.kind == "heading"]
    if headings:
        return title_from([min(headings, key=lambda block: block.level).text])
    return title_from(block.text for block in blocks if block.kind == "heading")


def first_page_author(blocks: Sequence[Block]) -> str:
    """Return the names in a line such as "by Ada Lovelace and Charles Babbage" on the first page, or ""."""
    for block in blocks[:_FIRST_PAGE]:
        if byline := _byline(block):
            return authors_from(byline[0])
    return ""


def _byline(block: Block) -> tuple[list[str], str] | None:
    """Return the names and the year (or "") of a line of authors; None for any other block."""
    match = _BYLINE.match(block.text) if len(block.text) <= 150 and block.kind != "code" else None
    if match is None:
        return None
    names = [name.strip(" .") for name in _NAME_SEPARATOR.split(match["names"].rstrip(" ,"))]
    return (names, match["year"] or "") if all(_is_name(name) for name in names) else None


def _is_name(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 5 and all(_NAME.fullmatch(word) for word in words)


def first_page_year(blocks: Sequence[Block]) -> str:
    """Return the latest year in a date or copyright line of the first page, or ""."""
    for block in blocks[:_FIRST_PAGE]:
        text = block.text[:500]
        is_line = len(block.text) <= _MAX_DATE_LINE and block.kind != "code"
        dated = _COPYRIGHT.search(text) or (_DATED.search(text) if is_line else None)
        years = _YEAR.findall(text[dated.end() : dated.end() + 80]) if dated else []
        if years:
            return str(max(map(int, years)))
        month = _MONTH.search(text) if is_line else None
        if month:
            return text[month.end() : month.end() + 4]
        byline = _byline(block)
        if byline and byline[1]:
            return byline[1]
    return ""
