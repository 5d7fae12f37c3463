"""Lines of pages become blocks of their kind, whatever interrupts them."""

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import PROSE, Parsed, Sheets, kinds, only, prose, texts


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
