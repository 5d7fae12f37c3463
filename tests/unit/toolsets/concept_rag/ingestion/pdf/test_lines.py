"""The order of the words of a line, also from right to left."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Parsed, Sheets, prose, texts
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf

RIGHT = 540.0


def hebrew(text: str) -> str:
    """Return `text` with Hebrew letters for its capitals."""
    return "".join(chr(0x05D0 + ord(char) - ord("A")) if char.isupper() else char for char in text)


def with_hebrew(path: Path) -> Path:
    """Give the capitals of a font the code points of Hebrew letters."""
    codes = b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <41> <5a> <05d0> "
    codes += b"<20> <40> <0020> endbfrange 1 beginbfrange <61> <7a> <0061> endbfrange endcmap"
    content = path.read_bytes().replace(b"/BaseFont /Times-Roman", b"/BaseFont /Times-Roman /ToUnicode 900 0 R")
    stream = b"900 0 obj << /Length %d >> stream\n%b\nendstream endobj\nxref" % (len(codes), codes)
    path.write_bytes(content.replace(b"xref", stream, 1))
    return path


LINES = (
    "CAB DOG HOUSE, TREE",
    "LAKE 120 BOAT 35 WIND",
    "HIDDEN PASS OF franz josef land ROAD",
    "PLEASE OPEN window 10 HERE",
)
SHOWN = (
    "EERT ,ESUOH GOD BAC",
    "DNIW 35 TAOB 120 EKAL",
    "DAOR franz josef land FO SSAP NEDDIH",
    "EREH window 10 NEPO ESAELP",
)
"""The lines as they are printed, from the left."""


@pytest.mark.parametrize("by_words", [False, True])
def test_words_from_right_to_left_are_read_in_their_order(tmp_path: Path, by_words: bool) -> None:
    sheets = Sheets().page()
    sheets.pdf.set_font("Times", "", 10)
    for place, line in enumerate(SHOWN):
        y, x = 100 + 30 * place, RIGHT - sheets.pdf.get_string_width(line)
        if not by_words:
            sheets.text(x, y, line)
            continue
        ends = [(x + sheets.pdf.get_string_width(line[:at]), word) for at, word in positions(line)]
        for start, word in reversed(ends):
            sheets.text(start, y, word)
    found = " ".join(texts(parse_pdf(with_hebrew(sheets.save(tmp_path / "book.pdf")))))
    assert found == " ".join(map(hebrew, LINES))


def positions(line: str) -> list[tuple[int, str]]:
    """Return the words of a line with their positions in it."""
    found: list[tuple[int, str]] = []
    for word in line.split():
        found.append((line.index(word, found[-1][0] + len(found[-1][1]) if found else 0), word))
    return found


def test_words_far_apart_are_read_from_the_right(tmp_path: Path) -> None:
    sheets = Sheets().page().text(500, 100, "BAC").text(440, 100, "GOD").text(380, 100, "EERT")
    found = texts(parse_pdf(with_hebrew(sheets.save(tmp_path / "book.pdf"))))
    assert found == [hebrew("CAB DOG TREE")]


def test_words_from_right_to_left_inside_a_line_from_left_to_right(tmp_path: Path) -> None:
    sheets = Sheets().page().text(72, 100, "the words GOD BAC mean more than the others of this line")
    found = texts(parse_pdf(with_hebrew(sheets.save(tmp_path / "book.pdf"))))
    assert found == [hebrew("the words CAB DOG mean more than the others of this line")]


def test_letter_spaced_words_are_put_together(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88), y=200)
    for place, letter in enumerate("CHAPTER"):
        sheets.text(72 + 16 * place, 100, letter, size=12)
    for place, letter in enumerate("ONE"):
        sheets.text(72 + 16 * 7 + 22 + 16 * place, 100, letter, size=12)
    assert texts(parsed(sheets))[0] == "CHAPTER ONE"
