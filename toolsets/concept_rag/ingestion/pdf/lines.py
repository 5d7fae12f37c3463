"""Lines of a page: words joined to cells and lines, with their type and edges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, Literal, TypeAlias
from unicodedata import bidirectional

from toolsets.concept_rag.ingestion.pdf.geometry import Box, around
from toolsets.concept_rag.ingestion.pdf.right_to_left import RIGHT_TO_LEFT
from toolsets.concept_rag.ingestion.pdf.words import SMALL, PdfWord

_CELL_GAP: Final = 1.15
"""In multiples of the size: a wider space separates cells or columns; spaces of justified text are narrower."""
_STRAY_GAP: Final = 0.5
"""The same for words that are not consecutive in the content stream: no more than a usual space."""
_OVERLAP: Final = 0.25
"""In multiples of the size: the next word may begin this far before the end of a word (kerning, italics)."""
_MOST: Final = 0.85
"""A line is bold or monospaced if this share of its letters is."""
_FEWEST_SPACED: Final = 3
"""The fewest capitals in a row that are a letter-spaced word; of other letters it takes one more."""

Special: TypeAlias = Literal["", "table", "figure"]


@dataclass(slots=True)
class Segment:
    """Words of one line without a wide space between them, or a table or a drawing taken out of the text."""

    words: list[PdfWord]
    box: Box
    baseline: float
    size: float
    order: int
    special: Special = ""
    rows: tuple[str, ...] = ()
    """The rows of a table, or the labels of a drawing."""


@dataclass(slots=True)
class Cell:
    """The text of a segment, with its left and right edge."""

    text: str
    x0: float
    x1: float
    broken: bool = False
    """Whether it ends with a hyphen that is not in `text`."""


@dataclass(slots=True)
class PdfLine:
    """One line of a page in reading order."""

    text: str
    page: int
    box: Box
    baseline: float
    size: float
    bold: bool
    mono: bool
    parts: tuple[Cell, ...]
    """Its cells if it has two or more, else empty."""
    column: tuple[float, float]
    """Left and right edge of its column."""
    width: float = 0
    """The mean width of a character, points."""
    broken: bool = False
    soft: bool = False
    special: Special = ""
    rows: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells separated by wide spaces, at least one; none for a table or a drawing."""
        return self.parts or (() if self.special else (Cell(self.text, self.box.x0, self.box.x1, self.broken),))

    @property
    def indent(self) -> float:
        """Points from the column's left edge."""
        return self.box.x0 - self.column[0]


@dataclass(slots=True)
class PageText:
    """The lines of one page, and its height in points."""

    number: int
    """From 1."""
    height: float
    lines: list[PdfLine]


def segments(words: Sequence[PdfWord]) -> list[Segment]:
    """Return `words` joined to segments, first in the order of the content stream, then by position."""
    leftward = 2 * sum(map(_is_right_to_left, words)) > len(words)
    runs: list[list[PdfWord]] = []
    for word in words:
        if runs and (_follows(runs[-1][-1], word, _CELL_GAP) or (leftward and _follows(word, runs[-1][-1], _CELL_GAP))):
            runs[-1].append(word)
        else:
            runs.append([word])
    if leftward:
        for run in runs:
            run.sort(key=lambda word: word.box.x0)
    runs.sort(key=lambda run: (round(run[0].baseline), run[0].box.x0))
    joined: list[list[PdfWord]] = []
    for run in runs:
        if joined and _follows(joined[-1][-1], run[0], _STRAY_GAP):
            joined[-1].extend(run)
        else:
            joined.append(run)
    return [_segment(run) for run in joined]


def _follows(left: PdfWord, right: PdfWord, gap: float) -> bool:
    """Return whether `right` follows `left` on its line, at most `gap` sizes away."""
    size = left.style.size
    # Most neighbours have one style, and a comparison is cheaper than `max`, for each of hundreds of words of a page.
    if left.style is not right.style and right.style.size > size:
        size = right.style.size
    if left.broken or abs(left.baseline - right.baseline) > 0.35 * size:
        return False
    space = right.box.x0 - left.box.x1
    return -_OVERLAP * size <= space <= gap * (size if not left.style.mono else 1.6 * size)


def _is_right_to_left(word: PdfWord) -> bool:
    return not word.text.isascii() and RIGHT_TO_LEFT.search(word.text) is not None


def _segment(words: list[PdfWord]) -> Segment:
    main = _main(words)
    return Segment(
        _as_read(words),
        around(word.box for word in words),
        main.baseline,
        main.style.size,
        min(word.order for word in words),
    )


def _as_read(words: list[PdfWord]) -> list[PdfWord]:
    """Return words from the left in the order in which they are read, if some of them are read from right to left."""
    if not any(map(_is_right_to_left, words)):
        return words
    kinds = [_direction(word) for word in words]
    lengths = {
        kind: sum(len(word.text) for word, other in zip(words, kinds, strict=True) if other == kind) for kind in "LR"
    }
    if lengths["R"] <= lengths["L"]:
        return _reversed_runs(words, kinds, "R")
    return _reversed_runs(words, kinds, "L")[::-1]


def _direction(word: PdfWord) -> str:
    """Return L or R for a word from left to right or from right to left, N for a number, else an empty text."""
    found = {bidirectional(char) for char in word.text}
    if found & {"R", "AL"}:
        return "R"
    return "L" if "L" in found else "N" if found & {"EN", "AN"} else ""


def _reversed_runs(words: Sequence[PdfWord], kinds: Sequence[str], kind: str) -> list[PdfWord]:
    """Return `words` with each run of words of a kind reversed; a number after a word from left to right is part of it."""
    ordered: list[PdfWord] = []
    at = 0
    while at < len(words):
        end = at + 1
        if kinds[at] == kind:
            for place in range(end, len(words)):
                if kinds[place] == kind or (kind == "L" and kinds[place] == "N"):
                    end = place + 1
                elif kinds[place] in {"L", "R"}:
                    break
        ordered += words[at:end][::-1]
        at = end
    return ordered


def _main(words: Sequence[PdfWord]) -> PdfWord:
    """Return the longest word in the type of most letters."""
    if len({word.style.size for word in words}) > 1:
        weights: dict[float, int] = {}
        for word in words:
            weights[word.style.size] = weights.get(word.style.size, 0) + len(word.text)
        size = max(weights, key=lambda value: (weights[value], value))
        words = [word for word in words if word.style.size == size]
    lengths = [len(word.text) for word in words]
    return words[lengths.index(max(lengths))]


def rows_of(parts: Iterable[Segment]) -> list[list[Segment]]:
    """Return `parts` grouped to rows by their baselines, from the top; each row from the left."""
    rows: list[list[Segment]] = []
    main: Segment | None = None
    for part in sorted(parts, key=lambda part: (part.baseline, part.box.x0)):
        if main is not None and _is_beside(main, part):
            rows[-1].append(part)
            main = max(main, part, key=lambda other: other.size)
        else:
            rows.append([part])
            main = part
    for row in rows:
        row.sort(key=lambda part: part.box.x0)
    return rows


def _is_beside(main: Segment, part: Segment) -> bool:
    """Return whether `part` is in the row of `main`: on its baseline, or raised above it as a mark."""
    if part.special or main.special:
        return False
    if part.baseline - main.baseline < 0.45 * min(part.size, main.size):
        return True
    return main.size < SMALL * part.size and main.baseline > part.box.y0 + 0.1 * part.box.height


def line_of(row: Sequence[Segment], page: int, column: tuple[float, float]) -> PdfLine:
    """Return a row of segments as a line."""
    first = row[0]
    box = around(part.box for part in row)
    if first.special:
        return PdfLine(
            "", page, box, first.baseline, 0, bold=False, mono=False, parts=(), column=column,
            special=first.special, rows=first.rows,
        )  # fmt: skip
    words = [word for part in row for word in part.words]
    mixed = len(row) > 1 and any(map(_is_right_to_left, words))
    if mixed:
        words = _as_read(sorted(words, key=lambda word: word.box.x0))
    letters = sum([len(word.text) for word in words])
    mono = words[0].style.mono and sum(len(word.text) for word in words if word.style.mono) >= _MOST * letters
    main, last = _main(words), words[-1]
    if not mono:
        _mark_raised(words, main)
    texts = [_code_text(part.words) if mono else _text(part.words) for part in row]
    text = _code_text(words) if mono else _text(words) if mixed else _joined(texts, row)
    return PdfLine(
        text,
        page,
        box,
        main.baseline,
        main.style.size,
        bold=sum([len(word.text) for word in words if word.style.bold]) >= _MOST * letters,
        mono=mono,
        parts=tuple(map(_cell, texts, row)) if len(row) > 1 else (),
        column=column,
        width=_character_width(words),
        broken=last.broken,
        soft=last.soft,
    )


def _joined(texts: Sequence[str], row: Sequence[Segment]) -> str:
    """Return the texts of the segments of a row, with the hyphen of a word broken before the last one."""
    if len(texts) == 1:
        return texts[0]
    hyphens = ["-" if part.words[-1].broken else "" for part in row[:-1]]
    return " ".join(map("".join, zip(texts, [*hyphens, ""], strict=True)))


def _cell(text: str, part: Segment) -> Cell:
    return Cell(text, part.box.x0, part.box.x1, part.words[-1].broken)


def _mark_raised(words: Sequence[PdfWord], main: PdfWord) -> None:
    """Write separate small raised digits, which are note numbers, as `[3]`."""
    height = 0.15 * main.style.size
    for word in words:
        raised = main.baseline - word.baseline > height
        if raised and word.text.isdecimal() and word.style.size < SMALL * main.style.size:
            word.text = f"[{word.text}]"


def _character_width(words: Sequence[PdfWord]) -> float:
    return median([(word.box[2] - word.box[0]) / len(word.text) for word in words])


def _text(words: Sequence[PdfWord]) -> str:
    parts = [word.text for word in words]
    if sum([len(part) == 1 for part in parts]) >= _FEWEST_SPACED:
        parts = _unspaced(words)
    return " ".join(parts)


def _code_text(words: Sequence[PdfWord]) -> str:
    """Return the words with spaces for the gaps between them, which keeps the columns of a listing."""
    width = _character_width(words) or 1
    text = words[0].text
    for left, right in pairwise(words):
        text += " " * min(max(1, round((right.box.x0 - left.box.x1) / width)), 40) + right.text
    return text


def _unspaced(words: Sequence[PdfWord]) -> list[str]:
    """Return the texts of `words`, with letter-spaced words joined: "C H A P T E R" becomes "CHAPTER"."""
    parts: list[str] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and len(words[end].text) == 1 and words[end].text.isalpha():
            end += 1
        if end - at >= (_FEWEST_SPACED if all(word.text.isupper() for word in words[at:end]) else _FEWEST_SPACED + 1):
            parts.extend(_spelled(words[at:end]))
            at = end
        else:
            parts.append(words[at].text)
            at += 1
    return parts


def _spelled(letters: Sequence[PdfWord]) -> list[str]:
    gaps = [right.box.x0 - left.box.x1 for left, right in pairwise(letters)]
    usual = median(gaps)
    parts = [letters[0].text]
    for gap, letter in zip(gaps, letters[1:], strict=True):
        if gap > 1.6 * usual + 0.5:
            parts.append(letter.text)
        else:
            parts[-1] += letter.text
    return parts
