"""What is read from Word documents."""

import io
import zipfile
from pathlib import Path

import docx as python_docx
import pytest

from tests.support.documents import archive, docx, docx_image, docx_paragraph, docx_table, epub, page, png
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.docx import parse_docx

PAGE_BREAK = '<w:r><w:br w:type="page"/></w:r>'


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx(Path("notes.docx"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_explicit_breaks_count_pages() -> None:
    section = "<w:sectPr/>"
    continuous = '<w:sectPr><w:type w:val="continuous"/></w:sectPr>'
    body = [
        docx_paragraph("one", content=f"{PAGE_BREAK}<w:r><w:t>two</w:t><w:lastRenderedPageBreak/></w:r>"),
        docx_paragraph("three", properties="<w:pageBreakBefore/>"),
        docx_paragraph("still three", properties=f'<w:pageBreakBefore w:val="0"/>{section}'),
        docx_paragraph("four", properties=continuous),
        docx_paragraph("still four"),
    ]
    document = parsed(docx(body))
    assert [(block.page, block.text) for block in document.blocks] == [
        *((1, "one"), (2, "two"), (3, "three")),
        *((3, "still three"), (4, "four"), (4, "still four")),
    ]
    assert document.pages == 4


def test_tables_are_read_row_by_row() -> None:
    nested = f"<w:tbl><w:tr><w:tc>{docx_table([['x', 'y']])}{docx_paragraph('z')}</w:tc></w:tr></w:tbl>"
    merged = (
        "<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>"
        f"{docx_paragraph('above')}</w:tc><w:tc>{docx_paragraph('right')}</w:tc></w:tr></w:tbl>"
    )
    document = parsed(docx([docx_table([["a", "b"], ["1", ""], ["", ""]]), nested, merged]))
    assert [(block.kind, block.text) for block in document.blocks] == [
        *(("table", "a | b"), ("table", "1 |"), ("table", "x y z")),
        ("table", "| right"),
    ]


def test_what_was_deleted_and_codes_of_fields_are_no_text() -> None:
    content = (
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:tab/><w:t>tab</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r>"
    )
    assert texts(parsed(docx([docx_paragraph("", content=content)]))) == ["new tab-x"]


def test_readings_above_words_are_no_text() -> None:
    reading = "<w:rt><w:r><w:t>ひょうが</w:t></w:r></w:rt>"
    ruby = f"<w:r><w:ruby><w:rubyPr/>{reading}<w:rubyBase><w:r><w:t>氷河</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    assert texts(parsed(docx([docx_paragraph("The ", content=f"{ruby}<w:r><w:t> moves.</w:t></w:r>")]))) == [
        "The 氷河 moves."
    ]


def test_text_boxes_and_notes_follow_their_paragraph_once() -> None:
    box = f"<w:txbxContent>{docx_paragraph('boxed')}</w:txbxContent>"
    content = (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        '</mc:AlternateContent></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> end</w:t></w:r>'
    )
    footnotes = f'<w:footnote w:id="2">{docx_paragraph("noted")}</w:footnote>'
    assert texts(parsed(docx([docx_paragraph("start", content=content)], footnotes=footnotes))) == [
        *("start end", "boxed", "noted")
    ]


def test_images_become_pictures_with_their_captions() -> None:
    body = [
        docx_paragraph("Before."),
        docx_paragraph("", content=docx_image("i1", alternative="alt")),
        docx_paragraph("Figure 1: Architecture", style="Caption"),
        docx_paragraph("", content=docx_image("i2", alternative="A histogram")),
        docx_paragraph("", content=docx_image("missing")),
        docx_paragraph("After."),
    ]
    document = parsed(docx(body, media={"i1": png(seed=1), "i2": png(seed=2)}))
    assert [(picture.caption, picture.visual_type) for picture in document.pictures] == [
        ("Figure 1: Architecture", "diagram"),
        ("A histogram", "chart"),
    ]
    assert document.notes == ("1 image is left out: it is damaged, missing, or larger than an image may be.",)


def test_title_author_and_year_come_from_the_core_properties() -> None:
    document = parsed(
        docx([docx_paragraph("x")], title="Stated", author="Ada Example; Bob", created="2017-01-01T00:00:00Z")
    )
    assert (document.title, document.author, document.year) == ("Stated", "Ada Example, Bob", "2017")


def test_a_document_written_by_a_library_is_read() -> None:
    written = python_docx.Document()
    written.core_properties.title = "Relays"
    written.core_properties.author = "Ada Example"
    written.add_heading("Coils", level=2)
    written.add_paragraph("A coil.")
    written.add_paragraph("item", style="List Bullet")
    written.add_paragraph("first", style="List Number")
    written.add_page_break()
    written.add_paragraph("quoted", style="Intense Quote")
    written.add_picture(io.BytesIO(png()))
    table = written.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    buffer = io.BytesIO()
    written.save(buffer)
    document = parsed(buffer.getvalue())
    assert (document.title, document.author, document.pages) == ("Relays", "Ada Example", 2)
    assert [(block.kind, block.text, block.page) for block in document.blocks] == [
        ("heading", "Coils", 1),
        ("paragraph", "A coil.", 1),
        ("list_item", "item", 1),
        ("list_item", "first", 1),
        ("quote", "quoted", 2),
        ("table", "a | b", 2),
    ]
    assert len(document.pictures) == 1


def strict(data: bytes) -> bytes:
    """Return a Word document as Strict Open XML, whose namespaces are others."""
    names = (
        (
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        ),
        (
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        ),
    )
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for name in packed.namelist():
            members[name] = packed.read(name)
            for usual, other in names:
                members[name] = members[name].replace(usual, other)
    return archive(members)


def test_strict_open_xml_is_read_like_any_word_document() -> None:
    body = [
        docx_paragraph("Relays", style="Heading2", properties="<w:pageBreakBefore/>"),
        docx_paragraph("Coils.", content='<w:r><w:footnoteReference w:id="2"/></w:r>'),
        docx_paragraph("", content=docx_image("i1", alternative="alt")),
        docx_table([["a", "b"]]),
    ]
    footnotes = f'<w:footnote w:id="2">{docx_paragraph("noted")}</w:footnote>'
    usual = docx(body, media={"i1": png()}, footnotes=footnotes, title="Stated")
    assert parsed(strict(usual)) == parsed(usual)
    assert len(parsed(usual).pictures) == 1


@pytest.mark.parametrize("data", [epub([page("<p>x</p>")]), docx(["<w:p>"]), docx([])[:200]])
def test_what_is_no_word_document_is_damaged(data: bytes) -> None:
    with pytest.raises(Unreadable) as failure:
        parsed(data)
    assert failure.value.kind == "damaged"
