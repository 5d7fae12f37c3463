"""What is read from Markdown."""

import re
from pathlib import Path

import pytest

from tests.support.documents import markdown, png
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.ingestion.markdown import parse_markdown


def parsed(data: bytes | str, path: Path = Path("notes.md")) -> ParsedDocument:
    return parse_markdown(path, data.encode() if isinstance(data, str) else data)


def test_blocks_keep_their_kind() -> None:
    source = (
        "Title\n=====\n\nA *wrapped*\nparagraph with `code`.\n\n## Part\n\n- one\n- two\n  lines\n\n> said\n\n"
        "```python\ndef f():\n    pass\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<details><p>inside</p></details>\n"
    )
    assert parsed(source).blocks == (
        Block("heading", "Title", 1, 1),
        Block("paragraph", "A wrapped paragraph with code.", 1),
        Block("heading", "Part", 1, 2),
        Block("list_item", "one", 1),
        Block("list_item", "two lines", 1),
        Block("quote", "said", 1),
        Block("code", "def f():\n    pass", 1),
        Block("table", "a | b", 1),
        Block("table", "1 | 2", 1),
        Block("paragraph", "inside", 1),
    )


def test_deep_outlines_and_quotes_are_read_whole() -> None:
    outline = "".join("  " * depth + f"- item {depth}\n" for depth in range(80))
    quotes = "".join(">" * depth + f" quoted {depth} times\n\n" for depth in range(1, 130))
    blocks = parsed(f"# Notes\n\n{outline}\n{quotes}\n# End\n").blocks
    assert [block.text for block in blocks if block.kind == "heading"] == ["Notes", "End"]
    read = " ".join(block.text for block in blocks)
    assert re.findall(r"item (\d+)", read) == [str(depth) for depth in range(80)]
    assert re.findall(r"quoted (\d+)", read) == [str(depth) for depth in range(1, 130)]
    items = [block.text for block in blocks if block.kind == "list_item"]
    assert items[:20] == [f"item {depth}" for depth in range(20)]


def test_footnotes_of_one_word_or_an_address_are_text() -> None:
    source = (
        "Ice moves[^1], says Smith[^2]; see the survey[^survey] and [the map].\n"
        "[^1]: https://example.org/ice-survey.pdf\n[^2]: Smith1998\n[^survey]: A note of two paragraphs.\n\n"
        "    The *second* one.\n\n[the map]: https://example.org/map\n[^code]:\n\n    ```\n    x = 1\n    ```\n\nAfter.\n"
    )
    assert [(block.kind, block.text) for block in parsed(source).blocks] == [
        ("paragraph", "Ice moves[^1], says Smith[^2]; see the survey[^survey] and the map."),
        ("paragraph", "[^1]: https://example.org/ice-survey.pdf"),
        ("paragraph", "[^2]: Smith1998"),
        ("paragraph", "[^survey]: A note of two paragraphs."),
        ("paragraph", "The second one."),
        ("paragraph", "[^code]:"),
        ("code", "x = 1"),
        ("paragraph", "After."),
    ]


def test_many_footnote_signs_in_one_line_are_text() -> None:
    blocks = parsed("[^1]:" * 5_000 + " note").blocks
    assert "".join(block.text for block in blocks).count("[^1]:") == 5_000


def test_tags_that_prose_names_are_text() -> None:
    source = (
        "Put a <title> into the <head>, and <select> or <button type='reset'> below.\n\n<script> loads *code*.\n\n"
        "Type <your-name> for a List<String>; x<y and y>z.\n\n<placeholder>\n\n<?php opens a page.\n\n<!-- is a comment.\n\n"
        "# End\n\nThe <iframe> too.\n"
    )
    assert [block.text for block in parsed(source).blocks] == [
        "Put a <title> into the <head>, and <select> or <button type='reset'> below.",
        "<script> loads code.",
        "Type <your-name> for a List<String>; x<y and y>z.",
        "<placeholder>",
        "<?php opens a page.",
        "<!-- is a comment.",
        "End",
        "The <iframe> too.",
    ]


def test_tags_that_mark_up_text_are_no_text() -> None:
    source = (
        "<!-- a\n\ncomment -->\n<style>\np { color: red }\n\nb { }\n</style>\n\n<Tabs>\n\nIn *tabs*<br>and <b>bold</b>, "
        "<Icon name='x' /><kbd>Ctrl</kbd>.\n\n</Tabs>\n\n<p align=center>Open paragraph\n\n<Image src='a.png' />\n"
    )
    assert [block.text for block in parsed(source).blocks] == ["In tabs and bold, Ctrl.", "Open paragraph"]


def test_cells_beyond_the_last_column_of_a_table_are_kept() -> None:
    rows = "| or | `a || b` |\n| more | 1 | 2 \\| 3 | |\n| few |\nplain | x | y\n"
    table = f"| op | example |\n|---|---|\n{rows}"
    for source in (table, "".join(f"> {line}\n" for line in table.splitlines())):
        assert [block.text for block in parsed(source).blocks] == [
            "op | example",
            "or | a || b",
            "more | 1 | 2 | 3 |",
            "few |",
            "plain | x | y",
        ]


def test_a_remark_with_a_label_is_text_and_an_address_is_not() -> None:
    source = "[TODO]: decide\n\nSee [the map] and [2].\n\n[the map]: https://example.org/map\n[page]: page.md\n\n[2]: Jones1999\n"
    assert [block.text for block in parsed(source).blocks] == [
        "[TODO]: decide",
        "See the map and [2].",
        "[2]: Jones1999",
    ]


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


def test_the_first_heading_is_the_title_where_there_is_no_front_matter() -> None:
    assert parsed("text\n\n## Two\n\n# One\n").title == "One"


def test_images_beside_the_file_are_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    document = parsed("![A chart of it](a.png)\n\n![x](../a.png)\n\ntext", tmp_path / "notes.md")
    assert [(picture.caption, picture.visual_type) for picture in document.pictures] == [("A chart of it", "chart")]


def test_other_encodings_are_read() -> None:
    assert parsed("# Käse\n\ntext".encode("utf-16")).title == "Käse"


def test_the_sample_is_read_as_it_was_written() -> None:
    document = parsed(markdown("# Heading\n\ntext", title="Stated", author="Ada Example", date="2021-01-01"))
    assert (document.title, document.author, document.year) == ("Stated", "Ada Example", "2021")


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


@pytest.mark.parametrize(
    "text",
    [
        r"The set $\{a_1, b_2\}$ and $a * b * c$, $x_{i}_{j}$ (see $$\sum_{i} x_i \\ y$$).",
        r"Inline \(x \in A\) and displayed \[ y_1 = \frac{1}{2} \].",
        r"$$ \begin{aligned} a &= b \\ c &< d \end{aligned} $$",
    ],
)
def test_formulas_are_read_as_they_are(text: str) -> None:
    assert [block.text for block in parsed(text).blocks] == [text]


def test_prices_are_no_formulas() -> None:
    source = (
        "It costs $5 or *maybe* $6, not $7\\* and *much* $8*. Set `$a` and *b* to `$c`; \\(a *b*, \\[1\\], \\(c\\)."
    )
    assert [block.text for block in parsed(source).blocks] == [
        "It costs $5 or maybe $6, not $7* and much $8*. Set $a and b to $c; (a b, [1], (c)."
    ]


def test_the_attributes_of_a_heading_are_no_text() -> None:
    source = "# Ice {#ice .big}\n\nSnow {: .cold }\n---\n\n## Rain {-}\n\n## Sets like {a, b}\n\n## Use {name}\n"
    assert [block.text for block in parsed(source).blocks] == ["Ice", "Snow", "Rain", "Sets like {a, b}", "Use {name}"]


def test_deep_and_wide_front_matter_is_read_in_bounds() -> None:
    for front in ("- " * 20_000, "[" * 60_000, "\n".join(" " * n + "a:" for n in range(300)), "x, [" * 10_000):
        assert parsed(f"---\ntitle: T\nauthor:\n  {front}\n---\n# T\n").title == "T"


def test_a_paragraph_between_rules_with_a_colon_is_text() -> None:
    assert [block.text for block in parsed("---\nPlease read this.\nNote: it is short.\n\n---\nEnd.\n").blocks] == [
        "Please read this. Note: it is short.",
        "End.",
    ]


def test_an_element_in_prose_keeps_its_text_whatever_its_attributes() -> None:
    [block] = parsed('Write <title lang="en">Ice</title> at the top.').blocks
    assert block.text == 'Write <title lang="en">Ice</title> at the top.'
