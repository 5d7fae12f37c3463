"""Which lines begin or continue a paragraph, and what kind of text a line is."""

from dataclasses import replace

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import PROSE, Parsed, Sheets, line, prose, texts
from toolsets.concept_rag.ingestion.document import BlockKind
from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.hyphens import Hyphens
from toolsets.concept_rag.ingestion.pdf.lines import PdfLine
from toolsets.concept_rag.ingestion.pdf.paragraphs import (
    OpenBlock,
    code_text,
    ends_with_page,
    entry_text,
    extend,
    follows_closely,
    goes_on,
    is_chapter_label,
    is_contents,
    is_entry,
    is_index,
    is_lone_bullet,
    is_note,
    is_only_pages,
    is_ornament,
    item_mark,
    resumes,
    run_on,
)


def test_space_or_an_indent_begins_a_paragraph(parsed: Parsed) -> None:
    lines = prose(88)
    sheets = Sheets().page().lines(lines).lines(lines, y=100 + 12 * len(lines) + 10)
    sheets.lines(
        ["So it was said, and so it was done, as all the people of the valley could see for themselves"], x=90, y=400
    )
    sheets.lines(["and as they told their children when the evenings grew long and the fires were lit again."], y=412)
    assert texts(parsed(sheets))[:2] == [PROSE.strip(), PROSE.strip()]
    assert len(parsed(sheets).blocks) == 3


def test_an_address_that_is_broken_over_lines_is_whole_again(parsed: Parsed) -> None:
    lines = [
        "The gauges of all the rivers of the country are published on https://www.rivers.example/",
        "gauges/today.html each morning.",
    ]
    assert "https://www.rivers.example/gauges/today.html each" in texts(parsed(Sheets().page().lines(lines)))[0]


def test_ornaments_are_left_out(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)).text(300, 250, "* * *").lines(prose(88), y=280)
    assert texts(parsed(sheets)) == [PROSE.strip()] * 2


BODY = BodyStyle(size=10, leading=1.2, typewritten=False)


def draft(text: str, *, kind: BlockKind = "paragraph", broken: bool = False) -> OpenBlock:
    """A block of one line."""
    shown = line(text, broken=broken)
    return OpenBlock(kind, text, shown.page, shown, shown, right=shown.box.x1)


@pytest.mark.parametrize(
    ("text", "group", "mark"),
    [
        ("\u2022 a mill", "bullet", "\u2022 "),
        ("- a mill", "dash", "- "),
        ("– a mill", "dash", "– "),
        ("1. Open the gate", "number", "1. "),
        ("12) Open the gate", "number", "12) "),
        ("(a) Open the gate", "number", "(a) "),
        ("(iv) Open the gate", "number", "(iv) "),
        ("[3] Knuth", "number", "[3] "),
        ("[Knu84] Knuth", "number", "[Knu84] "),
    ],
)
def test_a_list_item_begins_with_its_sign_or_number(text: str, group: str, mark: str) -> None:
    found = item_mark(line(text))
    assert found is not None
    assert (found[0], found.lastgroup) == (mark, group)


@pytest.mark.parametrize(
    "text", ["1.5 miles long", "-5 degrees", "A. Smith wrote", "(see above) it", "2019 was dry", "1. "]
)
def test_a_sentence_is_no_list_item(text: str) -> None:
    assert item_mark(line(text)) is None


def test_a_dot_leader_leads_to_a_page() -> None:
    assert is_entry(line("Hills . . . . . . . . 12"))
    assert is_entry(line("Preface ........ xiv"))
    assert not is_entry(line("He waited ... and waited"))
    assert entry_text("Hills . . . . . . . . 12") == "Hills … 12"


@pytest.mark.parametrize(("last", "ends"), [("12", True), ("xiv", True), ("1234567", False), ("miles", False)])
def test_an_entry_without_a_leader_ends_with_a_separate_number(last: str, *, ends: bool) -> None:
    assert ends_with_page(line("", cells=[("Hills", 72), (last, 400)])) is ends
    assert not ends_with_page(line(f"Hills {last}"))


def test_a_page_of_contents_has_five_entries_that_are_a_third_of_it() -> None:
    entries = [line("Hills . . . . . . . . 12")] * 5
    assert is_contents([*entries, *[line("The Land")] * 10])
    assert not is_contents(entries[1:])
    assert not is_contents([*entries, *[line("The river rises in the hills.")] * 20])


def test_an_index_is_many_short_lines_that_end_with_pages() -> None:
    entries = [line("weir, 12, 14–19")] * 20
    assert is_index(entries)
    assert not is_index(entries[:14])
    assert not is_index([*entries, replace(line(""), special="table")])
    assert not is_index([line("The river rises in the hills.")] * 20)
    assert is_only_pages(line("99, 101–103"))
    assert not is_only_pages(line("99 bottles"))


def test_a_note_is_small_type_after_a_mark_in_the_lower_part_of_a_page() -> None:
    assert is_note(line("3 A mill is a house.", size=8, y=720), BODY, 435)
    assert not is_note(line("3 A mill is a house.", size=10, y=720), BODY, 435)
    assert not is_note(line("3 A mill is a house.", size=8, y=200), BODY, 435)
    assert not is_note(line("A mill is a house.", size=8, y=720), BODY, 435)


@pytest.mark.parametrize(
    ("below", "close"),
    [
        (line("two", y=112), True),
        (line("two", y=130), False),
        (line("two", y=90), False),
        (line("two", y=112, page=2), False),
    ],
)
def test_a_line_follows_closely_at_the_usual_distance(below: PdfLine, *, close: bool) -> None:
    assert follows_closely(line("one"), below, BODY) is close


FULL = "The river rises in the hills to the north of the town and runs for forty miles through meadows"


@pytest.mark.parametrize(
    ("text", "x", "size", "same"),
    [
        (FULL, 72, 10, True),
        (FULL, 72, 12, False),
        ("The river rises.", 72, 10, False),
        (f"{FULL}.", 92, 10, False),
        (FULL, 92, 10, True),
    ],
)
def test_a_paragraph_goes_on_with_the_line_below_it(text: str, x: float, size: float, *, same: bool) -> None:
    assert goes_on(draft(text), line("and small woods before it reaches the sea", x=x, y=112, size=size), BODY) is same


@pytest.mark.parametrize(
    ("text", "more", "same"),
    [
        (FULL, "and small woods", True),
        (f"{FULL}.", "and small woods", False),
        ("The river rises", "In spring the water is high", False),
        (FULL, "(see above)", False),
    ],
)
def test_a_paragraph_is_resumed_on_the_next_page(text: str, more: str, *, same: bool) -> None:
    assert resumes(draft(text), line(more, page=2)) is same


def test_a_broken_word_is_always_continued() -> None:
    broken = draft("the up", broken=True)
    assert goes_on(broken, line("per meadows", y=112), BODY)
    assert resumes(broken, line("Per meadows", page=2))


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ("the upper", "meadows", "the upper meadows"),
        ("see https://a.example/", "gauges", "see https://a.example/gauges"),
        ("see https://a.example/b.", "Then", "see https://a.example/b. Then"),
        ("see https://a.example/b-", "c", "see https://a.example/b-c"),
        ("pages 3-", "5", "pages 3- 5"),
    ],
)
def test_lines_run_on_with_a_space_unless_an_address_is_broken(text: str, more: str, expected: str) -> None:
    assert run_on(text, line(text), more, Hyphens()) == expected


def test_a_line_extends_a_block_to_its_right_edge() -> None:
    block = draft("the up", broken=True)
    extend(block, line("per meadows are wet", y=112), Hyphens())
    assert (block.text, block.count, block.right) == ("the upper meadows are wet", 2, block.last.box.x1)


@pytest.mark.parametrize(
    ("text", "is_label"), [("CHAPTER 3", True), ("Part", True), ("12.", True), ("The Weir", False)]
)
def test_the_number_of_a_chapter_awaits_its_title(text: str, *, is_label: bool) -> None:
    assert is_chapter_label(draft(text, kind="heading")) is is_label
    assert not is_chapter_label(draft(text))


@pytest.mark.parametrize(
    ("text", "ornament"),
    [("* * *", True), ("(continued on next page)", True), ("a * b", False), ("+---+", False), ("7", False)],
)
def test_an_ornament_has_neither_letters_nor_signs_of_a_drawing(text: str, *, ornament: bool) -> None:
    assert is_ornament(line(text)) is ornament
    assert is_lone_bullet(line("\u2022"))


def test_a_listing_keeps_its_indents_and_empty_lines() -> None:
    lines = [
        line("def level(gate):"),
        line("return 0", x=92, y=112),
        line("return 7", x=92, y=136),
    ]
    assert code_text(lines) == "def level(gate):\n    return 0\n\n    return 7"
