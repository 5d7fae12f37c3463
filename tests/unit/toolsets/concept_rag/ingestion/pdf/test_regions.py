"""Regions of a page are visuals of their type, with their labels and captions, or no visuals."""

import io
from pathlib import Path

from PIL import Image

from tests.unit.toolsets.concept_rag.ingestion.pdf.drawn import boxes, only, parsed, table
from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose, texts


def test_a_caption_may_stand_above_and_take_two_lines(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.lines(
        ["Table 2: The rivers of the land with their length in miles as the", "surveyors measured them."], x=100, y=240
    )
    table(sheets, 262)
    document = parsed(sheets, tmp_path)
    picture = only(document)
    assert picture.caption.startswith("Table 2: The rivers of the land")
    assert picture.caption.endswith("as the surveyors measured them.")
    assert picture.visual_type == "table"
    assert texts(document, "table") == ["Name | Miles", "Ouse | 52", "Severn | 220"]


def test_drawings_tables_and_charts_are_distinguished_by_their_strokes(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    table(sheets, 250)
    boxes(sheets, 400)
    sheets.page().lines(prose(88))
    for tick in range(8):
        sheets.pdf.line(150 + 30 * tick, 500, 150 + 30 * tick, 505)
        sheets.text(146 + 30 * tick, 516, str(tick * 10))
        sheets.pdf.ellipse(150 + 30 * tick, 480 - 12 * tick, 4, 4)
    sheets.pdf.rect(140, 350, 240, 150)
    found = [(picture.page, picture.visual_type) for picture in parsed(sheets, tmp_path).pictures]
    assert found == [(1, "table"), (1, "diagram"), (2, "chart")]


def test_the_labels_of_a_drawing_do_not_run_into_the_text(tmp_path: Path) -> None:
    lines = prose(88, times=2)
    sheets = Sheets().page().lines(lines[:8])
    boxes(sheets, 250)
    sheets.lines(lines[8:], y=330)
    found = texts(parsed(sheets, tmp_path))
    assert found == [" ".join(lines), "Spring Weir Sea"]


def test_boxes_around_listings_and_advice_and_small_ornaments_are_no_pictures(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.pdf.rect(90, 240, 400, 100)
    sheets.lines(["def level(gate):", "    return 7"], x=100, y=260, font="Courier")
    sheets.pdf.rect(90, 400, 400, 80)
    sheets.lines(prose(70)[:5], x=130, y=415).png(100, 420, 22, 22, gradient())
    sheets.png(300, 600, 18, 18, gradient()).pdf.line(72, 620, 540, 620)
    assert parsed(sheets, tmp_path).pictures == ()


def test_a_table_ends_with_its_rules(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.text(104, 249, "The rivers are measured in miles:")
    table(sheets, 250)
    sheets.text(104, 320, "X = 1")
    sheets.pdf.line(100, 316, 150, 316)  # the bar of a fraction
    sheets.text(104, 328, "2")
    picture = only(parsed(sheets, tmp_path))
    assert abs(picture.height - 2 * 62) <= 3
    with Image.open(io.BytesIO(picture.png)) as image:
        grey = image.convert("L")
        edges = [grey.getpixel((x, y)) for x in (20, 60, 100) for y in (0, picture.height - 1)]
    assert min(map(int, map(str, edges))) > 200, "no letter reaches in from outside"


def test_a_caption_below_a_table_is_not_that_of_the_box_of_advice_below_it(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    table(sheets, 250)
    sheets.text(150, 336, "Table 3: Rivers", size=9)
    for level in (356, 396):
        sheets.pdf.line(72, level, 520, level)
    sheets.text(80, 370, "Tip").text(80, 386, "See the map of the rivers for the latest floods.")
    picture = only(parsed(sheets, tmp_path))
    assert picture.caption == "Table 3: Rivers"
    assert abs(picture.width - 2 * 202) <= 6


def _captioned(sheets: Sheets, top: float, caption: str, rows: list[str]) -> None:
    """A ruled table close below its caption."""
    sheets.text(100, top, caption)
    bottom = top + 4 + 13 * len(rows)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row.split()):
            sheets.text(106 + 80 * column, top + 14 + 13 * place, cell)
    for level in range(len(rows) + 1):
        sheets.pdf.line(100, top + 4 + 13 * level, 340, top + 4 + 13 * level)
    for place in (100, 180, 260, 340):
        sheets.pdf.line(place, top + 4, place, bottom)


def test_a_caption_ends_above_the_first_row_of_its_table(tmp_path: Path) -> None:
    """Each of two tables has the caption above it, and not that of the next one."""
    sheets = Sheets().page().lines(prose(88))
    _captioned(sheets, 240, "Table 1: The rivers of the north", ["Name Miles Weirs", "Ouse 52 4", "Tees 85 2"])
    _captioned(sheets, 310, "Table 2: The rivers of the south", ["Name Miles Weirs", "Itchen 28 9", "Test 40 6"])
    found = [picture.caption for picture in parsed(sheets, tmp_path).pictures]
    assert found == ["Table 1: The rivers of the north", "Table 2: The rivers of the south"]


def test_a_listing_is_no_chart_or_diagram(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    boxes(sheets, 250)
    sheets.text(100, 310, "Listing 2: Closing a gate step by step")
    picture = only(parsed(sheets, tmp_path))
    assert (picture.visual_type, picture.caption) == ("figure", "Listing 2: Closing a gate step by step")


def test_a_table_has_its_first_row_if_the_caption_touches_the_rule_above_it(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.text(110, 240, "Table 1: Rivers")
    for level in (241, 260, 330):
        sheets.pdf.line(100, level, 400, level)
    for place, row in enumerate([("Name", "Miles"), ("Ouse", "52"), ("Severn", "220"), ("Tees", "85")]):
        sheets.text(106, 254 + 22 * place, row[0]).text(306, 254 + 22 * place, row[1])
    document = parsed(sheets, tmp_path)
    assert texts(document, "table")[0] == "Name | Miles"
    picture = only(document)
    assert picture.visual_type == "table"
    assert abs(picture.height / 2 - 89) <= 8
