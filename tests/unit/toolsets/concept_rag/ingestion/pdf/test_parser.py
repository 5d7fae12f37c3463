"""What a PDF file says becomes prose: paragraphs, headings, lists, listings and tables in reading order."""

import textwrap
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import PROSE, Sheets, kinds, only, prose, texts
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


@pytest.fixture
def parsed(tmp_path: Path) -> "Parsed":
    return Parsed(tmp_path / "book.pdf")


class Parsed:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, sheets: Sheets, *, max_pages: int = 100) -> ParsedDocument:
        return parse_pdf(sheets.save(self._path), max_pages=max_pages)


def test_lines_become_paragraphs_and_those_go_on_over_pages(parsed: Parsed) -> None:
    lines = prose(88, times=3)
    sheets = Sheets().page().lines(lines[:13], y=570).page().lines(lines[13:])
    document = parsed(sheets)
    assert texts(document) == [(PROSE * 3).strip()]
    assert (document.pages, document.blocks[0].page, document.format) == (2, 1, "pdf")


def test_space_or_an_indent_begins_a_paragraph(parsed: Parsed) -> None:
    lines = prose(88)
    sheets = Sheets().page().lines(lines).lines(lines, y=100 + 12 * len(lines) + 10)
    sheets.lines(
        ["So it was said, and so it was done, as all the people of the valley could see for themselves"], x=90, y=400
    )
    sheets.lines(["and as they told their children when the evenings grew long and the fires were lit again."], y=412)
    assert texts(parsed(sheets))[:2] == [PROSE.strip(), PROSE.strip()]
    assert len(parsed(sheets).blocks) == 3


def test_broken_words_are_mended_as_the_rest_of_the_book_writes_them(parsed: Parsed) -> None:
    text = [
        "A well-known river is not a single thing, and the up-",
        "per meadows show it; the under-",
        "standing of water is an art of which the well-",
        "known masters wrote in non-",
        "English books, such as the RFC-",
        "like notes, and the self-",
        "made man reads them in the evening.",
    ]
    document = parsed(Sheets().page().lines(text))
    assert texts(document) == [
        "A well-known river is not a single thing, and the upper meadows show it; the understanding of water is an art of "
        "which the well-known masters wrote in non-English books, such as the RFC-like notes, and the self-made man reads "
        "them in the evening."
    ]


def test_running_heads_and_page_numbers_are_dropped(parsed: Parsed) -> None:
    sheets = Sheets()
    for number in range(1, 13):
        chapter = (number - 1) // 4 + 1
        sheets.page()
        if number % 4 == 1:
            sheets.text(72, 120, f"Chapter {chapter}", size=20, font="Helvetica", face="B")
        else:
            sheets.text(72, 40, f"Chapter {chapter}: The River in Spring").text(500, 40, str(number))
        sheets.lines([f"On day {number} we came to the mill and saw {number * 7} barges on the water there."], y=150)
        sheets.lines(prose(88), y=170)
        if number % 4 == 1:
            sheets.text(300, 760, str(number))
    found = texts(parsed(sheets))
    assert not [text for text in found if "Spring" in text or text.isdecimal()]
    assert [text for text in found if text.startswith("Chapter")] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert sum("barges on the water there" in text for text in found) == 12


def test_roman_numbers_and_page_x_of_y_are_page_numbers(parsed: Parsed) -> None:
    sheets = Sheets()
    for number, roman in enumerate(["iii", "iv", "v", "vi"], 3):
        sheets.page().lines(prose(88)).text(300, 760, roman).text(60, 30, f"Page {number} of 9")
    assert not [text for text in texts(parsed(sheets)) if "Page" in text or len(text) < 5]


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


def test_the_number_of_a_chapter_is_part_of_its_heading(parsed: Parsed) -> None:
    sheets = (
        Sheets().page().text(72, 80, "CHAPTER 3", size=12).text(72, 110, "The Weir", size=20).lines(prose(88), y=150)
    )
    assert only(parsed(sheets.page().lines(prose(88))), "heading").text == "CHAPTER 3 The Weir"


def test_list_items_lose_their_bullets_and_keep_their_numbers(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)[:3])
    sheets.text(80, 160, "\x95").lines(
        ["a mill that grinds the corn of the whole valley in the autumn and then", "stands still"], x=92, y=160
    )
    sheets.text(80, 190, "\x95").text(92, 190, "a weir")
    sheets.text(80, 220, "1. The first step is to open the gate.").text(80, 234, "2. The second is to wait.")
    assert texts(parsed(sheets), "list_item") == [
        "a mill that grinds the corn of the whole valley in the autumn and then stands still",
        "a weir",
        "1. The first step is to open the gate.",
        "2. The second is to wait.",
    ]


def test_listings_keep_their_lines_and_indents(parsed: Parsed) -> None:
    sheets = Sheets().page().lines([*prose(88)[:4], "The program is:"])
    sheets.lines(["def level(gate):", "    if gate.open:"], x=90, y=170, font="Courier")
    sheets.lines(["        return 0", "", "    return 7  # full"], x=90, y=194, font="Courier")
    sheets.lines(prose(88), y=300)
    block = only(parsed(sheets), "code")
    assert block.text == "def level(gate):\n    if gate.open:\n        return 0\n\n    return 7  # full"


def with_fixed_pitch(path: Path, *, first: str | None = None) -> Path:
    """Replace Courier by a font that is known as fixed-pitch by its flags only, and whose letters begin at `first`."""
    font = b"/BaseFont /Plainletter /FirstChar 32 /LastChar 126 /Widths [" + 95 * b"600 " + b"] /FontDescriptor << "
    font += b"/Type /FontDescriptor /FontName /Plainletter /Flags 33 /FontBBox [0 -200 600 800] /ItalicAngle 0 "
    font += b"/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    content = path.read_bytes()
    if first is not None:
        font += b" /ToUnicode 900 0 R"
        codes = (
            f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <7a> <{ord(first):04x}> "
        )
        stream = f"{codes} endbfrange endcmap".encode()
        content = content.replace(
            b"xref", b"900 0 obj << /Length %d >> stream\n%b\nendstream endobj\nxref" % (len(stream), stream), 1
        )
    path.write_bytes(content.replace(b"/BaseFont /Courier", font))
    return path


def test_a_font_that_states_a_fixed_pitch_is_monospaced_whatever_its_name(tmp_path: Path) -> None:
    rows = ["name    age   size", "Anna     31    170", "Boris    44    182", "Clara    27    165"]
    sheets = Sheets().page().lines(prose(88)).lines(rows, x=90, y=300, font="Courier")
    document = parse_pdf(with_fixed_pitch(sheets.save(tmp_path / "book.pdf")))
    assert only(document, "code").text == "\n".join(rows)
    assert texts(document, "table") == []


def test_a_fixed_pitch_of_chinese_letters_makes_no_listing(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88)).lines(prose(70)[:3], x=72, y=300, font="Courier")
    document = parse_pdf(with_fixed_pitch(sheets.save(tmp_path / "book.pdf"), first="\u4e00"))
    assert texts(document, "code") == []
    assert "\u4e20" in "".join(texts(document))


def test_a_name_in_typewriter_is_prose_and_a_typewritten_book_no_listing(parsed: Parsed) -> None:
    sheets = (
        Sheets().page().lines(["The gates are opened by hand and closed by the program that is kept in the file named"])
    )
    sheets.lines(
        ["/usr/local/share/river/gates/upper-and-lower/close-all-gates-at-night.sh and whose"],
        y=112,
        font="Courier",
        size=9,
    )
    sheets.lines(["author is not known to anybody who works there now.", *prose(88)], y=124)
    assert kinds(parsed(sheets)) == ["paragraph", "paragraph"]
    assert kinds(parsed(Sheets().page().lines(prose(70), font="Courier"))) == ["paragraph"]


def test_footnotes_do_not_interrupt_a_paragraph(parsed: Parsed) -> None:
    lines = prose(88, times=2)
    sheets = Sheets().page().lines(lines[:7], y=600)
    sheets.text(72, 718, "3", size=5).text(78, 722, "A mill is a house with a wheel.", size=8)
    sheets.page().lines(lines[7:])
    assert texts(parsed(sheets)) == [(PROSE * 2).strip(), "[3] A mill is a house with a wheel."]


def test_raised_figures_are_distinguished_from_those_of_the_text(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88))
    x = 72.0
    for text, size, rise in (
        ("A river of the north", 10, 0),
        ("12", 6, 4),
        (" is 10", 10, 0),
        ("3", 6, 4),
        (" miles long.", 10, 0),
    ):
        sheets.text(x, 250 - rise, text, size=size)
        x += sheets.pdf.get_string_width(text)
    assert texts(parsed(sheets))[-1] == "A river of the north[12] is 10^3 miles long."


def test_a_table_of_contents_is_a_list_of_titles_and_pages(parsed: Parsed) -> None:
    sheets = Sheets().page().text(72, 70, "Contents", size=18)
    titles = ["The Land", "Hills", "Valleys and their People in the Years of the Great", "The Sea", "Harbours", "Ships"]
    for place, title in enumerate(titles):
        sheets.text(72, 100 + 14 * place, f"{place + 1}  {title} . . . . . . . . . . . . . . . . . . {place * 9 + 3}")
    sheets.page().lines(prose(88))
    found = texts(parsed(sheets), "list_item")
    assert found == [f"{place + 1} {title} … {place * 9 + 3}" for place, title in enumerate(titles)]


def test_an_index_is_a_list_of_its_entries(parsed: Parsed) -> None:
    entries = [f"entry {n:02}, {n + 3}, {n + 20}" for n in range(40)]
    sheets = Sheets().page().lines(prose(88)).page().text(72, 70, "Index", size=18)
    sheets.lines([*entries[:20], "   99, 101"], x=72).lines(entries[20:], x=320)
    found = texts(parsed(sheets), "list_item")
    assert found == [*entries[:19], entries[19] + " 99, 101", *entries[20:]]


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


def test_an_address_that_is_broken_over_lines_is_whole_again(parsed: Parsed) -> None:
    lines = [
        "The gauges of all the rivers of the country are published on https://www.rivers.example/",
        "gauges/today.html each morning.",
    ]
    assert "https://www.rivers.example/gauges/today.html each" in texts(parsed(Sheets().page().lines(lines)))[0]


def test_letter_spaced_words_are_put_together(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88), y=200)
    for place, letter in enumerate("CHAPTER"):
        sheets.text(72 + 16 * place, 100, letter, size=12)
    for place, letter in enumerate("ONE"):
        sheets.text(72 + 16 * 7 + 22 + 16 * place, 100, letter, size=12)
    assert texts(parsed(sheets))[0] == "CHAPTER ONE"


def test_ornaments_are_left_out(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)).text(300, 250, "* * *").lines(prose(88), y=280)
    assert texts(parsed(sheets)) == [PROSE.strip()] * 2


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_page_is_read_as_it_is_shown(tmp_path: Path, quarters: int) -> None:
    path = Sheets().page().lines(prose(88)).save(tmp_path / "turned.pdf")
    turned = path.read_bytes().replace(b"/MediaBox", b"/Rotate %d /MediaBox" % (90 * quarters))
    path.write_bytes(turned)
    assert texts(parse_pdf(path)) == [PROSE.strip()]


def test_text_set_across_a_page_is_read_and_stamps_in_the_margin_are_not(parsed: Parsed) -> None:
    sheets = Sheets().page()
    with sheets.pdf.rotation(90, 300, 400):
        sheets.lines(textwrap.wrap(PROSE, 80), x=100, y=300)
    assert texts(parsed(sheets)) == [PROSE.strip()]
    stamped = Sheets().page().lines(prose(88))
    with stamped.pdf.rotation(90, 30, 400):
        stamped.text(30, 400, "arXiv:1234.5678 [physics] 1 Jan 2001", size=16)
    assert texts(parsed(stamped)) == [PROSE.strip()]


def test_what_lies_outside_the_crop_is_not_read(tmp_path: Path) -> None:
    path = (
        Sheets().page().lines(prose(88)).text(72, 20, "river-proof.indd 7   04/05/2019").save(tmp_path / "cropped.pdf")
    )
    path.write_bytes(path.read_bytes().replace(b"/MediaBox", b"/CropBox [50 40 580 740] /MediaBox"))
    assert texts(parse_pdf(path)) == [PROSE.strip()]


def test_text_that_is_printed_twice_is_read_once(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)).lines(prose(88), x=72.3)
    assert texts(parsed(sheets)) == [PROSE.strip()]


def test_pages_beyond_the_limit_are_noted(parsed: Parsed) -> None:
    sheets = Sheets()
    for _ in range(4):
        sheets.page().lines(prose(88))
    document = parsed(sheets, max_pages=3)
    assert document.pages == 4
    assert max(block.page for block in document.blocks) <= 3
    assert document.notes == ("Only the first 3 of 4 pages were read.",)
