"""Finds tables of contents without page numbers: short lines in a row that recur below as headings."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.ingestion.outline_entries import LONGEST, numbered_entry

_FEWEST: Final = 4
"""The least number of entries."""
_RECURRING: Final = 0.5
"""The least share of numbered entries that recur as headings; some headings of plain text are not recognised."""
_RECURRING_UNNUMBERED: Final = 0.75
"""More than of numbered entries, since a list of topics looks the same."""
_NUMBERED: Final = 0.5
"""The least share of entries with a number, unless nearly all recur."""
_DISTINCT: Final = 0.9
"""The least share of different entries: lines that recur are those of a form or a table."""
_GAP: Final = 2
"""The most lines between two entries: the rest of a long entry, or entries without a number."""
_KINDS: Final = frozenset({"paragraph", "list_item", "heading"})


@dataclass(frozen=True, slots=True)
class _OutlineLine:
    """A block that may be an entry, or the heading that an entry names."""

    number: str
    """ "" for a line without a number."""
    title: str
    """In lower case; "" for a block that is neither."""
    is_heading: bool = False


def contents_lists(
    blocks: Sequence[Block], may_start: Sequence[bool], is_title: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Yield the place of the first block and the end of each table of contents, its title included.

    `may_start` says of each block whether a table of contents may begin there; `is_title` recognises its title. Below a
    title the entries need not recur if they are numbered. Runs in linear time.
    """
    outline = _Outline([_line(block) for block in blocks], [is_title(block.text) for block in blocks])
    end = 0
    for place, may in enumerate(may_start):
        if not may or place < end:
            continue
        titled = outline.titles[place]
        if titled or outline.is_entry(place):
            end = outline.end(place + titled)
            if outline.is_contents(place + titled, end, titled=titled):
                yield place, end


class _Outline:
    """The lines of a document, and the headings they name."""

    def __init__(self, lines: Sequence[_OutlineLine], titles: Sequence[bool]) -> None:
        self._lines = lines
        self.titles = titles
        """Whether each line is the title of a table of contents."""
        self._last = {line.title: place for place, line in enumerate(lines) if line.is_heading}
        """The last heading with these words."""

    def is_entry(self, place: int) -> bool:
        """Return whether a line is numbered, or recurs as a heading."""
        line = self._lines[place]
        return bool(line.title) and (bool(line.number) or self._last.get(line.title, 0) > place)

    def end(self, start: int) -> int:
        """Return the end of the entries from `start` on: prose, another title, or the first line that an entry names."""
        seen: set[_OutlineLine] = set()
        end = place = start
        while place < len(self._lines) and place - end <= _GAP and (line := self._lines[place]).title:
            if self.titles[place] or _is_named(line, seen):
                break
            if self.is_entry(place):
                end = place + 1
            # With and without its number, because an entry and its heading may differ in it.
            seen |= {_OutlineLine(line.number, line.title), _OutlineLine("", line.title, is_heading=not line.number)}
            place += 1
        is_prose_next = end < len(self._lines) and not self._lines[end].title
        return end - 1 if is_prose_next and end > start and self._lines[end - 1].is_heading else end

    def is_contents(self, start: int, end: int, *, titled: bool) -> bool:
        """Return whether the lines are a table of contents, rather than a list."""
        lines = self._lines[start:end]
        if len(lines) < _FEWEST or len({(line.number, line.title) for line in lines}) < _DISTINCT * len(lines):
            return False
        recurring = sum(self._last.get(line.title, 0) >= end for line in lines)
        if recurring >= _RECURRING_UNNUMBERED * len(lines):
            return True
        is_numbered = sum(bool(line.number) for line in lines) >= _NUMBERED * len(lines)
        return is_numbered and (titled or recurring >= _RECURRING * len(lines))


def _is_named(line: _OutlineLine, seen: Collection[_OutlineLine]) -> bool:
    """Return whether a line is the section that one of the entries before it names."""
    if line.number and _OutlineLine(line.number, line.title) in seen:
        return True
    is_unnumbered = _OutlineLine("", line.title, is_heading=True) in seen
    return line.is_heading and (is_unnumbered or (not line.number and _OutlineLine("", line.title) in seen))


def _line(block: Block) -> _OutlineLine:
    text = block.text.strip()
    if block.kind not in _KINDS or len(text) > LONGEST:
        return _OutlineLine("", "")
    number, title = numbered_entry(text) or ("", text)
    return _OutlineLine(number.casefold(), title.strip(" .:*").casefold(), block.kind == "heading")
