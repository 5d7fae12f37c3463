"""What is read from plain text."""

from pathlib import Path

import pytest

from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.plain_text import parse_text


def parsed(data: bytes | str) -> ParsedDocument:
    return parse_text(Path("notes.txt"), data.encode() if isinstance(data, str) else data)


def kinds(source: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed(source).blocks]


def test_lines_between_blank_lines_are_one_paragraph() -> None:
    source = "A paragraph that was wrapped by\nhand after some thirty columns\nends here.\n\n\nAnother one.\n"
    assert kinds(source) == [
        ("paragraph", "A paragraph that was wrapped by hand after some thirty columns ends here."),
        ("paragraph", "Another one."),
    ]


def test_lines_that_are_paragraphs_themselves_stay_apart() -> None:
    lines = [f"Sentence {number} " + "goes on " * (20 + 10 * number) for number in range(3)]
    assert len(kinds("\n".join(lines))) == 3
    assert len(kinds("\n".join(f"word{number}" for number in range(30_000)))) == 30_000


def test_a_stanza_is_one_paragraph() -> None:
    assert kinds("A short line\nand a rather longer one\nends\n") == [
        ("paragraph", "A short line and a rather longer one ends")
    ]


def test_broken_words_are_put_together_as_the_text_writes_them() -> None:
    source = (
        "The relay operates well-known switches and transfor-\nmers, a well-\nknown kind, in a state-of-the-\nart way.\n\n"
        "Transformers are not well known.\n"
    )
    assert kinds(source)[0][1] == (
        "The relay operates well-known switches and transformers, a well-known kind, in a state-of-the-art way."
    )


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("Overview\n========", 1),
        ("Overview\n--------", 2),
        ("Overview\n~~~~~~~~", 3),
        ("1. Overview", 1),
        ("2.3 Overview of It", 2),
        ("2.3.1. Overview", 3),
        ("1.1 Overview\n\n1.1.1 Scope", 2),
        ("Chapter 4: Relays", 1),
        ("CHAPTER IV", 1),
        ("Appendix A. Tables", 1),
        ("Introduction", 1),
        ("THE LONG VOYAGE", 2),
        ("========\nOverview\n========", 1),
    ],
)
def test_headings_are_recognised_by_their_shape(line: str, level: int) -> None:
    blocks = parsed(f"Before it.\n\n{line}\n\nText that follows.\n").blocks
    assert (blocks[1].kind, blocks[1].level) == ("heading", level)
    assert [blocks[0].kind, blocks[-1].kind] == ["paragraph", "paragraph"]


@pytest.mark.parametrize(
    "line",
    [
        "1. buy milk",
        "1. Buy milk\n\n2. Buy bread",
        "12 Angry Men is a film.",
        "ok",
        "A plain line",
        "THE END OF A SENTENCE.",
        "a, b\n----------------------------",
        "$ 100,000,000 USD",
    ],
)
def test_other_short_lines_are_no_headings(line: str) -> None:
    assert "heading" not in [block.kind for block in parsed(f"Before it.\n\n{line}\n\nText that follows.\n").blocks]


def test_lists_are_read_item_by_item() -> None:
    assert kinds("- one\n- two\n  more\n* three\n\n1. first\n2. second\n") == [
        ("list_item", "one"),
        ("list_item", "two more"),
        ("list_item", "three"),
        ("list_item", "1. first"),
        ("list_item", "2. second"),
    ]


def test_numbered_entries_are_read_line_by_line() -> None:
    source = (
        "Preface\n1. Overview\n    1.1. A long entry that\n    goes on\n    1.2. Short\n2. Tools\n\n    * 2.1.1. Deep\n"
    )
    assert kinds(source) == [
        ("list_item", "Preface"),
        ("list_item", "1. Overview"),
        ("list_item", "1.1. A long entry that goes on"),
        ("list_item", "1.2. Short"),
        ("list_item", "2. Tools"),
        ("list_item", "2.1.1. Deep"),
    ]


def test_directives_of_restructured_text_are_no_text() -> None:
    source = ".. _relays:\n\nIt runs:\n\n.. parsed-literal::\n\n    dpkg --relay\n\n.. note:: Mind it.\n\n.. figure:: a.png\n"
    assert [text for _, text in kinds(source)] == ["It runs:", "dpkg --relay", "Mind it."]
    assert kinds(".. and so on, as ever::\n")[0][1] == ".. and so on, as ever::"


def test_the_first_section_after_the_contents_is_a_heading() -> None:
    source = "1. Introduction\n\n2. Tools\n\n1. Introduction\n\nIt begins.\n"
    assert kinds(source)[2] == ("heading", "1. Introduction")


def test_indented_lines_with_signs_are_code_and_rules_are_nothing() -> None:
    assert kinds("Run:\n\n    if (x) {\n        y();\n    }\n\n* * *\n\n+---+\n| a |\n+---+\n") == [
        ("paragraph", "Run:"),
        ("code", "if (x) {\n    y();\n}"),
        ("code", "+---+\n| a |\n+---+"),
    ]


def test_title_author_and_year_are_stated_at_the_start_or_read_from_the_first_page() -> None:
    stated = parsed("Title: The Book\nAuthor: Ada Lovelace\nRelease Date: June 4, 1998\n\ntext\n")
    assert (stated.title, stated.author, stated.year) == ("The Book", "Ada Lovelace", "1998")
    read = parsed("The Book\n========\n\nby Ada Lovelace\n\nMay 2003\n\ntext\n")
    assert (read.title, read.author, read.year) == ("The Book", "Ada Lovelace", "2003")
    plain = parsed("A first line\n\nIn 1850 much was written by hand and by Ada Lovelace in London.\n")
    assert (plain.title, plain.author, plain.year) == ("A first line", "", "")


@pytest.mark.parametrize("data", [bytes(range(256)) * 20, b"\x7fELF" + bytes(200), b"text\0\0\0\0" * 50])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable) as failure:
        parsed(data)
    assert failure.value.kind == "damaged"


def test_much_text_is_read_in_time_that_grows_with_it() -> None:
    heads = "".join(f"Head {number}\n=======\n" for number in range(20_000))
    assert len(parsed(heads).blocks) == 20_000
    assert len(parsed("word- " * 200_000 + "\n" + "-" * 500_000 + "\n" + "1." * 200_000).blocks) >= 1


@pytest.mark.parametrize(
    "first", ["1. Introduction", "Introduction\n============", "Chapter 1. Overview", "Part II", "Contents\n========"]
)
def test_a_line_before_the_first_chapter_is_the_title(first: str) -> None:
    source = f"Filesystem Hierarchy Standard\n\nVersion 3.0\n\n{first}\n\nThe standard says where files are.\n"
    assert parsed(source).title == "Filesystem Hierarchy Standard"


def test_a_first_heading_of_its_own_is_the_title_and_so_is_a_chapter_without_a_line_before_it() -> None:
    assert parsed("Draft\n\nRelays at Work\n==============\n\nThey switch.\n").title == "Relays at Work"
    assert parsed("It begins here, in the middle.\n\n1. Introduction\n\nThey switch.\n").title == "1. Introduction"


def test_a_message_has_its_subject_as_title() -> None:
    text = "From: Jane Doe <jane@example.org>\nSubject: Ice report\nDate: Mon, 2 Mar 2015 10:00:00 +0100\n\nHello.\n"
    document = parsed(text)
    assert (document.title, document.author, document.year) == ("Ice report", "Jane Doe", "2015")


def test_a_chapter_with_a_spelled_number_is_no_title() -> None:
    assert parsed("The Ice\n\nby Jane Doe\n\nCHAPTER ONE\n\nIt was a dark night.\n").title == "The Ice"


def test_centred_lines_before_the_contents_are_the_title() -> None:
    source = (
        "                   DUNGEON CRAWL Stone Soup\n                        - the manual -\n\n"
        "Contents\n--------\nA.      Overview\nB.      Monsters\n\n\nCrawl is a game.\n"
    )
    assert parsed(source).title == "DUNGEON CRAWL Stone Soup"


def test_a_heading_between_two_rules_is_above_one_with_a_rule_below_it() -> None:
    rule = "-" * 31
    chapter = "A.   Introduction\n=================\n\nText.\n"
    source = f"{rule}\nHow to make levels for the Game\n{rule}\n\nThey are files.\n\n{chapter}"
    document = parsed(source)
    assert document.title == "How to make levels for the Game"
    assert (document.blocks[0].kind, document.blocks[0].level) == ("heading", 1)
