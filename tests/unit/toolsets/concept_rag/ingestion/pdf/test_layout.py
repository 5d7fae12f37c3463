"""The order in which the columns of a page and the lines above them are read."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Face, Parsed, Sheets, prose, texts
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf

MIDDLE = 306.0
LEFT = [f"Left {n:02} is a line of the first of the two columns, of pr" for n in range(30)]
RIGHT = [f"Right {n:02} is a line of the second column, next to th" for n in range(30)]


def centred(sheets: Sheets, lines: Sequence[str], *, y: float, size: float = 11, face: Face = "") -> None:
    for place, line in enumerate(lines):
        sheets.pdf.set_font("Times", face, size)
        sheets.text(MIDDLE - sheets.pdf.get_string_width(line) / 2, y + 14 * place, line, size=size, face=face)


def paper(path: Path, title: str, block: Sequence[str], *, by_rows: bool, ragged: bool) -> ParsedDocument:
    sheets = Sheets().page()
    centred(sheets, [title], y=70, size=18)
    centred(sheets, block, y=95)
    left = [line[: len(line) - 12 * (number % 2)] for number, line in enumerate(LEFT)] if ragged else LEFT
    if by_rows:
        for place, (one, other) in enumerate(zip(left, RIGHT, strict=True)):
            sheets.text(72, 180 + 12 * place, one).text(318, 180 + 12 * place, other)
    else:
        sheets.lines(left, x=72, y=180).lines(RIGHT, x=318, y=180)
    return parse_pdf(sheets.save(path))


@pytest.mark.parametrize("title", ["A Study of Moving Ice", "Ice"])
@pytest.mark.parametrize(
    "block",
    [
        ["Jane Doe", "12 March 2015"],
        ["Jane Doe"],
        ["Jane Doe, Richard Roe, Alice Miller and Bob Tanner", "Institute of Ice", "jane@ice.org"],
    ],
)
@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize("by_rows", [True, False])
def test_short_centred_lines_of_a_title_block_come_before_the_columns(
    tmp_path: Path, title: str, block: Sequence[str], by_rows: bool, ragged: bool
) -> None:
    document = paper(tmp_path / "paper.pdf", title, block, by_rows=by_rows, ragged=ragged)
    text = " ".join(texts(document))
    assert text.startswith(" ".join([title, *block, "Left 00"]))
    places = [text.index(mark) for mark in ("Left 00", "Left 29", "Right 00", "Right 29")]
    assert places == sorted(places)
    assert (document.title, document.author) == (title, block[0])


def test_a_number_that_hangs_out_of_the_right_column_stays_in_it(tmp_path: Path) -> None:
    sheets = Sheets().page().text(308, 90, "2  Outlet glaciers", face="B")
    sheets.lines(LEFT, x=72, y=100).lines(RIGHT, x=318, y=104)
    text = " ".join(texts(parse_pdf(sheets.save(tmp_path / "paper.pdf"))))
    assert text.startswith("Left 00")
    assert text.index("Left 29") < text.index("2 Outlet glaciers") < text.index("Right 00")


@pytest.mark.parametrize("by_rows", [False, True])
def test_two_columns_are_read_one_after_the_other(parsed: Parsed, by_rows: bool) -> None:
    left = [f"left {n:02} is a line of the first column of prose" for n in range(30)]
    right = [f"right {n:02} is a line of the second column, too" for n in range(30)]
    sheets = Sheets().page().text(150, 60, "A title over both of the columns here", size=18)
    if by_rows:
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            sheets.text(60, 100 + 12 * place, one).text(320, 100 + 12 * place, other)
    else:
        sheets.lines(left, x=60).lines(right, x=320)
    words = " ".join(texts(parsed(sheets))).split()
    order = [int(word) if side == "left" else 100 + int(word) for side, word in pairwise(words) if word.isdecimal()]
    assert order == [*range(30), *range(100, 130)]


def test_columns_are_read_between_the_lines_that_cross_them(parsed: Parsed) -> None:
    def column(name: str) -> list[str]:
        return [f"{name} line {n} of a rather narrow column" for n in range(8)]

    sheets = Sheets().page()
    for half, top in (("upper", 100), ("lower", 300)):
        sheets.text(
            60,
            top - 30,
            f"The {half} part has a heading that runs across both of its columns, from left to right",
            size=12,
        )
        sheets.lines(column(f"{half}-left"), x=60, y=top).lines(column(f"{half}-right"), x=320, y=top)
    text = " ".join(texts(parsed(sheets)))
    marks = [
        "The upper",
        "upper-left line 7",
        "upper-right line 0",
        "The lower",
        "lower-left line 0",
        "lower-right line 7",
    ]
    assert sorted(marks, key=text.index) == marks


def test_three_columns_are_read_one_after_the_other(parsed: Parsed) -> None:
    sheets = Sheets().page()
    for name, x in (("one", 40), ("two", 230), ("three", 420)):
        sheets.lines([f"{name} {n:02} and a few more words" for n in range(20)], x=x)
    text = " ".join(texts(parsed(sheets)))
    places = [text.index(f"{name} {n:02}") for name in ("one", "two", "three") for n in range(20)]
    assert places == sorted(places)


def test_three_columns_in_row_order_are_read_one_after_the_other(parsed: Parsed) -> None:
    sheets = Sheets().page()
    for place in range(24):
        for name, x in (("one", 36), ("two", 216), ("three", 396)):
            line = f"{name} {place:02} and a few more words of prose"
            sheets.text(x, 100 + 12 * place, line[: len(line) - place % 3])
    text = " ".join(texts(parsed(sheets)))
    places = [text.index(f"{name} {place:02}") for name in ("one", "two", "three") for place in range(24)]
    assert places == sorted(places)
    assert " | " not in text


def test_a_table_of_a_column_of_sentences_beside_two_of_values_is_read_by_rows(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(100), y=72)
    for place in range(12):
        sheets.text(72, 240 + 12 * place, f"The value {place} of all that is used for tables")
        sheets.text(300, 240 + 12 * place, f"{place} minutes").text(420, 240 + 12 * place, f"--option-{place} VALUE")
    assert [text.count(" | ") for text in texts(parsed(sheets), "table")] == 12 * [2]


CODE = [f"v{n} := ld state[{n}]" for n in range(12)]
NUMBERS = ["12", "8", "29", "3", "110", "16", "22", "2"]


def rows_of_columns(sheets: Sheets, *, y: float, count: int = 24) -> None:
    for place, (one, other) in enumerate(zip(LEFT[:count], RIGHT[:count], strict=True)):
        sheets.text(72, y + 12 * place, one).text(318, y + 12 * place, other)


@pytest.mark.parametrize("listing_below", [False, True])
def test_columns_beside_a_listing_over_both_are_read_one_after_the_other(parsed: Parsed, listing_below: bool) -> None:
    sheets = Sheets().page()
    top = 420 if listing_below else 72
    for place, line in enumerate(CODE):
        sheets.text(72, top + 11 * place, line, size=9, font="Courier")
        sheets.text(220, top + 11 * place, "// a remark on what the line does", size=9, font="Courier")
    sheets.lines(prose(100)[:3], y=top + 150).lines(prose(100)[:3], y=top + 200)
    count = 24 if listing_below else 14
    rows_of_columns(sheets, y=72 if listing_below else 330, count=count)
    document = parsed(sheets)
    text = " ".join(texts(document))
    marks = ["Left 00", f"Left {count - 1}", "Right 00", f"Right {count - 1}"]
    order = [*marks, "v0 :=", "v11 :=", "The river"] if listing_below else ["v0 :=", "v11 :=", "The river", *marks]
    assert sorted(order, key=text.index) == order
    assert " | " not in text


def test_columns_below_a_table_over_both_are_read_one_after_the_other(parsed: Parsed) -> None:
    sheets = Sheets().page()
    for row in range(16):
        sheets.text(72, 72 + 12 * row, f"row-{row:02}")
        for place, number in enumerate(NUMBERS):
            sheets.text(180 + 45 * place, 72 + 12 * row, number)
    sheets.text(230, 290, "Figure 3. What was measured")
    rows_of_columns(sheets, y=330, count=20)
    # The space between two paragraphs crosses both columns.
    for place, (one, other) in enumerate(zip(LEFT[20:24], RIGHT[20:24], strict=True)):
        sheets.text(72, 594 + 12 * place, one).text(318, 594 + 12 * place, other)
    document = parsed(sheets)
    assert [text.split(" | ")[0] for text in texts(document, "table")] == [f"row-{row:02}" for row in range(16)]
    text = " ".join(texts(document))
    marks = ["row-15", "Figure 3", "Left 00", "Left 23", "Right 00", "Right 23"]
    assert sorted(marks, key=text.index) == marks


def test_a_table_of_sentences_below_prose_is_read_by_rows(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(100), y=72)
    for place in range(8):
        sheets.text(72, 240 + 12 * place, f"--option-{place} VALUE")
        sheets.text(200, 240 + 12 * place, f"Sets value {place} of all that the program uses for its tables")
    assert [text[:10] for text in texts(parsed(sheets), "table")] == [f"--option-{place}" for place in range(8)]
