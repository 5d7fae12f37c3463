"""Running heads, running feet and page numbers: what repeats at the edge of the pages and is no part of the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from toolsets.concept_rag.ingestion.pdf.body import Body
from toolsets.concept_rag.ingestion.pdf.lines import Line, PageText

_ZONE: Final = 0.14
"""Part of the page's height at its top and bottom in which furniture stands."""
_FIRST_ZONE: Final = 0.25
"""The same for the outermost line: small books on large paper have wide margins."""
_LARGER: Final = 1.1
_LINES: Final = 3
"""Lines from the edge that are looked at; page numbers are looked for on the outermost lines of pages of any format."""
_LEVEL: Final = 4.0
"""Points by which the place of one running head varies."""
_DENSITY: Final = 0.3
"""A running head stands on this part of the pages of its chapter; heads of left pages alone stand on half of them."""
_BAND: Final = 0.6
"""Part of the lines at one height that must be known as running heads to make the rest of them one, too."""
_APART: Final = 1.7
"""Sizes from a running head to the text; lines of text are 1.2 apart."""
_NUMBER: Final = re.compile(r"\d{1,6}")
_ROMAN: Final = re.compile(r"\b[ivxlc]{1,7}\b")
_PAGE_OF: Final = re.compile(
    r"[-–—\s]*(?:page|p\.|seite)?\s*\d{1,5}\s*(?:(?:of|/|von)\s*\d{1,5})?[-–—\s]*", re.IGNORECASE
)
_ROMAN_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Zone: TypeAlias = Literal["top", "bottom"]


class _Edge(NamedTuple):
    """A line near the edge of its page."""

    page: int
    zone: Zone
    line: Line
    key: str
    apart: bool
    """Whether it is the outermost line and more space than lines have parts it from the text."""


def without_furniture(pages: Sequence[PageText], body: Body) -> list[PageText]:
    """`pages` without the lines that repeat at their edges and without page numbers."""
    edges = [edge for page in pages for edge in _edges(page, body)]
    dropped = _repeated(edges, len(pages)) | _numbers(edges, len(pages))
    dropped |= _bands(edges, dropped, len(pages), body)
    return [
        PageText(page.number, page.height, [line for line in page.lines if id(line) not in dropped]) for page in pages
    ]


def _edges(page: PageText, body: Body) -> Iterator[_Edge]:
    lines = sorted((line for line in page.lines if not line.special), key=lambda line: line.baseline)
    yield from _from_edge(page, lines, "top", body)
    lines.reverse()
    yield from _from_edge(page, lines, "bottom", body)


def _from_edge(page: PageText, lines: Sequence[Line], zone: Zone, body: Body) -> Iterator[_Edge]:
    """The lines next to an edge; `lines` begin there."""
    for place, line in enumerate(lines[:_LINES]):
        depth = line.box.y1 if zone == "top" else page.height - line.box.y0
        near = depth < (_ZONE if place else _FIRST_ZONE) * page.height
        if near or (place == 0 and _value(line.text) is not None):
            step = abs(lines[place + 1].baseline - line.baseline) if place + 1 < len(lines) else page.height
            yield _Edge(page.number, zone, line, _key(line, body), apart=place == 0 and step > _APART * line.size)


def _key(line: Line, body: Body) -> str:
    """The text of a line with its numbers made alike; headings, whose type is larger, differ by their numbers."""
    text = line.text[:200].lower()
    return text if line.size > _LARGER * body.size else _ROMAN.sub("#", _NUMBER.sub("#", text))


def _repeated(edges: Sequence[_Edge], pages: int) -> set[int]:
    """The lines whose text stands at the same place on many pages of the document or of a chapter."""
    groups: dict[tuple[Zone, str], list[_Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.zone, edge.key].append(edge)
    found: set[int] = set()
    for group in groups.values():
        if len(group) < 2:
            continue
        usual = Counter(round(edge.line.baseline / _LEVEL) for edge in group).most_common(1)[0][0] * _LEVEL
        level = [edge for edge in group if abs(edge.line.baseline - usual) <= _LEVEL]
        numbers = {edge.page for edge in level}
        span = max(numbers, default=0) - min(numbers, default=0) + 1
        few = pages < 6 and len(numbers) >= 2 and len(numbers) >= 0.5 * pages
        if few or (len(numbers) >= 3 and len(numbers) >= min(_DENSITY * span, max(0.2 * pages, 3))):
            found.update(id(edge.line) for edge in level)
    return found


def _bands(edges: Sequence[_Edge], dropped: set[int], pages: int, body: Body) -> set[int]:
    """The lines at a height where the heads of short chapters stand, which repeat on a page or two only.

    There, most lines are running heads already; or a line stands on many pages, apart from the text, in no larger type.
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
    """The lines that are a page's number: they count up as the pages do."""
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
