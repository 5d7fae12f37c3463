"""Small PDF files, written line by line at chosen places."""

import io
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self, TypeAlias

from fpdf import FPDF
from PIL import Image

from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.lines import Cell, PdfLine
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf

Font: TypeAlias = Literal["Times", "Helvetica", "Courier"]
Face: TypeAlias = Literal["", "B", "I"]

HEIGHT = 792.0
PROSE = (
    "The river rises in the hills to the north of the town and runs for forty miles through meadows and small woods "
    "before it reaches the sea. In spring the water is high and the bridges are closed to carts, while in summer a child "
    "can cross it on foot. People have lived on its banks for a thousand years, and most of them have been farmers, "
    "millers and weavers. Their houses are built of the yellow stone that is found near the surface, and the roofs are "
    "made of slate that came down the valley on barges. The mill closed long ago and the barges are gone, but the old "
    "weir still holds the water back and keeps the upper meadows wet through the driest months of the year. "
)


class Sheets:
    """A PDF file in the making: Letter pages, places in points from the upper left corner."""

    def __init__(self, *, width: float = 612, height: float = HEIGHT) -> None:
        self.pdf = FPDF(unit="pt", format=(width, height))
        self.pdf.set_auto_page_break(auto=False)
        self.pdf.set_compression(False)
        self.pdf.creation_date = datetime(2019, 5, 4, tzinfo=UTC)

    def page(self) -> Self:
        self.pdf.add_page()
        return self

    def text(self, x: float, y: float, text: str, *, size: float = 10, font: Font = "Times", face: Face = "") -> Self:
        self.pdf.set_font(font, face, size)
        self.pdf.text(x, y, text)
        return self

    def lines(
        self,
        lines: Sequence[str],
        *,
        x: float = 72,
        y: float = 100,
        step: float = 12,
        size: float = 10,
        font: Font = "Times",
    ) -> Self:
        for place, line in enumerate(lines):
            self.text(x, y + step * place, line, size=size, font=font)
        return self

    def png(self, x: float, y: float, width: float, height: float, image: Image.Image) -> Self:
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        buffer.seek(0)
        self.pdf.image(buffer, x, y, width, height)
        return self

    def save(self, path: Path) -> Path:
        path.write_bytes(bytes(self.pdf.output()))
        return path


class Parsed:
    """Sheets as the parser reads them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, sheets: Sheets, *, max_pages: int = 100) -> ParsedDocument:
        return parse_pdf(sheets.save(self._path), max_pages=max_pages)


def prose(columns: int = 88, *, times: int = 1) -> list[str]:
    """English prose in lines of about `columns` characters."""
    return textwrap.wrap(PROSE * times, columns)


def gradient(width: int = 60, height: int = 40, *, seed: int = 0) -> Image.Image:
    """An image of many colours, another for each seed."""
    image = Image.new("RGB", (width, height))
    image.putdata(
        [
            ((x * 4 + seed * 40) % 256, (y * 6 + seed * 90) % 256, (x * y + seed * 60) % 256)
            for y in range(height)
            for x in range(width)
        ]
    )
    return image


def texts(document: ParsedDocument, *kinds: str) -> list[str]:
    """The texts of a document's blocks, of the given kinds or of all."""
    return [block.text for block in document.blocks if not kinds or block.kind in kinds]


def kinds(document: ParsedDocument) -> list[str]:
    return [block.kind for block in document.blocks]


def only(document: ParsedDocument, kind: str) -> Block:
    (found,) = [block for block in document.blocks if block.kind == kind]
    return found


def line(
    text: str,
    *,
    x: float = 72,
    y: float = 100,
    size: float = 10,
    page: int = 1,
    cells: Sequence[tuple[str, float]] = (),
    broken: bool = False,
) -> PdfLine:
    """A line as it is put together from words: half its size wide per letter, with its baseline at `y`."""
    width = size / 2
    parts = tuple(Cell(each, start, start + width * len(each)) for each, start in cells)
    text = text or " ".join(cell.text for cell in parts)
    left = parts[0].x0 if parts else x
    right = parts[-1].x1 if parts else x + width * len(text)
    box = Box(left, y - size, right, y)
    return PdfLine(
        text, page, box, y, size, bold=False, mono=False, parts=parts, column=(72, 540), width=width, broken=broken
    )
