"""Letters of words that are written from right to left come in the order in which they are read."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, texts
from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf
from toolsets.concept_rag.ingestion.pdf.right_to_left import words_as_read

BOOK = "\u0643\u0650\u062a\u064e\u0627\u0628\u064f"
MISERS = "\u0671\u0644\u0652\u0628\u064f\u062e\u064e\u0644\u064e\u0627\u0621"
SIGNS = "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"


def read(letters: str, *, gap_after: int = -1, step: float = 5) -> list[str]:
    """The words of letters that stand `step` points apart, signs above their letters."""
    boxes: list[Box] = []
    x = 100.0 if step > 0 else 300.0
    for place, letter in enumerate(letters):
        boxes.append(Box(x, 90, x + 5, 100))
        if letter not in SIGNS:
            x += step + (4 if place == gap_after else 0)
    return [word.text for word in words_as_read(letters, boxes, 10)]


def test_letters_from_left_to_right_are_reversed_with_the_signs_after_their_letters() -> None:
    assert read(BOOK[::-1]) == [BOOK]


def test_words_are_parted_at_the_spaces_between_their_letters() -> None:
    assert read((BOOK + MISERS)[::-1], gap_after=len(MISERS) - 1) == [BOOK, MISERS]


def test_a_point_comes_after_the_sign_of_the_last_letter() -> None:
    assert read("\u064f." + BOOK[:-1][::-1]) == [f"{BOOK}."]


@pytest.mark.parametrize("letters", [BOOK, "\u05d0\u05d1\u05d2", "\u0643x\u062a", "\u0643"])
def test_letters_in_order_and_words_of_two_scripts_are_kept(letters: str) -> None:
    assert read(letters, step=-5) == [letters]


def test_points_in_the_other_direction_do_not_count() -> None:
    boxes = [
        *(Box(x, 90, x + 5, 100) for x in (200, 195, 190)),
        *(Box(x, 90, x + 5, 100) for x in (155, 160, 165, 170, 175)),
    ]
    assert [word.text for word in words_as_read("\u0646\u0639\u0645.....", boxes, 10)] == ["\u0646\u0639\u0645....."]


def test_signs_without_a_letter_are_no_word() -> None:
    assert read(SIGNS) == []


def test_vowelled_words_that_are_set_back_from_letter_to_letter_are_read_in_order(tmp_path: Path) -> None:
    """LuaTeX writes the letters as they are read, each after a step back; PDFium takes them for reversed."""
    path = tmp_path / "book.pdf"
    stepping = "[(A)722(b)1167(B)667(a)1111(C)]TJ"
    text = "X" * (len(stepping) - len("() Tj"))
    content = Sheets().page().text(300, 100, text).save(path).read_bytes()
    # The capitals of the font become letters, the small ones vowels.
    codes = b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <41> <5a> <0628> "
    codes += b"<61> <66> <064b> endbfrange endcmap"
    stream = b"900 0 obj << /Length %d >> stream\n%b\nendstream endobj\nxref" % (len(codes), codes)
    content = content.replace(f"({text}) Tj".encode(), stepping.encode()).replace(b"xref", stream, 1)
    path.write_bytes(content.replace(b"/BaseFont /Times-Roman", b"/BaseFont /Times-Roman /ToUnicode 900 0 R"))
    assert texts(parse_pdf(path)) == ["\u0628\u064c\u0629\u064b\u062a"]
