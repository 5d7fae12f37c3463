"""Optical character recognition of scanned pages by Tesseract, if installed."""

import os
import shutil
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol, cast

from toolsets.concept_rag.ingestion.pdf.characters import plain
from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame
from toolsets.concept_rag.ingestion.pdf.library import PdfPage
from toolsets.concept_rag.ingestion.pdf.words import PdfWord, Style

if TYPE_CHECKING:
    from PIL.Image import Image

INSTALL: Final = 'install the extra "entrepot[ocr]" and the program tesseract (Debian: apt-get install tesseract-ocr)'
_DPI: Final = 200
"""Tesseract needs letters 20 to 30 pixels high: 10 point type at 200 to 300 dpi."""
_MAX_PIXELS: Final = 8_000_000
"""A page of A3 at 200 dpi; 8 MB in grey."""
_MIN_CONFIDENCE: Final = 30.0
"""Of 100; results with less confidence come from stains and pictures."""
_LARGER: Final = 1.45
"""A line is larger from this multiple of the usual word height; ascenders and descenders account for less."""
_COLUMNS: Final = 12
"""The columns of Tesseract's TSV output."""
_WORD_LEVEL: Final = "5"


class _Tesseract(Protocol):
    TesseractError: type[Exception]
    image_to_data: Callable[..., str]


def is_available() -> bool:
    """Whether the package and the program are installed."""
    return find_spec("pytesseract") is not None and shutil.which("tesseract") is not None


class Recognition:
    """Reads scanned pages within a total time limit."""

    def __init__(self, *, page_s: float, total_s: float) -> None:
        # Tesseract's threads spin while waiting: on two cores, one thread is faster than two.
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")
        self._page_s = page_s
        self._left_s = total_s

    @property
    def exhausted(self) -> bool:
        """Whether the total time is used up."""
        return self._left_s <= 0

    def words(self, page: PdfPage, frame: Frame) -> list[PdfWord]:
        """Return the words of a scanned page; none if the page takes too long or the program fails."""
        if self.exhausted:
            return []
        library = cast("_Tesseract", import_module("pytesseract"))
        image, scale = _drawn(page, frame)
        begun = monotonic()
        try:
            table = library.image_to_data(image, timeout=min(self._page_s, self._left_s))
        except (library.TesseractError, RuntimeError):  # a RuntimeError is its timeout
            return []
        finally:
            self._left_s -= monotonic() - begun
        return _parsed(table, scale)


def _drawn(page: PdfPage, frame: Frame) -> tuple["Image", float]:
    """Return the page in greyscale, and its pixels per point."""
    scale = min(_DPI / 72, (_MAX_PIXELS / max(frame.width * frame.height, 1)) ** 0.5)
    bitmap = page.render(scale=scale)
    try:
        return bitmap.to_pil().convert("L"), scale
    finally:
        bitmap.close()


def _parsed(table: str, scale: float) -> list[PdfWord]:
    """Return the words of Tesseract's tab-separated table, in its reading order.

    All words of a line have one size: the page's usual size, unless the line is clearly larger, like a heading.
    """
    rows: list[tuple[tuple[str, ...], str, Box]] = []
    lines: dict[tuple[str, ...], list[Box]] = {}
    for record in table.splitlines()[1:]:
        fields = record.split("\t")
        if len(fields) != _COLUMNS or fields[0] != _WORD_LEVEL or float(fields[10]) < _MIN_CONFIDENCE:
            continue
        text = plain(fields[11]).strip()
        if text:
            left, top, width, height = (int(value) / scale for value in fields[6:10])
            rows.append((tuple(fields[2:5]), text, Box(left, top, left + width, top + height)))
            lines.setdefault(rows[-1][0], []).append(rows[-1][2])
    usual = float(round(median(box.height for _, _, box in rows))) if rows else 0.0
    types: dict[tuple[str, ...], tuple[float, Style]] = {}
    for line, boxes in lines.items():
        height = median(box.height for box in boxes)
        types[line] = median(box.y1 for box in boxes), Style(round(height) if height >= _LARGER * usual else usual)
    return [PdfWord(text, box, types[line][0], types[line][1], order) for order, (line, text, box) in enumerate(rows)]
