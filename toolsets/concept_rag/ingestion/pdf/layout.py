"""Reading order: the columns of a page from left to right, between the lines that cross them.

Where a page as a whole is not in columns, the bands between its full-width parts may be.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import Final, NamedTuple

from toolsets.concept_rag.ingestion.pdf.lines import PdfLine, Segment, line_of, rows_of

_MIN_GUTTER: Final = 7.0
"""The narrowest gutter in points; two-column journals have 12 to 24."""
_MIN_LINES: Final = 4
"""The least number of lines on each side of a gutter."""
_MIN_PROSE_LINES: Final = 6
"""Fewer lines beside a gap may be cells of a table."""
_MIN_LETTERS: Final = 15
"""The least number of letters of the median line of prose."""
_CROSSING_SHARES: Final = (0.0, 0.05, 0.15, 0.3, 0.5)
"""Shares of all segments that may cross a gutter (titles, abstracts, wide tables), tried in order."""
_PROSE_CROSSING_SHARES: Final = (0.05, 0.15, 0.3)
"""The same for a gutter between two of three columns, crossed by tables and headings over both."""
_MAX_CHANGES: Final = 6
"""The most changes of sides in the content stream, for captions, heads and feet. A table of four rows changes seven times."""
_STRIP: Final = 2.0
"""The resolution in points of the search for spaces."""
_MAX_STRIPS: Final = 5_000
"""Pages up to 10,000 points wide; damaged coordinates must not fill the memory."""
_MAX_CANDIDATES: Final = 6
"""The widest gaps are tried; each takes a look at all segments."""
_MAX_DEPTH: Final = 5
"""Columns within bands within columns; deeper splits are those of tables."""
_CENTRED: Final = 0.05
"""The most by which the middle of a centred line is beside that of the text, as a share of the text's width."""
_SAME_AXIS: Final = 3.0
"""The most points between the middles of two centred lines."""
_PROSE_WIDTH: Final = 0.55
"""The least share of its column that the median line of prose fills; table cells are shorter."""
_FULL_PROSE_WIDTH: Final = 0.75
"""The same for columns below or above a table or listing, whose text may be in row order."""
_MIN_FULL_LETTERS: Final = 20
"""More than `_MIN_LETTERS`, since text in row order may be a table."""
_ALIKE: Final = 0.85
"""The least ratio of the widths of two such columns."""
_FULL_WIDTH: Final = 0.6
"""The least share of the page's text that a line across both columns takes."""
_CROSSING_WIDTH: Final = 0.1
"""The least share of the page's text on both sides of a gutter of a segment that takes the rest of its row along."""
_BAND_GAP: Final = 1.0
"""In multiples of the size: the least space between two bands of a page."""


class _Gutter(NamedTuple):
    left: float
    right: float


def page_lines(parts: Sequence[Segment], page: int) -> list[PdfLine]:
    """Return the lines of a page in reading order."""
    return _read(list(parts), page, 0)


def _read(parts: list[Segment], page: int, depth: int, column: tuple[float, float] | None = None) -> list[PdfLine]:
    if not parts:
        return []
    gutter = _gutter(parts) if depth < _MAX_DEPTH else None
    if gutter is not None:
        return _beside(parts, gutter, page, depth)
    bands = _bands(parts) if depth == 0 else []
    if not bands:
        return _column(parts, page, column)
    edges = _edges(rows_of(parts))
    lines: list[PdfLine] = []
    for band in bands:
        found = [part for row in band.rows for part in row]
        lines += _column(found, page, edges) if band.gutter is None else _beside(found, band.gutter, page, depth + 1)
    return lines


def _beside(parts: Sequence[Segment], gutter: _Gutter, page: int, depth: int) -> list[PdfLine]:
    """Return the lines beside a gutter, between those that cross it."""
    lines: list[PdfLine] = []
    across: list[Segment] = []
    beside: list[Segment] = []
    edges = min(part.box.x0 for part in parts), max(part.box.x1 for part in parts)
    rows = rows_of(parts)
    lone = {id(row[0]) for row in rows if len(row) == 1 and not row[0].special}
    wide = {
        id(part) for row in rows if _crosses_far(row, gutter, _CROSSING_WIDTH * (edges[1] - edges[0])) for part in row
    }
    space, axis, margin = _between(parts, gutter), sum(edges) / 2, _CENTRED * (edges[1] - edges[0])
    within: tuple[float, float] | None = None
    for part in sorted(parts, key=lambda part: (part.baseline, part.box.x0)):
        crosses = (part.box.x0 < gutter.left and part.box.x1 > gutter.right) or id(part) in wide
        if crosses or (not beside and id(part) in lone and _is_centred(part, space, axis, margin)):
            lines += _sides(beside, gutter, page, depth)
            beside = []
            across.append(part)
            axis, margin = part.box.middle[0], _SAME_AXIS
            within = within if crosses else edges
        else:
            if across:
                lines += _read(across, page, depth + 1, within)
                across, within = [], None
            beside.append(part)
    return lines + (_read(across, page, depth + 1, within) if across else _sides(beside, gutter, page, depth))


def _crosses_far(row: Sequence[Segment], gutter: _Gutter, least: float) -> bool:
    """Return whether a segment of a row of several takes at least a width of both columns, so that the row is in neither."""
    return len(row) > 1 and any(
        part.box.x0 < gutter.left - least and part.box.x1 > gutter.right + least for part in row
    )


def _between(parts: Sequence[Segment], gutter: _Gutter) -> _Gutter:
    """Return the gutter up to the usual left edge of the lines right of it: centred lines may have narrowed it."""
    edges = Counter(round(part.box.x0 / _STRIP) for part in parts if part.box.x0 >= gutter.right)
    return _Gutter(gutter.left, max(edges, key=lambda edge: (edges[edge], -edge)) * _STRIP)


def _is_centred(part: Segment, gutter: _Gutter, middle: float, margin: float) -> bool:
    """Return whether a segment is centred on `middle` over the gutter: a name below a title may be as short."""
    return abs(part.box.middle[0] - middle) <= margin and part.box.x0 < gutter.right and part.box.x1 > gutter.left


def _sides(parts: list[Segment], gutter: _Gutter, page: int, depth: int) -> list[PdfLine]:
    """Return the lines beside the gutter between two lines that cross it: the left side, then the right."""
    middle = (gutter.left + gutter.right) / 2
    left = [part for part in parts if (part.box.x0 + part.box.x1) / 2 < middle]
    right = [part for part in parts if (part.box.x0 + part.box.x1) / 2 >= middle]
    if not right or not left or len(rows_of(parts)) == 1:
        return _column(parts, page)
    return _read(left, page, depth + 1) + _read(right, page, depth + 1)


def _column(parts: Sequence[Segment], page: int, column: tuple[float, float] | None = None) -> list[PdfLine]:
    """Return the lines of a column with these edges; without them, they are those of its lines."""
    if not parts:
        return []
    rows = rows_of(parts)
    edges = column or _edges(rows)
    return [line_of(row, page, edges) for row in rows]


def _edges(rows: Sequence[Sequence[Segment]]) -> tuple[float, float]:
    """Return the left and right edge of a column; one row in twenty may exceed it, by a long word or a wide table."""
    ends = sorted(max(part.box.x1 for part in row) for row in rows)
    return min(part.box.x0 for row in rows for part in row), ends[(len(ends) - 1) * 19 // 20]


class _Band(NamedTuple):
    """Rows between two spaces across the page, with the gutter if they are in columns."""

    rows: list[list[Segment]]
    gutter: _Gutter | None


def _bands(parts: Sequence[Segment]) -> list[_Band]:
    """Return the bands of a page from the top, if some are two columns of prose; [] otherwise.

    A table, a listing or a figure over both columns hides their gutter from a search in the whole page.
    """
    if len(parts) < 2 * _MIN_LINES:
        return []
    whole = max(part.box.x1 for part in parts) - min(part.box.x0 for part in parts)
    bands = [_Band(rows, _prose_gutter(rows, whole)) for rows in _cut(rows_of(parts), _FULL_WIDTH * whole)]
    if all(band.gutter is None for band in bands):
        return []
    joined: list[_Band] = []
    for band in bands:
        if joined and (gutter := _common_gutter(joined[-1], band)) is not None:
            joined[-1] = _Band(joined[-1].rows + band.rows, gutter)
        else:
            joined.append(band)
    return joined


def _cut(rows: Sequence[list[Segment]], wide: float) -> list[list[list[Segment]]]:
    """Return `rows` cut at spaces across the page, and around those with a segment of at least a width."""
    bands: list[list[list[Segment]]] = []
    bottom, was_wide = 0.0, False
    for row in rows:
        is_wide = any(part.box.width >= wide for part in row)
        if bands and is_wide == was_wide and min(part.box.y0 for part in row) - bottom < _BAND_GAP * row[0].size:
            bands[-1].append(row)
        else:
            bands.append([row])
        bottom, was_wide = max(bottom, *(part.box.y1 for part in row)), is_wide
    return bands


def _prose_gutter(rows: Sequence[Sequence[Segment]], whole: float) -> _Gutter | None:
    """Return the gutter between two columns of prose of about the same width; None if the rows are anything else."""
    parts = [part for row in rows for part in row]
    mono = [part for part in parts if part.words and part.words[0].style.mono]
    if len(parts) < 2 * _MIN_LINES or 2 * len(mono) > len(parts):
        return None
    for gutter in _clear_strips(_crossings(parts), len(parts) // 20):
        left, right = _sides_of(parts, gutter)
        if _is_full_prose(left, whole) and _is_full_prose(right, whole):
            narrow, broad = sorted((_width(left), _width(right)))
            if narrow >= _ALIKE * broad:
                return gutter
    return None


def _common_gutter(above: _Band, below: _Band) -> _Gutter | None:
    """Return the gutter through two bands one below the other; None if they are not parts of the same columns."""
    gutters = [band.gutter for band in (above, below) if band.gutter is not None]
    if not gutters:
        return None
    gutter = _Gutter(max(each.left for each in gutters), min(each.right for each in gutters))
    if gutter.right - gutter.left < _MIN_GUTTER:
        return None
    return gutter if all(band.gutter is not None or _fits(band.rows, gutter) for band in (above, below)) else None


def _fits(rows: Sequence[Sequence[Segment]], gutter: _Gutter) -> bool:
    """Return whether several rows have at most one segment on each side of a gutter."""
    return len(rows) > 1 and all(
        all(part.box.x1 <= gutter.right or part.box.x0 >= gutter.left for part in row)
        and sum(part.box.x1 <= gutter.right for part in row) <= 1
        and sum(part.box.x0 >= gutter.left for part in row) <= 1
        for row in rows
    )


def _gutter(parts: Sequence[Segment]) -> _Gutter | None:
    """Return the widest space between columns, crossed by as few segments as possible; None for a single column."""
    if len(parts) < 2 * _MIN_LINES:
        return None
    crossings = _crossings(parts)
    for share in _CROSSING_SHARES:
        for gutter in _clear_strips(crossings, int(share * len(parts))):
            if _parts_columns(parts, gutter):
                return gutter
    return None


def _crossings(parts: Sequence[Segment]) -> list[int]:
    """Return the number of segments over each strip of the page, `_STRIP` points wide, from the left."""
    strips = min(max(int(max(part.box.x1 for part in parts) / _STRIP) + 2, 1), _MAX_STRIPS)
    changes = [0] * (strips + 1)
    for part in parts:
        first, last = (min(max(int(edge / _STRIP), 0), strips - 1) for edge in (part.box.x0, part.box.x1))
        changes[first] += 1
        changes[last + 1] -= 1
    return list(accumulate(changes))[:strips]


def _clear_strips(crossings: Sequence[int], limit: int) -> list[_Gutter]:
    """Return the inner spaces crossed by at most `limit` segments, widest first."""
    found: list[_Gutter] = []
    start: int | None = None
    for index, count in enumerate(crossings):
        if count <= limit:
            start = index if start is None else start
        elif start is not None:
            if start > 0 and (index - start) * _STRIP >= _MIN_GUTTER:
                found.append(_Gutter(start * _STRIP, index * _STRIP))
            start = None
    return sorted(found, key=lambda gutter: gutter.left - gutter.right)[:_MAX_CANDIDATES]


def _parts_columns(parts: Sequence[Segment], gutter: _Gutter) -> bool:
    """Return whether the text beside `gutter` is in columns rather than a table.

    The content stream of a page usually has columns one after another, and tables row by row. Text in row order is read
    as columns only if both sides look like prose.
    """
    left, right = _sides_of(parts, gutter)
    if min(len(rows_of(left)), len(rows_of(right))) < _MIN_LINES:
        return False
    order = [side for _, side in sorted([(part.order, 0) for part in left] + [(part.order, 1) for part in right])]
    changes = sum(one != other for one, other in pairwise(order))
    if changes <= max(_MAX_CHANGES, 0.15 * min(len(left), len(right))):
        return True
    whole = _width(parts)
    return all(_is_prose(side, whole) or _is_prose_columns(side, whole) for side in (left, right))


def _is_prose_columns(side: Sequence[Segment], whole: float) -> bool:
    """Return whether a side is itself two columns of prose of about the same width, as beside one gutter of three columns."""
    if len(side) < 2 * _MIN_PROSE_LINES:
        return False
    crossings = _crossings(side)
    for share in _PROSE_CROSSING_SHARES:
        for gutter in _clear_strips(crossings, int(share * len(side))):
            columns = _sides_of(side, gutter)
            if all(_is_prose(column, whole) for column in columns):
                narrow, broad = sorted(map(_width, columns))
                return narrow >= _ALIKE * broad
    return False


def _sides_of(parts: Sequence[Segment], gutter: _Gutter) -> tuple[list[Segment], list[Segment]]:
    """Return the segments left of a gutter, and those right of it."""
    left = [part for part in parts if part.box.x1 <= gutter.right]
    return left, [part for part in parts if part.box.x0 >= gutter.left]


def _width(side: Sequence[Segment]) -> float:
    return max(part.box.x1 for part in side) - min(part.box.x0 for part in side)


def _is_full_prose(side: Sequence[Segment], whole: float) -> bool:
    return _is_prose(side, whole, share=_FULL_PROSE_WIDTH, lines=_MIN_LINES, letters=_MIN_FULL_LETTERS)


def _is_prose(
    side: Sequence[Segment],
    whole: float,
    *,
    share: float = _PROSE_WIDTH,
    lines: int = _MIN_PROSE_LINES,
    letters: int = _MIN_LETTERS,
) -> bool:
    """Return whether most lines fill this `share` of a side's width, and the width is a large share of the `whole`."""
    texts = [part for part in side if not part.special]
    if len(texts) < lines:
        return False
    width = _width(texts)
    usual = median(sum(len(word.text) for word in part.words) for part in texts)
    return width >= 0.2 * whole and usual >= letters and median(part.box.width for part in texts) >= share * width
