"""The styles of a Word document give its paragraphs their role."""

from pathlib import Path

import pytest

from tests.support.documents import docx, docx_paragraph, docx_table
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.ingestion.docx import parse_docx
from toolsets.concept_rag.ingestion.docx_styles import ParagraphRole, Styles, W, is_on, relationships
from toolsets.concept_rag.ingestion.xml_tree import Element, parse_xml


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx(Path("notes.docx"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_styles_tell_the_kinds_of_paragraphs() -> None:
    body = [
        docx_paragraph("Whole", style="Title"),
        docx_paragraph("Part", style="Heading2"),
        docx_paragraph("Text."),
        docx_paragraph("item", style="ListBullet"),
        docx_paragraph("numbered", properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr>'),
        docx_paragraph("said", style="Quote"),
        docx_paragraph("def f():", style="SourceCode"),
        docx_paragraph("    pass", style="SourceCode"),
        docx_paragraph("Figure 1", style="Caption"),
        docx_paragraph("Part .... 3", style="TOC1"),
    ]
    assert parsed(docx(body)).blocks == (
        Block("heading", "Whole", 1, 1),
        Block("heading", "Part", 1, 2),
        Block("paragraph", "Text.", 1),
        Block("list_item", "item", 1),
        Block("list_item", "numbered", 1),
        Block("quote", "said", 1),
        Block("code", "def f():\n    pass", 1),
        Block("caption", "Figure 1", 1),
    )


def test_headings_are_recognised_by_outline_levels_and_by_base_styles() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="Heading3"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Lvl"><w:name w:val="Lvl"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>'
    )
    body = [
        docx_paragraph("own", style="Own"),
        docx_paragraph("level", style="Lvl"),
        docx_paragraph("direct", properties='<w:outlineLvl w:val="0"/>'),
        docx_paragraph("body", style="Heading1", properties='<w:outlineLvl w:val="9"/>'),
        docx_paragraph("circle", style="A"),
    ]
    assert [(block.kind, block.level) for block in parsed(docx(body, styles=styles)).blocks] == [
        ("heading", 3),
        ("heading", 2),
        ("heading", 1),
        ("paragraph", 0),
        ("paragraph", 0),
    ]


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ("<w:vanish/>", "seen"),
        ('<w:vanish w:val="0"/>', "seen unseen"),
        ("<w:webHidden/>", "seen unseen"),
        ('<w:rStyle w:val="Secret"/>', "seen"),
        ('<w:rStyle w:val="Own"/>', "seen"),
        ('<w:rStyle w:val="Own"/><w:vanish w:val="false"/>', "seen unseen"),
    ],
)
def test_hidden_text_is_no_text(properties: str, text: str) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="Secret"/></w:style>'
    )
    content = f"<w:r><w:rPr>{properties}</w:rPr><w:t> unseen</w:t></w:r>"
    body = [
        docx_paragraph("seen", content=content),
        docx_table([["cell"]]).replace("<w:r>", f"<w:r><w:rPr>{properties}</w:rPr>"),
    ]
    document = parsed(docx(body, styles=styles))
    assert texts(document) == ([text, "cell"] if "unseen" in text else [text])


def element(markup: str) -> Element:
    return parse_xml(f"<w:x xmlns:w='{W.strip('{}')}'>{markup}</w:x>".encode())


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("heading 2", ParagraphRole("heading", 2)),
        ("heading 9", ParagraphRole("heading", 6)),
        ("Title", ParagraphRole("heading", 1)),
        ("toc 1", ParagraphRole("contents")),
        ("Table of Figures", ParagraphRole("contents")),
        ("Image Caption", ParagraphRole("caption")),
        ("Intense Quote", ParagraphRole("quote")),
        ("HTML Preformatted", ParagraphRole("code")),
        ("List Bullet 2", ParagraphRole("list_item")),
        ("Body Text", ParagraphRole("paragraph")),
    ],
)
def test_the_name_of_a_style_is_its_role(name: str, shape: ParagraphRole) -> None:
    styles = Styles(element(f"<w:style w:styleId='S'><w:name w:val='{name}'/></w:style>"))
    assert styles.shape(element("<w:pStyle w:val='S'/>")) == shape


def test_a_paragraph_without_a_style_has_the_default_one() -> None:
    default = "<w:style w:type='paragraph' w:default='1' w:styleId='D'><w:name w:val='Quote'/></w:style>"
    assert Styles(element(default)).shape(None) == ParagraphRole("quote")
    assert Styles(element(default)).shape(element("")) == ParagraphRole("quote")
    assert Styles(None).shape(None) == ParagraphRole("paragraph")
    assert Styles(None).shape(element("<w:pStyle w:val='Unknown'/>")) == ParagraphRole("paragraph")


def test_a_paragraph_may_leave_the_list_of_its_style() -> None:
    styles = Styles(
        element(
            "<w:style w:styleId='L'><w:name w:val='L'/><w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr></w:style>"
        )
    )
    listed = "<w:pStyle w:val='L'/>"
    assert styles.shape(element(listed)) == ParagraphRole("list_item")
    assert styles.shape(element(f"{listed}<w:numPr><w:numId w:val='0'/></w:numPr>")) == ParagraphRole("paragraph")


@pytest.mark.parametrize(
    ("markup", "on"), [("<w:b/>", True), ("<w:b w:val='1'/>", True), ("<w:b w:val='off'/>", False)]
)
def test_a_property_is_on_unless_it_is_switched_off(markup: str, *, on: bool) -> None:
    assert is_on(element(markup).find(f"{W}b")) is on
    assert not is_on(None)


def test_relationships_outside_the_package_are_left_out() -> None:
    root = parse_xml(
        b"<Relationships xmlns='urn:r'><Relationship Id='a' Target='media/a.png'/>"
        b"<Relationship Id='b' Target='http://h/b.png' TargetMode='External'/></Relationships>"
    )
    assert relationships(root) == {"a": "media/a.png"}
    assert relationships(None) == {}
