"""What CommonMark and its library would drop of ordinary documents is read."""

import re
from pathlib import Path

import pytest

from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.markdown import parse_markdown
from toolsets.concept_rag.ingestion.markdown_rules import markdown_as_html


def parsed(data: bytes | str, path: Path = Path("notes.md")) -> ParsedDocument:
    return parse_markdown(path, data.encode() if isinstance(data, str) else data)


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


def test_an_element_in_prose_keeps_its_text_whatever_its_attributes() -> None:
    [block] = parsed('Write <title lang="en">Ice</title> at the top.').blocks
    assert block.text == 'Write <title lang="en">Ice</title> at the top.'


@pytest.mark.parametrize(
    ("source", "markup"),
    [
        ("a *b* ~~c~~", "<p>a <em>b</em> <s>c</s></p>"),
        ("|a|b|\n|-|-|\n|1|2|3|", "<td>2|3</td>"),
        ("[^1]: note\n\n    more", "<div>\n<p>[^1]: note</p>\n<p>more</p>\n</div>"),
        ("[a]: http://h\n\n[a]", '<a href="http://h">a</a>'),
        ("[TODO]: decide", "<p>[TODO]: decide</p>"),
        ("# Ice {#ice .wide}", "<h1>Ice</h1>"),
        ("$a_1 + b_1$", "<p>$a_1 + b_1$</p>"),
        ("List<String> of x", "<p>List&lt;String&gt; of x</p>"),
        ("a <b>bold</b> word", "<p>a <b>bold</b> word</p>"),
        ("<script>\nnever closed", "&lt;script"),
    ],
)
def test_markdown_becomes_html(source: str, markup: str) -> None:
    assert markup in markdown_as_html(source)
