"""Tables as rows of text, one string a row with its cells parted by bars."""

import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.lines import Cell, Line, rows_of, segments
from toolsets.concept_rag.ingestion.pdf.words import Word

SEPARATOR: Final = " | "
_SAME_RULE: Final = 3.0
"""Points; two rules closer than this are the two sides of one drawn stroke, or a double rule."""
_ALIGNED: Final = 3.5
"""Points that the edges of one column's cells may differ."""
_MIN_ROWS: Final = 3
_MAX_CELLS: Final = 64
_MAX_CONTINUED: Final = 8
"""Lines that one cell may take."""
_MIN_SPACE: Final = 4.0
"""Points between two columns."""
HYPHEN_AT_END: Final = "\x02"
"""Stands for the hyphen of a broken word until the next line of its cell is known."""
_MARKER: Final = re.compile(r"[•◦▪●■□–—*·-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\[[^\]\s]{1,12}\]")
"""A list item's sign or number, which stands apart from its text as a cell does."""


def ruled_rows(words: Sequence[Word], box: Box, across: Sequence[Box], upright: Sequence[Box]) -> tuple[str, ...]:
    """The rows of a table that is drawn with rules, from the top.

    Rules across part the rows; where there are too few of them, each line that begins in the first column is a row.
    Upright rules part the columns; where there are none, the spaces that no line covers do.
    """
    if not words:
        return ()
    columns = _between(rule_places(((rule.x0, rule.height) for rule in upright), 0.4 * box.height), box.x0, box.x1)
    if not columns:
        columns = _open_columns(words)
    levels = _between(rule_places(((rule.y0, rule.width) for rule in across), 0.5 * box.width), box.y0, box.y1)
    bands: dict[int, list[Word]] = {}
    for word in words:
        bands.setdefault(bisect(levels, (word.box.y0 + word.box.y1) / 2), []).append(word)
    rows: list[list[str]] = []
    for _, band in sorted(bands.items()):
        rows += [_cells(band, columns)] if len(bands) >= 4 else _rows_of_band(band, columns)
    return tuple(SEPARATOR.join(filter(None, row)) for row in rows if any(row))


def rule_places(strokes: Iterable[tuple[float, float]], length: float) -> list[float]:
    """Where strokes at one place make up a rule of `length` or more, ascending; a stroke is its place and length."""
    groups: list[list[tuple[float, float]]] = []
    for stroke in sorted(strokes):
        if groups and stroke[0] - groups[-1][-1][0] <= _SAME_RULE:
            groups[-1].append(stroke)
        else:
            groups.append([stroke])
    return [group[0][0] for group in groups if sum(part for _, part in group) >= length]


def _between(places: Iterable[float], low: float, high: float) -> list[float]:
    return [place for place in places if low + _SAME_RULE < place < high - _SAME_RULE]


def _open_columns(words: Sequence[Word]) -> list[float]:
    """The middles of the upright spaces that run through a table; a heading may lie across one of them."""
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


def _rows_of_band(band: Sequence[Word], columns: Sequence[float]) -> list[list[str]]:
    """The rows between two rules: one where few lines begin in the first column, else one for each that does."""
    lines = rows_of(segments(band))
    split = [_cells([word for part in line for word in part.words], columns) for line in lines]
    begun = sum(bool(row[0]) for row in split)
    if len(split) < _MIN_ROWS or begun < 0.5 * len(split):
        return [_cells(band, columns)]
    rows: list[list[str]] = []
    for row in split:
        if rows and not row[0]:
            rows[-1] = [joined(old, new) for old, new in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return rows


def _cells(words: Sequence[Word], columns: Sequence[float]) -> list[str]:
    """The texts of a row's cells, "" for an empty one."""
    cells: list[list[Word]] = [[] for _ in range(len(columns) + 1)]
    for word in words:
        cells[bisect(columns, (word.box.x0 + word.box.x1) / 2)].append(word)
    return [_cell(cell) for cell in cells]


def _cell(words: Sequence[Word]) -> str:
    text = ""
    for line in rows_of(segments(words)):
        for word in (word for part in line for word in part.words):
            text = joined(text, word.text + (HYPHEN_AT_END if word.broken else ""))
    return text.replace(HYPHEN_AT_END, "-")


def joined(left: str, right: str) -> str:
    """Two parts of a cell's text as one; a word broken over its lines is whole again."""
    if left.endswith(HYPHEN_AT_END):
        return left[:-1] + ("" if right[:1].islower() else "-") + right
    return f"{left} {right}".strip()


def table_end(lines: Sequence[Line], start: int) -> int:
    """The end of the table without rules that begins at `lines[start]`; `start` where none does.

    A table has at least three lines of two cells or more whose cells stand below one another, with single cells between
    where they continue one.
    """
    rows, at, last = 0, start, start
    previous: Line | None = None
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


def _is_row(line: Line) -> bool:
    return (
        2 <= len(line.cells) <= _MAX_CELLS
        and not line.mono
        and not line.special
        and not _MARKER.fullmatch(line.cells[0].text)
    )


def _shared(above: Line, below: Line) -> int:
    """How many cells of `below` stand under a cell of `above`: same left edge, right edge or middle."""
    return sum(any(_stands_under(cell, other) for other in above.cells) for cell in below.cells)


def _stands_under(cell: Cell, other: Cell) -> bool:
    return (
        abs(cell.x0 - other.x0) <= _ALIGNED
        or abs(cell.x1 - other.x1) <= _ALIGNED
        or abs(cell.x0 + cell.x1 - other.x0 - other.x1) <= 2 * _ALIGNED
    )


def _continues(row: Line, line: Line) -> bool:
    """Whether a line goes on with a cell of `row` other than the first."""
    return (
        not line.special
        and len(line.cells) <= len(row.cells)
        and all(any(abs(cell.x0 - other.x0) <= _ALIGNED for other in row.cells[1:]) for cell in line.cells)
        and bool(line.cells)
    )


def line_rows(lines: Sequence[Line]) -> list[str]:
    """The rows of a table without rules; a line that begins no first cell goes on with the cells above it."""
    rows: list[list[Cell]] = []
    for line in lines:
        cells = [Cell(cell.text, cell.x0, cell.x1) for cell in line.cells]
        if line.broken and cells:
            cells[-1].text += HYPHEN_AT_END
        if rows and not _is_row(line) and all(_column(rows[-1], cell) for cell in cells):
            for cell in cells:
                above = rows[-1][_column(rows[-1], cell)]
                above.text = joined(above.text, cell.text)
        else:
            rows.append(cells)
    return [SEPARATOR.join(cell.text for cell in row).replace(HYPHEN_AT_END, "-") for row in rows]


def _column(row: Sequence[Cell], cell: Cell) -> int:
    """The cell of `row` above `cell`, 0 where it is the first one or none."""
    return next((place for place, other in enumerate(row) if abs(cell.x0 - other.x0) <= _ALIGNED), 0)
