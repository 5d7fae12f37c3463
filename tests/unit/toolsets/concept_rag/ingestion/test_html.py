"""What is read from pages of HTML."""

import base64
from pathlib import Path

import pytest

from tests.support.documents import html, png
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.html import parse_html


def parsed(data: bytes, path: Path = Path("page.html")) -> ParsedDocument:
    return parse_html(path, data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_what_surrounds_the_content_is_left_out() -> None:
    body = """
    <header>Site</header><nav>Menu</nav><div class="breadcrumbs">You are here</div><div role="search">Find</div>
    <article><header><h1>Relays</h1></header><p>Text.</p><aside>More</aside><form><input><button>Send</button></form>
    <p hidden>hidden</p><p style="display: none">also</p><noscript>x</noscript><template>y</template></article>
    <script>var a</script><style>p {}</style><footer>Imprint</footer>"""
    assert texts(parsed(html(body))) == ["Relays", "Text."]


def test_the_main_part_is_taken_where_it_holds_most_of_the_page() -> None:
    text = "<p>" + "word " * 50 + "</p>"
    assert len(texts(parsed(html(f"<div>Side</div><main>{text}</main>")))) == 1
    assert len(texts(parsed(html(f"<div>{text}</div><main><p>little</p></main>")))) == 2


def test_notes_footnotes_and_sources_of_quotes_are_read() -> None:
    body = """
    <aside class="note"><p>Save first.</p></aside><blockquote><p>Quoted.</p><footer>Mark Twain</footer></blockquote>
    <aside class="footnote-list brackets"><aside class="footnote brackets" role="doc-footnote">A footnote.</aside></aside>
    <aside class="related"><p>More pages</p></aside><article><p>Text.</p><footer>Share</footer></article>"""
    assert texts(parsed(html(body))) == ["Save first.", "Quoted.", "Mark Twain", "A footnote.", "Text."]


def test_a_header_with_the_title_of_the_page_is_read() -> None:
    title = "<header id='title-block-header'><h1 class='title'>The Guide</h1><p>by Jane Doe</p><nav>Menu</nav></header>"
    document = parsed(f"<body>{title}<p>Text.</p></body>".encode())
    assert (document.title, document.author, texts(document)[0]) == ("The Guide", "Jane Doe", "The Guide")
    for name in ("<h1><a href='/'>Site</a></h1>", "<a href='/'><h1>Site</h1></a>"):
        assert texts(parsed(html(f"<header>{name}<p>We sell ice</p></header><p>Text.</p>"))) == ["Text."]


def test_a_form_with_much_text_besides_its_fields_is_read() -> None:
    cells = "".join(f"<tr><td>A line of the page without a paragraph, number {n}.</td></tr>" for n in range(20))
    assert len(texts(parsed(html(f"<form><table>{cells}</table><input></form>")))) == 20
    fields = "".join(
        f"<div><label>A long label of field {n} in this form</label><select><option>Some choice</select></div>"
        for n in range(20)
    )
    assert texts(parsed(html(f"<form>{fields}</form><p>Text.</p>"))) == ["Text."]


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


@pytest.mark.parametrize(
    "beside",
    [
        "<script>window.state = {" + '"key": 1, ' * 400 + "}</script>",
        "<style>" + "p { color: red }" * 400 + "</style>",
        "<nav>" + "<a>Page</a> " * 400 + "</nav>",
        "<div hidden>" + "Later " * 400 + "</div>",
    ],
)
def test_what_is_never_read_counts_on_neither_side_of_the_main_part(beside: str) -> None:
    body = f"{beside}<div>Home Shop Login</div><main><h1>Ice</h1><p>A glacier is dense ice.</p></main><div>Buy</div>"
    assert texts(parsed(html(body))) == ["Ice", "A glacier is dense ice."]
    inside = f"<div>{'word ' * 50}</div><main>{beside}<p>little</p></main>"
    assert len(texts(parsed(html(inside)))) == 2


def test_a_form_around_a_whole_page_is_read() -> None:
    body = "<form>" + "".join(f"<p>paragraph {number}</p>" for number in range(5)) + "<select><option>x</select></form>"
    assert len(texts(parsed(html(body)))) == 5


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


def test_title_author_and_year_come_from_the_metadata() -> None:
    document = parsed(html("<h1>Other</h1>", title="A Page", author="Grace Writer", date="2019-02-03"))
    assert (document.title, document.author, document.year) == ("A Page", "Grace Writer", "2019")


def test_the_name_of_the_site_is_no_part_of_the_title() -> None:
    assert parsed(html("<h1>Installing¶</h1>", title="Installing — Guide | Example")).title == "Installing"


def test_a_link_to_a_person_is_no_author() -> None:
    data = b'<meta property="article:author" content="https://example.org/me"><h1>T</h1><p>by Ada Lovelace</p>'
    assert parsed(data).author == "Ada Lovelace"


@pytest.mark.parametrize(
    ("declared", "actual"),
    [("windows-1252", "cp1252"), ("shift_jis", "cp932"), ("koi8-r", "koi8-r"), ("utf-8", "utf-8")],
)
def test_a_declared_encoding_is_used(declared: str, actual: str) -> None:
    text = {"cp1252": "Käse", "cp932": "継電器", "koi8-r": "реле"}.get(actual, "Реле Käse 継電器")
    data = f'<html><head><meta charset="{declared}"></head><body><p>{text}</p></body></html>'.encode(actual)
    assert texts(parsed(data)) == [text]


@pytest.mark.parametrize("declared", ["punycode", "zlib_codec", "unicode_escape", "utf-16", "nonsense"])
def test_a_declaration_that_cannot_be_true_is_ignored(declared: str) -> None:
    assert texts(parsed(f'<meta charset="{declared}"><p>Käse \\x41</p>'.encode())) == ["Käse \\x41"]


def test_images_inside_the_folder_are_pictures_and_others_are_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "in side.png").write_bytes(png(seed=1))
    (tmp_path / "outside.png").write_bytes(png(seed=2))
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    body = (
        "<img src='images/in%20side.png' alt='Circuit'><img src='../outside.png'><img src='link.png'>"
        f"<img src='{tmp_path}/outside.png'><img src='file://{tmp_path}/outside.png'><img src='http://h/x.png'>"
        "<img src='//h/x.png'><img src='/dev/zero'><img src='missing.png'><img src='images'><p>text</p>"
    )
    pictures = parsed(html(body), folder / "page.html").pictures
    assert [(picture.caption, picture.visual_type) for picture in pictures] == [("Circuit", "diagram")]


def test_embedded_images_are_pictures_within_their_limit() -> None:
    good = base64.b64encode(png()).decode()
    body = (
        f"<img src='data:image/png;base64,{good}'><img src='data:image/png;base64,%%%'>"
        f"<img src='data:text/html,x'><img src='data:image/png;base64,{'A' * (28 << 20)}'><p>text</p>"
    )
    document = parsed(html(body))
    assert len(document.pictures) == 1
    assert any("20 MiB" in note for note in document.notes)


def test_the_file_name_that_a_tool_gives_as_alternative_is_no_caption(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    document = parsed(html("<img src='a.png' alt='../_images/a.png'><p>text</p>"), tmp_path / "p.html")
    assert [picture.caption for picture in document.pictures] == [""]


def test_deeply_nested_elements_are_read() -> None:
    assert texts(parsed(html("<div>" * 5_000 + "deep"))) == ["deep"]
