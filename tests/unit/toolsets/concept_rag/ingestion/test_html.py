"""What is read from pages of HTML."""

from pathlib import Path

import pytest

from tests.support.documents import html
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


def test_a_menu_without_nav_is_left_out_if_it_is_mostly_links() -> None:
    menu = '<div class="menu mainmenu"><ul><li><a href="/">Home</a><li><a href="/docs">Documentation</a></ul></div>'
    dinner = '<div class="menu"><p>Soup of the day, and bread from <a href="/oven">our oven</a>.</p></div>'
    assert texts(parsed(html(f"{menu}<h1>Relays</h1>{dinner}<p>Text.</p>"))) == [
        "Relays",
        "Soup of the day, and bread from our oven.",
        "Text.",
    ]


def test_spaces_of_the_source_and_names_of_places_are_no_links() -> None:
    spaces = "\n" + " " * 80
    link = f'<a href="/soup">{spaces}Soup{spaces}</a>'
    menu = f'<div class="nav">{link}<p>The kitchen serves it each day.</p></div>'
    named = '<div class="menu"><a name="oven">The oven is hot.</a></div>'
    assert texts(parsed(html(menu + named)))[-2:] == ["The kitchen serves it each day.", "The oven is hot."]


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
