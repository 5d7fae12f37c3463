"""Removes page furniture: running heads, running feet and page numbers, which repeat at the edges of pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.lines import PageText, PdfLine

_ZONE: Final = 0.14
"""Furniture is in this share of the page's height at the top and bottom."""
_FIRST_ZONE: Final = 0.25
"""The same for the outermost line: small books on large paper have wide margins."""
_LARGER: Final = 1.1
"""The least size of a heading in multiples of the body's: headings may recur with another number, and stay."""
_LINES: Final = 3
"""The number of lines from the edge that are examined; for page numbers only the outermost, on any page format."""
_LEVEL: Final = 4.0
"""The most points by which the position of a running head varies."""
_DENSITY: Final = 0.3
"""A running head is on at least this share of its chapter's pages; heads of left pages only are on half of them."""
_BAND: Final = 0.6
"""If this share of the lines at one height are running heads, the other lines at that height are, too."""
_APART: Final = 1.7
"""The least distance of a running head from the text, in sizes; lines of text are 1.2 apart."""
_NUMBER: Final = re.compile(r"\d{1,6}")
_ROMAN: Final = re.compile(r"\b[ivxlc]{1,7}\b")
_PAGE_OF: Final = re.compile(
    r"[-–—\s]*(?:page|p\.|seite)?\s*\d{1,5}\s*(?:(?:of|/|von)\s*\d{1,5})?[-–—\s]*", re.IGNORECASE
)
_NOTE: Final = re.compile(r"(?:\[\d{1,3}\]\s{0,3}|\d{1,3}\s{1,3}|[*†‡§¶]\s{0,3})[^\W\d]")
_ROMAN_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Zone: TypeAlias = Literal["top", "bottom"]


class _Edge(NamedTuple):
    """A line near the edge of its page."""

    page: int
    zone: Zone
    line: PdfLine
    key: str
    apart: bool
    """Whether it is the outermost line, and further from the text than lines are from each other."""


def without_furniture(pages: Sequence[PageText], body: BodyStyle) -> list[PageText]:
    """Return `pages` without the lines that repeat at their edges, and without page numbers."""
    edges = [edge for page in pages for edge in _edges(page, body)]
    dropped = _repeated(edges, len(pages)) | _numbers(edges, len(pages))
    dropped |= _bands(edges, dropped, len(pages), body)
    return [
        PageText(page.number, page.height, [line for line in page.lines if id(line) not in dropped]) for page in pages
    ]


def _edges(page: PageText, body: BodyStyle) -> Iterator[_Edge]:
    lines = sorted((line for line in page.lines if not line.special), key=lambda line: line.baseline)
    yield from _from_edge(page, lines, "top", body)
    lines.reverse()
    yield from _from_edge(page, lines, "bottom", body)


def _from_edge(page: PageText, lines: Sequence[PdfLine], zone: Zone, body: BodyStyle) -> Iterator[_Edge]:
    """Yield the lines next to an edge; `lines` begin at the edge."""
    for place, line in enumerate(lines[:_LINES]):
        depth = line.box.y1 if zone == "top" else page.height - line.box.y0
        near = depth < (_ZONE if place else _FIRST_ZONE) * page.height
        if near or (place == 0 and _value(line.text) is not None):
            step = abs(lines[place + 1].baseline - line.baseline) if place + 1 < len(lines) else page.height
            yield _Edge(page.number, zone, line, _key(line, body), apart=place == 0 and step > _APART * line.size)


def _key(line: PdfLine, body: BodyStyle) -> str:
    """Return the text of a line with equal placeholders for numbers; headings, in larger type, keep their numbers."""
    text = line.text[:200].lower()
    return text if line.size > _LARGER * body.size else _ROMAN.sub("#", _NUMBER.sub("#", text))


def _repeated(edges: Sequence[_Edge], pages: int) -> set[int]:
    """Return the lines whose text is at the same position on many pages of the document or of a chapter."""
    groups: dict[tuple[Zone, str], list[_Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.zone, edge.key].append(edge)
    found: set[int] = set()
    for (zone, _), group in groups.items():
        if len(group) < 2:
            continue
        usual = Counter(round(edge.line.baseline / _LEVEL) for edge in group).most_common(1)[0][0] * _LEVEL
        level = [edge for edge in group if abs(edge.line.baseline - usual) <= _LEVEL]
        if zone == "bottom" and _are_notes(level):
            continue
        numbers = {edge.page for edge in level}
        span = max(numbers, default=0) - min(numbers, default=0) + 1
        few = pages < 6 and len(numbers) >= 2 and len(numbers) >= 0.5 * pages
        if few or (len(numbers) >= 3 and len(numbers) >= min(_DENSITY * span, max(0.2 * pages, 3))):
            found.update(id(edge.line) for edge in level)
    return found


def _are_notes(level: Sequence[_Edge]) -> bool:
    """Return whether lines that differ in numbers only are footnotes, such as "3 Ibid., p. 40.".

    The numbers of running feet seldom change, or change with the page.
    """
    if not all(_NOTE.match(edge.line.text) for edge in level):
        return False
    ordered = sorted(level, key=lambda edge: edge.page)
    pages = [edge.page for edge in ordered]
    columns = zip(*(map(int, _NUMBER.findall(edge.line.text[:200])) for edge in ordered), strict=False)
    return any(_is_irregular(numbers, pages) for numbers in columns)


def _is_irregular(numbers: Sequence[int], pages: Sequence[int]) -> bool:
    steps = list(zip(pairwise(numbers), pairwise(pages), strict=True))
    regular = sum(after - before in (0, later - page) for (before, after), (page, later) in steps)
    return 2 * regular < len(steps)


def _bands(edges: Sequence[_Edge], dropped: set[int], pages: int, body: BodyStyle) -> set[int]:
    """Return the lines at the height of running heads of short chapters, which repeat on one or two pages only.

    At that height most lines are known running heads, or many pages have a separate line in type that is not larger.
    """
    bands: dict[tuple[Zone, int], list[_Edge]] = defaultdict(list)
    for edge in edges:
        bands[edge.zone, round(edge.line.baseline / 2)].append(edge)
    found: set[int] = set()
    for band in bands.values():
        heads = [edge.line for edge in band if id(edge.line) in dropped]
        if len(heads) < 4 or len(heads) < _BAND * len(band):
            apart = [edge.line for edge in band if edge.apart and edge.line.size < _LARGER * body.size]
            often = len(apart) >= max(8, 0.3 * pages) and len(apart) >= 0.8 * len(band)
            heads = apart if often and len(heads) >= 0.05 * len(band) else []
        sizes = {line.size for line in heads}
        found.update(id(edge.line) for edge in band if any(abs(edge.line.size - size) < 0.6 for size in sizes))
    return found


def _numbers(edges: Sequence[_Edge], pages: int) -> set[int]:
    """Return the lines that are page numbers, which increase with the pages."""
    offsets: Mapping[tuple[bool, int], set[int]] = defaultdict(set)
    numbered: list[tuple[_Edge, tuple[bool, int]]] = []
    for edge in edges:
        value = _value(edge.line.text)
        if value is not None:
            kind = edge.line.text.strip("-–— ").isdecimal(), value - edge.page
            offsets[kind].add(edge.page)
            numbered.append((edge, kind))
    found = {id(edge.line) for edge, kind in numbered if len(offsets[kind]) >= min(3, pages)}
    named = {id(edge.line) for edge in edges if _PAGE_OF.fullmatch(edge.line.text) and "g" in edge.line.text.lower()}
    return found | named


def _value(text: str) -> int | None:
    bare = text.strip("-–—[] ").lower()
    if bare.isdecimal() and len(bare) <= 5:
        return int(bare)
    if not bare or len(bare) > 7 or not set(bare) <= set(_ROMAN_VALUES):
        return None
    values = [_ROMAN_VALUES[char] for char in bare]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))
