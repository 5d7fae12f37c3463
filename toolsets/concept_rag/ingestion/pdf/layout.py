"""Reading order: the columns of a page from left to right, between the lines that cross them."""

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
_CROSSING_SHARES: Final = (0.0, 0.05, 0.15, 0.3, 0.5)
"""Shares of all segments that may cross a gutter (titles, abstracts, wide tables), tried in order."""
_MAX_CHANGES: Final = 6
"""The most changes of sides in the content stream, for captions, heads and feet. A table of four rows changes seven times."""
_STRIP: Final = 2.0
"""The resolution in points of the search for spaces."""
_MAX_STRIPS: Final = 5_000
_MAX_CANDIDATES: Final = 6
_MAX_DEPTH: Final = 5
_CENTRED: Final = 0.05
"""The most by which the middle of a centred line is beside that of the text, as a share of the text's width."""
_SAME_AXIS: Final = 3.0
"""The most points between the middles of two centred lines."""
_PROSE_WIDTH: Final = 0.55
"""The least share of its column that the median line of prose fills; table cells are shorter."""


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
    if gutter is None:
        return _column(parts, page, column)
    lines: list[PdfLine] = []
    across: list[Segment] = []
    beside: list[Segment] = []
    edges = min(part.box.x0 for part in parts), max(part.box.x1 for part in parts)
    lone = {id(row[0]) for row in rows_of(parts) if len(row) == 1 and not row[0].special}
    space, axis, margin = _between(parts, gutter), sum(edges) / 2, _CENTRED * (edges[1] - edges[0])
    within: tuple[float, float] | None = None
    for part in sorted(parts, key=lambda part: (part.baseline, part.box.x0)):
        crosses = part.box.x0 < gutter.left and part.box.x1 > gutter.right
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
    if column is not None:
        return [line_of(row, page, column) for row in rows]
    ends = sorted(max(part.box.x1 for part in row) for row in rows)
    # One line in twenty may exceed the column: a long word or a wide table.
    column = min(part.box.x0 for part in parts), ends[(len(ends) - 1) * 19 // 20]
    return [line_of(row, page, column) for row in rows]


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
    left = [part for part in parts if part.box.x1 <= gutter.right]
    right = [part for part in parts if part.box.x0 >= gutter.left]
    if min(len(rows_of(left)), len(rows_of(right))) < _MIN_LINES:
        return False
    order = [side for _, side in sorted([(part.order, 0) for part in left] + [(part.order, 1) for part in right])]
    changes = sum(one != other for one, other in pairwise(order))
    if changes <= max(_MAX_CHANGES, 0.15 * min(len(left), len(right))):
        return True
    whole = max(part.box.x1 for part in parts) - min(part.box.x0 for part in parts)
    return _is_prose(left, whole) and _is_prose(right, whole)


def _is_prose(side: Sequence[Segment], whole: float) -> bool:
    """Return whether most lines of a side fill its width, and the width is a large share of the `whole`."""
    texts = [part for part in side if not part.special]
    if len(texts) < _MIN_PROSE_LINES:
        return False
    width = max(part.box.x1 for part in texts) - min(part.box.x0 for part in texts)
    letters = median(sum(len(word.text) for word in part.words) for part in texts)
    return width >= 0.2 * whole and letters >= 15 and median(part.box.width for part in texts) >= _PROSE_WIDTH * width
