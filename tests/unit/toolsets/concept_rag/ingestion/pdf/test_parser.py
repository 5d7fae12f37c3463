"""What a PDF file says becomes prose: paragraphs, headings, lists, listings and tables in reading order."""

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import PROSE, Parsed, Sheets, prose, texts


def test_lines_become_paragraphs_and_those_go_on_over_pages(parsed: Parsed) -> None:
    lines = prose(88, times=3)
    sheets = Sheets().page().lines(lines[:13], y=570).page().lines(lines[13:])
    document = parsed(sheets)
    assert texts(document) == [(PROSE * 3).strip()]
    assert (document.pages, document.blocks[0].page, document.format) == (2, 1, "pdf")


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


def test_pages_beyond_the_limit_are_noted(parsed: Parsed) -> None:
    sheets = Sheets()
    for _ in range(4):
        sheets.page().lines(prose(88))
    document = parsed(sheets, max_pages=3)
    assert document.pages == 4
    assert max(block.page for block in document.blocks) <= 3
    assert document.notes == ("Only the first 3 of 4 pages were read.",)
