"""Front matter gives a title, authors and a year, however it is written."""

from pathlib import Path

import pytest

from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.front_matter import MAX_FRONT_MATTER, front_matter
from toolsets.concept_rag.ingestion.markdown import parse_markdown


def parsed(data: bytes | str, path: Path = Path("notes.md")) -> ParsedDocument:
    return parse_markdown(path, data.encode() if isinstance(data, str) else data)


@pytest.mark.parametrize(
    "front",
    [
        '---\ntitle: "A: title" \nauthor: Ada Lovelace # me\ndate: 2020-01-02\n---\n',
        "---\ntitle: 'A: title'\nauthors:\n  - Ada Lovelace\ndate: 2020\ntags: [a, b]\n...\n",
        '+++\ntitle = "A: title"\nauthors = ["Ada Lovelace"]\ndate = 2020-01-02\n+++\n',
        "---\r\ntitle: 'A: title'\r\nauthors: [Ada Lovelace]\r\nyear: 2020\r\nnested:\r\n  deep: value\r\n---\r\n",
        "---\ntitle: >\n  A: title\nauthor:\n- name: Ada Lovelace\n  email: a@b.org\ndate: 2020\n---\n",
    ],
)
def test_front_matter_gives_title_author_and_year(front: str) -> None:
    document = parsed(f"{front}text\n")
    assert (document.title, document.author, document.year) == ("A: title", "Ada Lovelace", "2020")
    assert [block.text for block in document.blocks] == ["text"]


def test_rules_at_the_start_are_no_front_matter() -> None:
    assert [block.text for block in parsed("---\nA paragraph.\n\n---\nAnother.\n").blocks] == [
        "A paragraph.",
        "Another.",
    ]


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: 'Don''t Panic'", "Don't Panic"),
        (r'title: "Say \"Hello\" to \u00c5ngstr\u00f6m" # a draft', 'Say "Hello" to Ångström'),
        ("title: >-\n  A Very Long Title\n  About Glaciers\nauthor: A", "A Very Long Title About Glaciers"),
        ("title: |2+\n\n    A Very Long Title\n\n    About # Glaciers", "A Very Long Title About # Glaciers"),
        ("title: A Very Long Title\n  About: Glaciers # so far", "A Very Long Title About: Glaciers"),
        ('title: "A Very Long Title\n  About Glaciers"', "A Very Long Title About Glaciers"),
        ("# made by hand\n\ntitle:\n  A Very Long Title", "A Very Long Title"),
        ('"title": "A Very Long Title"', "A Very Long Title"),
        ("title: [Draft] A Long Title", "[Draft] A Long Title"),
        ('title: "Ice" and "Snow"', '"Ice" and "Snow"'),
        ("title: 'tis the season", "'tis the season"),
        ("title:\n- type: main\n  text: A Book\n- type: subtitle\n  text: Of Ice", "A Book"),
        ("description: >\n  title: of no use\n\ntitle: A Book", "A Book"),
        (r'title: "\ud83d\ude00 \ud83d \U00110000"', "😀 \ufffd \ufffd"),
    ],
)
def test_a_title_in_yaml_is_read_whole(front: str, title: str) -> None:
    assert parsed(f"---\n{front}\n---\n# Intro\n\ntext\n").title == title


@pytest.mark.parametrize(
    ("front", "author"),
    [
        ("author:\n  name: Jane Doe\n  email: j@example.org", "Jane Doe"),
        ('authors: ["Doe, Jane", "Roe, Rick"]', "Doe, Jane; Roe, Rick"),
        ("authors: [\n  Jane Doe,\n  'Rick O''Roe',\n]", "Jane Doe, Rick O'Roe"),
        ("author: {name: Jane Doe, email: j@example.org}", "Jane Doe"),
        ('author: [{name: "Jane Doe", url: "https://example.org"}, Rick Roe]', "Jane Doe, Rick Roe"),
        ("author:\n- Jane Doe\n-   Rick Roe\ntitle: T", "Jane Doe, Rick Roe"),
        (
            "author:\n  - email: j@example.org\n    name: Jane Doe\n    roles: [a, b]\n  - name: Rick Roe",
            "Jane Doe, Rick Roe",
        ),
        ("author:\n  - name:\n      given: Jane\n      family: Doe\n    orcid: 0000", "Jane Doe"),
        ("authors:\n  - family-names: Doe\n    given-names: Jane", "Jane Doe"),
        ("author:\nby: Jane Doe", "Jane Doe"),
    ],
)
def test_authors_in_yaml_are_names(front: str, author: str) -> None:
    assert parsed(f"---\n{front}\n---\ntext\n").author == author


def test_authors_in_toml_are_names() -> None:
    assert parsed('+++\n[[author]]\nname = "Jane Doe"\nemail = "j@example.org"\n+++\ntext\n').author == "Jane Doe"


@pytest.mark.parametrize(
    "front",
    [
        "% The Physics\n  of Ice\n% Jane Doe; Rick Roe\n% March 2015\n",
        "% The Physics of Ice\n% Jane Doe\n  Rick Roe\n% 2015-03-02\n\n",
        "Title: The Physics of Ice\nAuthors: Jane Doe, Rick Roe\nDate: 2015-03-02 10:20\nCategory: Ice\n  and snow\n\n",
    ],
)
def test_front_matter_without_rules_is_read(front: str) -> None:
    document = parsed(f"{front}# Intro\n\ntext\n")
    assert (document.title, document.author, document.year) == ("The Physics of Ice", "Jane Doe, Rick Roe", "2015")
    assert [block.text for block in document.blocks] == ["Intro", "text"]


@pytest.mark.parametrize("text", ["100 % of ice", "%d is a format", "Title: is a word\nand more text\n\nText"])
def test_a_paragraph_that_resembles_front_matter_is_text(text: str) -> None:
    assert " ".join(block.text for block in parsed(text).blocks) == " ".join(text.split())


def test_deep_and_wide_front_matter_is_read_in_bounds() -> None:
    for front in ("- " * 20_000, "[" * 60_000, "\n".join(" " * n + "a:" for n in range(300)), "x, [" * 10_000):
        assert parsed(f"---\ntitle: T\nauthor:\n  {front}\n---\n# T\n").title == "T"


def test_a_paragraph_between_rules_with_a_colon_is_text() -> None:
    assert [block.text for block in parsed("---\nPlease read this.\nNote: it is short.\n\n---\nEnd.\n").blocks] == [
        "Please read this. Note: it is short.",
        "End.",
    ]


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("---\nTitle: Ice\n---\ntext", {"title": ("Ice",)}),
        ("---\ntags: [a, 'b, c', d]\n---\ntext", {"tags": ("a", "b, c", "d")}),
        ("---\nauthor:\n  - name: Ada\n  - given: Bob\n    family: Bow\n---\ntext", {"author": ("Ada", "Bob Bow")}),
        ("---\nabout: >\n  folded\n  lines\n...\ntext", {"about": ("folded lines",)}),
        ('---\ntitle: "A \\u00e9 \\ud83d\\ude00"\n---\ntext', {"title": ("A é 😀",)}),
        ("+++\ntitle = 'Ice'\nweight = 3\n+++\ntext", {"title": ("Ice",), "weight": ("3",)}),
        ("+++\ntitle = \n+++\ntext", {}),
        ("% Ice\n% Ada; Bob\n% 2019\ntext", {"title": ("Ice",), "author": ("Ada", " Bob"), "date": (" 2019",)}),
        ("Title: Ice\nAuthor: Ada\n\ntext", {"title": ("Ice",), "author": ("Ada",)}),
        ("text", {}),
    ],
)
def test_values_come_by_their_lower_case_names(source: str, values: dict[str, tuple[str, ...]]) -> None:
    found, text = front_matter(source)
    assert {name: tuple(each.strip() for each in texts) for name, texts in found.items()} == {
        name: tuple(each.strip() for each in texts) for name, texts in values.items()
    }
    assert text == "text"


def test_a_section_that_is_too_long_is_text() -> None:
    source = f"---\ntitle: {'x' * MAX_FRONT_MATTER}\n---\n"
    assert front_matter(source) == ({}, source)
