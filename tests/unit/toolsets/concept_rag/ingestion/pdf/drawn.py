"""Drawings and tables on a page, and the pictures that the parser cuts out."""

from pathlib import Path

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def parsed(sheets: Sheets, folder: Path, *, max_pictures: int = 400, pictures: bool = True) -> ParsedDocument:
    return parse_pdf(sheets.save(folder / "book.pdf"), max_pictures=max_pictures, pictures=pictures)


def only(document: ParsedDocument) -> Picture:
    (picture,) = document.pictures
    return picture


def table(sheets: Sheets, top: float) -> None:
    for place, row in enumerate([("Name", "Miles"), ("Ouse", "52"), ("Severn", "220")]):
        sheets.text(106, top + 14 + 20 * place, row[0]).text(206, top + 14 + 20 * place, row[1])
    for level in range(4):
        sheets.pdf.line(100, top + 20 * level, 300, top + 20 * level)
    for place in (100, 200, 300):
        sheets.pdf.line(place, top, place, top + 60)


def boxes(sheets: Sheets, top: float) -> None:
    """A drawing of three boxes with arrows between."""
    for place, label in enumerate(["Spring", "Weir", "Sea"]):
        sheets.pdf.ellipse(100 + 110 * place, top, 80, 40)
        sheets.text(120 + 110 * place, top + 24, label)
    for place in (180, 290):
        sheets.pdf.line(place, top + 20, place + 30, top + 21)
        sheets.pdf.line(place + 22, top + 14, place + 30, top + 20)
        sheets.pdf.line(place + 22, top + 27, place + 30, top + 20)
