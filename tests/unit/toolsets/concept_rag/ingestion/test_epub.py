"""What is read from books in EPUB."""

from pathlib import Path

import pytest

from tests.support.documents import archive, epub, page, png
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.epub import parse_epub


def parsed(data: bytes) -> ParsedDocument:
    return parse_epub(Path("book.epub"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_pages_are_counted_along_the_spine() -> None:
    document = parsed(epub([page("<h1>One</h1><p>first</p>"), page("<h2>Two</h2><p>second</p>")]))
    assert document.pages == 2
    assert document.blocks == (
        Block("heading", "One", 1, 1),
        Block("paragraph", "first", 1),
        Block("heading", "Two", 2, 2),
        Block("paragraph", "second", 2),
    )


def test_pages_come_in_the_order_of_the_spine_and_each_once() -> None:
    data = epub([page("<p>first</p>"), page("<p>second</p>")], spine='<itemref idref="p1"/>')
    assert texts(parsed(data)) == ["first", "second"]


def test_lists_code_quotes_and_tables_keep_their_kind() -> None:
    body = (
        "<ul><li>item <b>bold</b></li><li><p>inner</p></li></ul><pre>  if x:\n      y()\n</pre>"
        "<blockquote><p>said</p></blockquote><dl><dt>term</dt><dd>meaning</dd></dl>"
        "<table><caption>Sizes</caption><tr><th>a</th><th>b</th></tr><tr><td><p>1</p><p>2</p></td><td>3</td></tr></table>"
    )
    assert [(block.kind, block.text) for block in parsed(epub([page(body)])).blocks] == [
        ("list_item", "item bold"),
        ("list_item", "inner"),
        ("code", "if x:\n    y()"),
        ("quote", "said"),
        ("list_item", "term"),
        ("list_item", "meaning"),
        ("caption", "Sizes"),
        ("table", "a | b"),
        ("table", "1 2 | 3"),
    ]


def test_elements_that_close_where_they_open_do_not_swallow_what_follows() -> None:
    source = page('<p>before<a id="x"/> after</p><div class="rule"/><p>last<span/></p>').replace(
        "<title>Page</title>", "<title/><script src='a.js'/>"
    )
    assert texts(parsed(epub([source]))) == ["before after", "last"]


def test_the_marks_of_notes_and_soft_hyphens_are_no_text_and_exponents_are() -> None:
    body = "<p>hy\u00adphen<sup><a href='#n1'>1</a></sup> x<sup>2</sup></p>"
    assert texts(parsed(epub([page(body)]))) == ["hyphen x2"]


def test_sidebars_belong_to_a_book_and_navigation_does_not() -> None:
    body = "<nav><a href='1.xhtml'>One</a></nav><aside><p>aside</p></aside><div role='navigation'>next</div>"
    toc = "<div class='toc'><a href='1.xhtml'>Chapter One</a></div>"
    assert texts(parsed(epub([page(f"{body}{toc}<p>text</p>")]))) == ["aside", "text"]


def test_title_author_and_year_come_from_the_first_page_where_the_package_has_none() -> None:
    body = "<h1>Deep Book</h1><p>by Ada Lovelace and Charles Babbage</p><p>Copyright © 1998-2004 A. L.</p>"
    document = parsed(epub([page(body)], title="unknown", author="", date="0101-01-01"))
    assert (document.title, document.author, document.year) == ("Deep Book", "Ada Lovelace, Charles Babbage", "2004")


def test_cover_and_images_become_pictures_with_their_captions() -> None:
    body = (
        "<p>Before it.</p><figure><img src='../images/a.png' alt='alternative'/>"
        "<figcaption>Figure 1. A flow chart</figcaption></figure>"
        "<p>Text <img src='../images/b%20b.png' alt='Architecture of it'/> after.</p>"
    )
    data = epub(
        [page(body)],
        files={"images/a.png": png(seed=1), "images/b b.png": png(seed=2), "images/c.png": png(300, 400)},
        manifest='<item id="c" href="images/c.png" media-type="image/png" properties="cover-image"/>',
    )
    pictures = parsed(data).pictures
    assert [(picture.caption, picture.visual_type, picture.page) for picture in pictures] == [
        ("Cover", "figure", 1),
        ("Figure 1. A flow chart", "flowchart", 1),
        ("Architecture of it", "diagram", 1),
    ]
    assert "Before it." in pictures[1].nearby_text


def test_a_caption_belongs_to_one_image() -> None:
    body = "<img src='a.png'/><p class='caption'>First</p><img src='b.png'/><p>text</p>"
    data = epub([page(body)], files={"text/a.png": png(seed=1), "text/b.png": png(seed=2)})
    assert [picture.caption for picture in parsed(data).pictures] == ["First", ""]


def test_a_cover_wrapped_in_a_drawing_is_taken_and_drawings_are_named_in_a_note() -> None:
    body = "<svg><image xlink:href='a.png'/></svg><svg><text>label</text><path d='M0 0'/></svg><img src='b.svg'/><p>text</p>"
    document = parsed(epub([page(body)], files={"text/a.png": png(), "text/b.svg": b"<svg/>"}))
    assert len(document.pictures) == 1
    assert document.notes == ("2 images are left out: SVG drawings are not rendered.",)
    assert texts(document) == ["text"]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (page("<p>Käse “x”</p>").encode("utf-16"), "UTF-16 with a mark"),
        (page("<p>Käse “x”</p>").replace("utf-8", "windows-1252").encode("cp1252"), "declared"),
        (page("<p>Käse “x”</p>").replace("utf-8", "iso-8859-1").encode("cp1252"), "declared as Latin-1"),
        (page("<p>Käse “x”</p>").encode(), "UTF-8"),
    ],
)
def test_pages_are_read_in_their_encoding(data: bytes, encoding: str) -> None:
    assert texts(parsed(epub([""], files={"text/1.xhtml": data}))) == ["Käse “x”"], encoding


def test_a_page_that_is_missing_is_named_in_a_note() -> None:
    data = epub(
        [page("<p>text</p>")],
        manifest='<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="gone"/><itemref idref="unknown"/>',
    )
    document = parsed(data)
    assert document.notes == ("1 of the book's pages cannot be read: book/gone.xhtml.",)
    assert document.pages == 3


def test_a_page_outside_the_archive_is_reported_without_a_name() -> None:
    data = epub(
        [page("<p>text</p>")],
        manifest='<item id="out" href="../../etc/out.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="out"/>',
    )
    assert parsed(data).notes == ("1 of the book's pages cannot be read: one outside the book.",)


def test_a_book_of_which_no_page_can_be_read_is_damaged() -> None:
    data = epub([], manifest='<item id="a" href="a.xhtml" media-type="text/html"/>', spine='<itemref idref="a"/>')
    with pytest.raises(Unreadable) as failure:
        parsed(data)
    assert failure.value.kind == "damaged"


def test_entities_and_files_outside_do_not_come_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    declared = f'<!DOCTYPE package [<!ENTITY f SYSTEM "file://{secret}">]>'
    package = (
        f'<?xml version="1.0"?>{declared}<package xmlns="http://www.idpf.org/2007/opf">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T&f;</dc:title></metadata>'
        '<manifest><item id="p" href="p.xhtml" media-type="application/xhtml+xml"/>'
        f'<item id="q" href="../../../../{secret}" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="p"/><itemref idref="q"/></spine></package>'
    )
    text = page("<p>a&f;b</p>").replace("<!DOCTYPE html>", declared.replace("package", "html", 1))
    document = parsed(archive({"a.opf": package.encode(), "p.xhtml": text.encode()}))
    assert document.title == "T"
    assert texts(document) == ["a&f;b"]


def test_entities_that_multiply_are_not_resolved() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    declared = f'<!DOCTYPE package [<!ENTITY l0 "ha">{laughs}]>'
    package = f'{declared}<package xmlns="http://www.idpf.org/2007/opf"><metadata>&l9;</metadata></package>'
    with pytest.raises(Unreadable) as failure:
        parsed(archive({"a.opf": package.encode()}))
    assert failure.value.kind == "damaged"
    text = page("<p>a&l9;b</p>").replace("<!DOCTYPE html>", declared)
    assert texts(parsed(epub([text]))) == ["a&l9;b"]
