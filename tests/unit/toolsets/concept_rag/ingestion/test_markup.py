"""Elements of a page become blocks of their kind in reading order."""

from pathlib import Path

import pytest

from tests.support.documents import html, png
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.html import parse_html
from toolsets.concept_rag.ingestion.markup import xhtml_as_html


def parsed(data: bytes, path: Path = Path("page.html")) -> ParsedDocument:
    return parse_html(path, data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


@pytest.mark.parametrize(
    ("start", "name"),
    [
        ('<?xml version="1.0"?><html>', "a.html"),
        ('<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">', "a.html"),
        ("<html>", "a.xhtml"),
    ],
)
def test_sections_and_closed_elements_of_xhtml_are_read(start: str, name: str) -> None:
    body = (
        "<p>The test:</p><pre><![CDATA[if (a < b && c) { swap(a, b); } // <br/> &amp;]]></pre>"
        "<p>Prose <code><![CDATA[x > 1]]></code> <![CDATA[]]>ends.</p><iframe src='a'/><p>After <![CDATA[unclosed</p>"
    )
    document = parsed(f"{start}<head><script src='a.js'/><title>T</title></head><body>{body}".encode(), Path(name))
    assert texts(document) == [
        "The test:",
        "if (a < b && c) { swap(a, b); } // <br/> &amp;",
        "Prose x > 1 ends.",
        "After",
    ]
    assert document.title == "T"


def test_tables_that_arrange_a_page_are_read_as_text_and_others_row_by_row() -> None:
    layout = (
        "<table><tr><td><h1>Left</h1><p>text</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>"
    )
    assert [(block.kind, block.text) for block in parsed(html(layout)).blocks] == [
        ("heading", "Left"),
        ("paragraph", "text"),
        ("table", "a | b"),
    ]


def test_lines_of_code_wrapped_in_elements_stay_lines() -> None:
    body = "<pre><div>def f():</div><div>    pass</div></pre><div class='linenos'>1 2</div>"
    assert texts(parsed(html(body))) == ["def f():\n    pass"]


def test_the_file_name_that_a_tool_gives_as_alternative_is_no_caption(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    document = parsed(html("<img src='a.png' alt='../_images/a.png'><p>text</p>"), tmp_path / "p.html")
    assert [picture.caption for picture in document.pictures] == [""]


def test_deeply_nested_elements_are_read() -> None:
    assert texts(parsed(html("<div>" * 5_000 + "deep"))) == ["deep"]


@pytest.mark.parametrize(
    ("xhtml", "markup"),
    [
        ("<p><a id='x'/>text</p>", "<p><a id='x'></a>text</p>"),
        ("<p>a<br/>b<img src='c'/></p>", "<p>a<br/>b<img src='c'/></p>"),
        ("<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b'>]><p/>", "<p></p>"),
        ("<p><![CDATA[a < b & c]]></p>", "<p>a &lt; b &amp; c</p>"),
        ("<p><![CDATA[unclosed</p>", "<p><![CDATA[unclosed</p>"),
    ],
)
def test_xhtml_is_rewritten_for_a_parser_of_html(xhtml: str, markup: str) -> None:
    assert xhtml_as_html(xhtml) == markup
