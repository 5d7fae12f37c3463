"""Tables as rows of text: one string per row, with cells separated by bars."""

import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.hyphens import HYPHEN_AT_END
from toolsets.concept_rag.ingestion.pdf.lines import Cell, PdfLine, rows_of, segments
from toolsets.concept_rag.ingestion.pdf.words import PdfWord

SEPARATOR: Final = " | "
_SAME_RULE: Final = 3.0
"""Points; two rules closer than this are the two sides of one drawn stroke, or a double rule."""
_ALIGNED: Final = 3.5
"""Points by which the edges of a column's cells may differ."""
_MIN_ROWS: Final = 3
"""Two aligned lines may be anything, such as a heading with its date."""
_MAX_CELLS: Final = 64
"""A line with more gaps is no row, but spaced letters or dots."""
_MAX_CONTINUED: Final = 8
"""The most lines of a cell."""
_MIN_SPACE: Final = 4.0
"""The least gap in points between two columns."""
_MARKER: Final = re.compile(r"[•◦▪●■□–—*·-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\[[^\]\s]{1,12}\]")
"""A list item's sign or number, which has a gap after it like a cell."""


def ruled_rows(words: Sequence[PdfWord], box: Box, across: Sequence[Box], upright: Sequence[Box]) -> tuple[str, ...]:
    """Return the rows of a table drawn with rules, from the top.

    Horizontal rules separate the rows; if there are too few, each line that begins in the first column is a row.
    Upright rules separate the columns; if there are none, spaces that no line covers do.
    """
    if not words:
        return ()
    columns = _between(rule_places(((rule.x0, rule.height) for rule in upright), 0.4 * box.height), box.x0, box.x1)
    if not columns:
        columns = _open_columns(words)
    levels = _between(rule_places(((rule.y0, rule.width) for rule in across), 0.5 * box.width), box.y0, box.y1)
    bands: dict[int, list[PdfWord]] = {}
    for word in words:
        bands.setdefault(bisect(levels, (word.box.y0 + word.box.y1) / 2), []).append(word)
    rows: list[list[str]] = []
    for _, band in sorted(bands.items()):
        rows += [_cells(band, columns)] if len(bands) >= 4 else _rows_of_band(band, columns)
    return tuple(SEPARATOR.join(filter(None, row)) for row in rows if any(row))


def rule_places(strokes: Iterable[tuple[float, float]], length: float) -> list[float]:
    """Return the positions, ascending, whose strokes (position, length) together form a rule of at least `length`."""
    groups: list[list[tuple[float, float]]] = []
    for stroke in sorted(strokes):
        if groups and stroke[0] - groups[-1][-1][0] <= _SAME_RULE:
            groups[-1].append(stroke)
        else:
            groups.append([stroke])
    return [group[0][0] for group in groups if sum(part for _, part in group) >= length]


def _between(places: Iterable[float], low: float, high: float) -> list[float]:
    return [place for place in places if low + _SAME_RULE < place < high - _SAME_RULE]


def _open_columns(words: Sequence[PdfWord]) -> list[float]:
    """Return the centres of the vertical spaces through a table; a heading may cross one of them."""
    parts = segments(words)
    edges = sorted([(part.box.x0, 1) for part in parts] + [(part.box.x1, -1) for part in parts])
    allowed = 1 if len(parts) > 8 else 0
    places: list[float] = []
    over = 0
    for (edge, change), (following, _) in pairwise(edges):
        over += change
        if over <= allowed and following - edge > _MIN_SPACE and edge > edges[0][0]:
            places.append((edge + following) / 2)
    return places


def _rows_of_band(band: Sequence[PdfWord], columns: Sequence[float]) -> list[list[str]]:
    """Return the rows between two rules: one if few lines begin in the first column, else one per such line."""
    lines = rows_of(segments(band))
    split = [_cells([word for part in line for word in part.words], columns) for line in lines]
    begun = sum(bool(row[0]) for row in split)
    if len(split) < _MIN_ROWS or begun < 0.5 * len(split):
        return [_cells(band, columns)]
    rows: list[list[str]] = []
    for row in split:
        if rows and not row[0]:
            rows[-1] = [join_cell_parts(old, new) for old, new in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return rows


def _cells(words: Sequence[PdfWord], columns: Sequence[float]) -> list[str]:
    """Return the texts of a row's cells, "" for an empty one."""
    cells: list[list[PdfWord]] = [[] for _ in range(len(columns) + 1)]
    for word in words:
        cells[bisect(columns, (word.box.x0 + word.box.x1) / 2)].append(word)
    return [_cell(cell) for cell in cells]


def _cell(words: Sequence[PdfWord]) -> str:
    text = ""
    for line in rows_of(segments(words)):
        for word in (word for part in line for word in part.words):
            text = join_cell_parts(text, word.text + (HYPHEN_AT_END if word.broken else ""))
    return text.replace(HYPHEN_AT_END, "-")


def join_cell_parts(left: str, right: str) -> str:
    """Return two parts of a cell's text as one, with a broken word joined."""
    if left.endswith(HYPHEN_AT_END):
        return left[:-1] + ("" if right[:1].islower() else "-") + right
    return f"{left} {right}".strip()


def table_end(lines: Sequence[PdfLine], start: int) -> int:
    """Return the end of the table without rules that begins at `lines[start]`; `start` if none begins there.

    A table has at least three lines of two or more aligned cells; between them may be single cells that continue one.
    """
    rows, at, last = 0, start, start
    previous: PdfLine | None = None
    while at < len(lines):
        line = lines[at]
        if previous is not None and (
            line.page != previous.page or not 0 < line.baseline - lines[at - 1].baseline < 3 * line.size
        ):
            break
        if _is_row(line):
            if previous is not None and _shared(previous, line) < 2:
                break
            previous, rows, last = line, rows + 1, at + 1
        elif previous is None or not _continues(previous, line) or at - last > _MAX_CONTINUED:
            break
        else:
            last = at + 1 if at + 1 - last < 2 else last
        at += 1
    return last if rows >= _MIN_ROWS else start


def _is_row(line: PdfLine) -> bool:
    return (
        2 <= len(line.cells) <= _MAX_CELLS
        and not line.mono
        and not line.special
        and not _MARKER.fullmatch(line.cells[0].text)
    )


def _shared(above: PdfLine, below: PdfLine) -> int:
    """Return the number of cells of `below` aligned with a cell of `above`, by left edge, right edge or centre."""
    return sum(any(_stands_under(cell, other) for other in above.cells) for cell in below.cells)


def _stands_under(cell: Cell, other: Cell) -> bool:
    return (
        abs(cell.x0 - other.x0) <= _ALIGNED
        or abs(cell.x1 - other.x1) <= _ALIGNED
        or abs(cell.x0 + cell.x1 - other.x0 - other.x1) <= 2 * _ALIGNED
    )


def _continues(row: PdfLine, line: PdfLine) -> bool:
    """Return whether a line continues a cell of `row` other than the first."""
    return (
        not line.special
        and len(line.cells) <= len(row.cells)
        and all(any(abs(cell.x0 - other.x0) <= _ALIGNED for other in row.cells[1:]) for cell in line.cells)
        and bool(line.cells)
    )


def line_rows(lines: Sequence[PdfLine]) -> list[str]:
    """Return the rows of a table without rules; a line without a first cell continues the cells above it."""
    rows: list[list[Cell]] = []
    for line in lines:
        cells = [Cell(cell.text + HYPHEN_AT_END * cell.broken, cell.x0, cell.x1) for cell in line.cells]
        if rows and not _is_row(line) and all(_column(rows[-1], cell) for cell in cells):
            for cell in cells:
                above = rows[-1][_column(rows[-1], cell)]
                above.text = join_cell_parts(above.text, cell.text)
        else:
            rows.append(cells)
    return [SEPARATOR.join(cell.text for cell in row).replace(HYPHEN_AT_END, "-") for row in rows]


def _column(row: Sequence[Cell], cell: Cell) -> int:
    """Return the index of the cell of `row` above `cell`; 0 for the first cell and for none."""
    return next((place for place, other in enumerate(row) if abs(cell.x0 - other.x0) <= _ALIGNED), 0)
