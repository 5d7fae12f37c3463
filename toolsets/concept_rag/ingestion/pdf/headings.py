"""Headings: lines named by the outline, and lines with a larger size or weight."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.library import PdfFile
from toolsets.concept_rag.ingestion.pdf.lines import PageText, PdfLine

_MAX_ENTRIES: Final = 20_000
"""Reading an entry takes a call of the library, and a damaged outline may have no end."""
_MAX_DEPTH: Final = 6
"""The levels of headings in HTML."""
_MAX_LINES: Final = 3
"""More lines in the type of a heading are a paragraph."""
_LARGER: Final = 1.12
"""The least size of a heading in multiples of the body's; typefaces differ by less."""
_MAX_LENGTH: Final = 220
"""About three lines; a longer text is a paragraph."""
_MAX_BOLD_LENGTH: Final = 110
"""About a line and a half; a longer bold text of the body's size is an emphasised paragraph."""
_NUMBERED: Final = re.compile(
    r"(?:(?:chapter|appendix|part|section)\s+)?((?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,5})[.:]?\s", re.IGNORECASE
)
_NUMBERING: Final = re.compile(
    r"^\s*(?:(?:chapter|appendix|part|section)\s+)?(?:(?:\d{1,3}|[a-z]|[ivxlc]{1,6})(?:\.\d{1,3}){0,5}[.:]?\s+)?",
    re.IGNORECASE,
)
_LONGEST_NUMBER: Final = 30
"""The most letters and digits that `_NUMBERING` matches."""
_MAX_TITLE_LETTERS: Final = 1_200
"""A first page with more text is no title page, but begins the document."""
_UNLETTERED: Final = re.compile(r"[\W_]+")
_ENDS_SENTENCE: Final = (".", ",", ";", ":", "!")


class OutlineEntry(NamedTuple):
    """One entry of the outline."""

    title: str
    page: int
    """From 1."""
    level: int
    """1 to 6."""


def outline(document: PdfFile) -> list[OutlineEntry]:
    """Return the entries of the outline that lead to a page, in order."""
    entries: list[OutlineEntry] = []
    for bookmark in islice(document.get_toc(max_depth=_MAX_DEPTH), _MAX_ENTRIES):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination is not None else None
        if page is not None:
            entries.append(
                OutlineEntry(" ".join(bookmark.get_title()[:500].split()), page + 1, min(bookmark.level + 1, 6))
            )
    return entries


class Headings:
    """Recognises headings and their levels."""

    def __init__(self, entries: Iterable[OutlineEntry], pages: Sequence[PageText], body: BodyStyle) -> None:
        self._body = body
        self._entries: dict[int, dict[str, OutlineEntry]] = defaultdict(dict)
        for entry in entries:
            for key in _keys(entry.title):
                self._entries[entry.page].setdefault(key, entry)
        self._levels = self._levels_of_sizes(pages)
        self._title_page = _title_page(pages)

    def match(self, lines: Sequence[PdfLine], start: int, *, listing: bool = False) -> tuple[int, int] | None:
        """Return the number of lines of the heading at `start`, and its level; None if no heading begins there.

        On a page of contents or an index (`listing`), only lines in larger type are headings.
        """
        line = lines[start]
        named = self._by_outline(lines, start)
        if named is not None:
            return named
        if not _is_text(line) or len(line.text) > _MAX_LENGTH:
            return None
        if line.size >= _LARGER * self._body.size and not line.mono and not self._is_below_title(line):
            count = _same_heading(lines, start)
            return (count, self._level(line)) if count else None
        if line.bold and not listing and self._stands_alone(lines, start):
            return 1, self._level(line)
        return None

    def _is_below_title(self, line: PdfLine) -> bool:
        """Return whether a line is on a title page but is not the title."""
        return line.page == self._title_page[0] and line.size < self._title_page[1] - 0.5

    def _by_outline(self, lines: Sequence[PdfLine], start: int) -> tuple[int, int] | None:
        """Return the lines and level of a heading named by the outline; each entry names one heading."""
        entries = self._entries.get(lines[start].page)
        text = ""
        for count, line in enumerate(lines[start : start + _MAX_LINES], 1):
            small = line.size < 0.9 * self._body.size or line.size != lines[start].size
            if not entries or line.special or small or len(line.text) > _MAX_LENGTH:
                return None
            text = f"{text} {line.text}"
            if len(_UNLETTERED.sub("", text)) > _LONGEST_NUMBER + max(map(len, entries)):
                return None  # as most lines of the body
            entry = next((entries[key] for key in _keys(text) if key in entries), None)
            if entry is not None:
                for key in _keys(entry.title):
                    entries.pop(key, None)
                return count, entry.level
        return None

    def _stands_alone(self, lines: Sequence[PdfLine], start: int) -> bool:
        """Return whether a bold line of the body's size has space above it, and no bold text continues below it."""
        line = lines[start]
        if line.size < 0.95 * self._body.size or line.mono or len(line.cells) > 2 or len(line.text) > _MAX_BOLD_LENGTH:
            return False
        if line.text.endswith(_ENDS_SENTENCE) or not (line.text[0].isupper() or line.text[0].isdigit()):
            return False
        usual = self._body.leading * line.size
        above = lines[start - 1] if start else None
        below = lines[start + 1] if start + 1 < len(lines) else None
        spaced = above is None or above.column != line.column or not 0 < line.baseline - above.baseline < 1.25 * usual
        runs_on = below is not None and below.bold and 0 < below.baseline - line.baseline < 1.25 * usual
        return spaced and not runs_on

    def _level(self, line: PdfLine) -> int:
        numbered = _NUMBERED.match(line.text)
        if not self._levels and numbered:
            return min(numbered[1].count(".") + 1, 6)
        near = _near(self._levels, line.size)
        larger = [level for size, level in self._levels.items() if size >= line.size - 0.3]
        if not larger:
            return self._levels[max(self._levels)] if near else 1
        return min(max(larger) + (not near), 6)

    def _levels_of_sizes(self, pages: Sequence[PageText]) -> dict[float, int]:
        """Return the level of each heading size, by the outline, else by rank."""
        outlined: dict[float, Counter[int]] = defaultdict(Counter)
        sizes = Counter[float]()
        for page in pages:
            for line in page.lines:
                if line.mono or not _is_text(line) or line.size < _LARGER * self._body.size:
                    continue
                sizes[line.size] += 1
                entries = self._entries.get(page.number, {})
                for key in _keys(line.text) & entries.keys():
                    outlined[line.size][entries[key].level] += 1
        if outlined:
            return {size: max(levels, key=lambda level: (levels[level], -level)) for size, levels in outlined.items()}
        ranks: list[float] = []
        for size in sorted((size for size in sizes if size not in _title_sizes(pages)), reverse=True):
            if not ranks or ranks[-1] - size > 0.6:
                ranks.append(size)
        return {size: min(rank, 6) for rank, size in enumerate(ranks, 1)}


def _near(levels: dict[float, int], size: float) -> bool:
    return any(abs(size - other) <= 0.6 for other in levels)


def _title_sizes(pages: Sequence[PageText]) -> set[float]:
    """Return the sizes that occur only on the first page, which are those of the title."""
    if len(pages) < 2:
        return set()
    others = {line.size for page in pages[1:] for line in page.lines}
    return {line.size for line in pages[0].lines} - others


def _title_page(pages: Sequence[PageText]) -> tuple[int, float]:
    """Return the number of the title page, and the size of the title; (0, 0) if there is none."""
    first = next((page for page in pages if page.lines), None)
    if first is None or sum(len(line.text) for line in first.lines) > _MAX_TITLE_LETTERS or len(pages) < 3:
        return 0, 0.0
    return first.number, max(line.size for line in first.lines)


def _is_text(line: PdfLine) -> bool:
    if line.special:
        return False
    letters = filter(str.isalpha, line.text[:80])
    return next(letters, None) is not None and next(letters, None) is not None


def _same_heading(lines: Sequence[PdfLine], start: int) -> int:
    """Return the number of lines of the heading at `start`; 0 for text in large type."""
    first = lines[start]
    count = 1
    for before, line in pairwise(lines[start : start + _MAX_LINES + 2]):
        close = 0 < line.baseline - before.baseline < 1.7 * first.size
        if line.special or not close or abs(line.size - first.size) > 0.3 or line.bold != first.bold:
            break
        count += 1
    return count if count <= _MAX_LINES + 1 else 0


def _keys(title: str) -> set[str]:
    """Return the keys of a title: its letters, with and without its number."""
    text = title[: 3 * _MAX_LENGTH].lower()
    return {_UNLETTERED.sub("", text), _UNLETTERED.sub("", _NUMBERING.sub("", text, count=1))} - {""}
