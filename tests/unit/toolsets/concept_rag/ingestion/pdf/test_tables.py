"""Tables with and without rules are read row by row."""

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Parsed, Sheets, kinds, line, prose, texts
from toolsets.concept_rag.ingestion.pdf.hyphens import HYPHEN_AT_END
from toolsets.concept_rag.ingestion.pdf.lines import PdfLine
from toolsets.concept_rag.ingestion.pdf.tables import join_cell_parts, line_rows, rule_places, table_end


def test_a_table_with_rules_is_read_by_rows(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(["These are the rivers."])
    rows = [
        ("Name", "Length", "Rises in"),
        ("Ouse", "52 miles", "the hills"),
        ("Severn", "220 miles", "Wales"),
        ("Tees", "85 miles", "the north"),
    ]
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            sheets.text(104 + 100 * column, 200 + 20 * place, cell)
    sheets.text(304, 271, "and the east", size=10)
    for level in (186, 206, 226, 246, 280):
        sheets.pdf.line(100, level, 400, level)
    for place in (100, 200, 300, 400):
        sheets.pdf.line(place, 186, place, 280)
    document = parsed(sheets.lines(prose(88), y=320))
    assert texts(document, "table") == [
        "Name | Length | Rises in",
        "Ouse | 52 miles | the hills",
        "Severn | 220 miles | Wales",
        "Tees | 85 miles | the north and the east",
    ]
    assert kinds(document) == ["paragraph", *["table"] * 4, "paragraph"]


def test_a_table_without_rules_is_read_by_rows(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)[:3])
    for place, row in enumerate([("Name", "Miles"), ("Ouse", "52"), ("Severn", "220"), ("Tees", "85")]):
        sheets.text(100, 180 + 13 * place, row[0]).text(220, 180 + 13 * place, row[1])
    sheets.text(220, 180 + 13 * 4, "or more").lines(prose(88), y=320)
    assert texts(parsed(sheets), "table") == ["Name | Miles", "Ouse | 52", "Severn | 220", "Tees | 85 or more"]


def test_strokes_on_one_level_form_a_rule_if_they_are_long_enough() -> None:
    strokes = [(100.0, 40.0), (101.0, 40.0), (150.0, 30.0), (200.0, 90.0)]
    assert rule_places(strokes, 80) == [100.0, 200.0]
    assert rule_places(reversed(strokes), 80) == [100.0, 200.0]
    assert rule_places([], 80) == []


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "miles", "miles"),
        ("52", "miles", "52 miles"),
        (f"kilo{HYPHEN_AT_END}", "metres", "kilometres"),
        (f"North{HYPHEN_AT_END}", "East", "North-East"),
    ],
)
def test_the_lines_of_a_cell_are_joined(left: str, right: str, expected: str) -> None:
    assert join_cell_parts(left, right) == expected


def rows(*cells: list[tuple[str, float]]) -> list[PdfLine]:
    return [line("", y=100 + 13 * place, cells=each) for place, each in enumerate(cells)]


RIVERS = rows([("Name", 100), ("Miles", 220)], [("Ouse", 100), ("52", 220)], [("Tees", 100), ("85", 220)])


def test_a_table_without_rules_has_three_aligned_rows() -> None:
    after = line("The river rises in the hills.", y=139)
    assert table_end([*RIVERS, after], 0) == 3
    assert table_end(RIVERS[:2], 0) == 0
    assert table_end([after, *RIVERS], 0) == 0
    assert table_end([*RIVERS[:2], *rows([("1.", 100), ("Open", 110)])], 0) == 0, "an item of a list"


def test_a_line_below_a_cell_continues_it() -> None:
    more = line("or more", x=220, y=139)
    assert line_rows([*RIVERS, more]) == ["Name | Miles", "Ouse | 52", "Tees | 85 or more"]


def test_a_word_broken_at_the_end_of_any_cell_keeps_one_hyphen(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)[:3])
    # In the order of the columns, as PDFium tells hyphens by the text that follows them.
    for x, cells in (
        (100, ["The horse-", "drawn boats", "Old water-", "mills"]),
        (260, ["went up the river-", "side path", "ground all of the bar-", "ley"]),
    ):
        sheets.lines(cells, x=x, y=180, step=13)
    assert texts(parsed(sheets.lines(prose(88), y=320)), "table") == [
        "The horse- | went up the river-",
        "drawn boats | side path",
        "Old water- | ground all of the bar-",
        "mills | ley",
    ]
