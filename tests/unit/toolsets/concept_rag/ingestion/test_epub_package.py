"""The package of an EPUB: what it states, and what is refused."""

from pathlib import Path

import pytest

from tests.support.documents import docx, epub, page
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.epub import parse_epub


def parsed(data: bytes) -> ParsedDocument:
    return parse_epub(Path("book.epub"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_the_navigation_document_is_no_page_of_text() -> None:
    data = epub(
        [page("<p>text</p>")],
        files={"nav.xhtml": page("<nav><ol><li><a href='text/1.xhtml'>One</a></li></ol></nav>").encode()},
        manifest='<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        spine='<itemref idref="nav" linear="no"/>',
    )
    assert texts(parsed(data)) == ["text"]


def test_a_page_beside_the_reading_order_is_read_once_in_its_place() -> None:
    data = epub([page("<p>first</p>"), page("<p>answers</p>"), page("<p>last</p>")], attributes={2: 'linear="no"'})
    assert [(block.page, block.text) for block in parsed(data).blocks] == [(1, "first"), (2, "answers"), (3, "last")]


@pytest.mark.parametrize("kind", ["nav", "ncx"])
def test_the_table_of_contents_gives_headings_to_pages_without(kind: str) -> None:
    if kind == "nav":
        name, attributes = "nav.xhtml", 'media-type="application/xhtml+xml" properties="nav"'
        content = page("<nav><a href='text/1.xhtml#top'>The Relay</a></nav>")
    else:
        name, attributes = "toc.ncx", 'media-type="application/x-dtbncx+xml"'
        content = (
            '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>The Relay</text>'
            '</navLabel><content src="text/1.xhtml"/></navPoint></navMap></ncx>'
        )
    data = epub(
        [page("<p>I</p><p>THE RELAY</p><p>text</p>")],
        files={name: content.encode()},
        manifest=f'<item id="toc" href="{name}" {attributes}/>',
        toc="toc",
    )
    assert [block.kind for block in parsed(data).blocks] == ["paragraph", "heading", "paragraph"]


def test_title_author_and_year_come_from_the_package() -> None:
    metadata = (
        '<dc:creator opf:role="edt">Ed Itor</dc:creator><dc:creator opf:role="aut">Grace Writer &lt;g@w.org&gt;</dc:creator>'
        '<dc:date opf:event="modification">2023-01-01</dc:date>'
    )
    document = parsed(epub([page("<p>x</p>")], title="The  Book", date="1999-12-31", metadata=metadata))
    assert (document.title, document.author, document.year) == ("The Book", "Grace Writer", "1999")


def test_another_archive_is_no_book() -> None:
    with pytest.raises(Unreadable, match="not an EPUB"):
        parsed(docx([]))


@pytest.mark.parametrize(("algorithm", "refused"), [("http://www.idpf.org/2008/embedding", False), ("urn:drm", True)])
def test_protected_books_are_refused_and_changed_fonts_are_not(algorithm: str, refused: bool) -> None:
    encryption = (
        '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{algorithm}"/></e:EncryptedData></encryption>'
    )
    data = epub([page("<p>text</p>")], files={"../META-INF/encryption.xml": encryption.encode()})
    if refused:
        with pytest.raises(Unreadable) as failure:
            parsed(data)
        assert failure.value.kind == "encrypted"
    else:
        assert texts(parsed(data)) == ["text"]
