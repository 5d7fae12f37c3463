"""Headings are lines that the outline names, or that stand out by size or weight."""

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Parsed, Sheets, prose, texts


def test_a_heading_at_the_top_of_every_page_of_slides_is_kept(parsed: Parsed) -> None:
    sheets = Sheets(width=720, height=540)
    for number in range(1, 10):
        sheets.page().text(72, 60, f"The stage number {number}", size=28, font="Helvetica")
        sheets.lines(
            [f"We reach place {number} at noon and rest there for a while", "before we go on to the next one."],
            y=200,
            size=16,
        )
    headings = texts(parsed(sheets), "heading")
    assert headings == [f"The stage number {number}" for number in range(1, 10)]


def test_headings_take_their_level_from_the_outline(parsed: Parsed) -> None:
    sheets = Sheets().page()
    for level, title, y in ((0, "1 The Land", 100.0), (1, "1.1 Hills", 200.0), (1, "1.2 Valleys", 300.0)):
        sheets.pdf.set_y(y - 10)
        sheets.pdf.set_font("Times", "", 10)
        sheets.pdf.start_section(title, level)
        sheets.text(72, y, title, face="B").lines(prose(88)[:3], y=y + 20)
    found = [(block.text, block.level) for block in parsed(sheets).blocks if block.kind == "heading"]
    assert found == [("1 The Land", 1), ("1.1 Hills", 2), ("1.2 Valleys", 2)]


def test_headings_stand_out_by_size_or_weight(parsed: Parsed) -> None:
    sheets = Sheets().page().text(72, 80, "A Book of Rivers", size=24)
    sheets.text(72, 120, "The Upper", size=16).text(72, 138, "Course", size=16).lines(prose(88)[:4], y=160)
    sheets.text(72, 240, "A spring in the hills", face="B").lines(prose(88)[:4], y=260)
    sheets.page().text(72, 80, "The Lower Course", size=16).lines(prose(88), y=110)
    found = [(block.text, block.level) for block in parsed(sheets).blocks if block.kind == "heading"]
    assert found == [
        ("A Book of Rivers", 1),
        ("The Upper Course", 1),
        ("A spring in the hills", 2),
        ("The Lower Course", 1),
    ]


def test_a_size_a_little_above_that_of_the_outline_has_its_level(parsed: Parsed) -> None:
    sheets = Sheets().page()
    sheets.pdf.set_y(90)
    sheets.pdf.start_section("The Land")
    sheets.text(72, 100, "The Land", size=12.1).lines(prose(88)[:3], y=120)
    sheets.text(72, 200, "The Hills", size=12.5).lines(prose(88)[:3], y=220)
    found = [(block.text, block.level) for block in parsed(sheets).blocks if block.kind == "heading"]
    assert found == [("The Land", 1), ("The Hills", 1)]
