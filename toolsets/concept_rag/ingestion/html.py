"""HTML: the content of one page, without navigation and other surroundings, with its local images."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import image_captions
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.encodings import decode_markup
from toolsets.concept_rag.ingestion.images import page_pictures
from toolsets.concept_rag.ingestion.markup import MarkupReader, is_mostly_links, xhtml_as_html
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    best_title,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)
from toolsets.concept_rag.ingestion.normal_text import prose
from toolsets.concept_rag.ingestion.paragraph_numbers import without_paragraph_numbers
from toolsets.concept_rag.ingestion.table_pictures import add_tables

_TITLES: Final = ("citation_title", "dc.title", "dcterms.title")
_AUTHORS: Final = ("citation_author", "author", "dc.creator", "dcterms.creator", "article:author")
_DATES: Final = (
    *("citation_publication_date", "citation_date", "dc.date", "dcterms.date", "dcterms.issued", "date"),
    *("article:published_time", "datepublished", "pubdate", "dcterms.created"),
)
_NOTES: Final = frozenset("note tip hint important caution warning danger admonition callout epigraph topic".split())
"""Classes of an aside that belongs to the text; those of footnotes begin with "footnote"."""
_FURNITURE_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"}
)
_FURNITURE_CLASSES: Final = frozenset(
    "navbar navheader navfooter docnav breadcrumb breadcrumbs sidebar sphinxsidebar skip-link cookie-banner".split()
)
_MENU_CLASSES: Final = frozenset("menu mainmenu submenu menubar nav navigation topnav topmenu sitenav site-nav".split())
"""Classes of menus, and of other elements; those that are mostly links are menus."""
_SEPARATOR: Final = re.compile(r"\s+[|·•»—–-]+\s+|\s*::\s*")
_XHTML: Final = "http://www.w3.org/1999/xhtml"
_DECLARED_WITHIN: Final = 1_000
"""Characters searched for the namespace of XHTML."""
_MAIN_SHARE: Final = 0.4
"""The least share of the text that is read of a page in `main`; a `main` with less does not enclose the content."""
_FORM_PARAGRAPHS: Final = 3
_FORM_CHARACTERS: Final = 600
"""A form with more paragraphs or characters besides its fields encloses the whole page, as on some servers."""
_FIELDS: Final = "label, select, textarea, button, script, style, noscript"


def parse_html(path: Path, data: bytes) -> ParsedDocument:
    """Return the content of a page; images are read from its folder. Raises `Unreadable`."""
    markup = decode_markup(data)
    is_xhtml = path.suffix.lower() == ".xhtml" or "<?xml" in markup[:100] or _XHTML in markup[:_DECLARED_WITHIN]
    parser = LexborHTMLParser(xhtml_as_html(markup) if is_xhtml else markup)
    blocks, reader = _content(parser)
    reader.places = without_paragraph_numbers(blocks, reader.places)
    gallery = page_pictures(path, reader, blocks)
    found = blocks.finished()
    add_tables(gallery, found, image_captions(reader.places, blocks))
    metas = list(_metas(parser))
    return ParsedDocument(
        format="html",
        title=best_title(_title(parser, metas), found),
        author=authors_from(_first_of(_AUTHORS, metas)) or first_page_author(found),
        year=year_from(_first_of(_DATES, metas)) or first_page_year(found),
        pages=1,
        blocks=found,
        pictures=gallery.finished(),
        notes=gallery.notes(),
    )


def _content(parser: LexborHTMLParser) -> tuple[Blocks, MarkupReader]:
    """Read the main part, or the whole body if the main part has too small a share of the text."""
    blocks = Blocks()
    reader = MarkupReader(blocks, left_out=_is_left_out)
    body, main = parser.body, parser.css_first("main, [role=main]")
    if body is not None and main is not None:
        reader.read(parser, main, page=1)
        inside = sum(len(block.text) for block in blocks.since(0))
        if inside >= _MAIN_SHARE * (inside + reader.length(body, apart_from=main)):
            return blocks, reader
        blocks = Blocks()
        reader = MarkupReader(blocks, left_out=_is_left_out)
    if body is not None:
        reader.read(parser, body, page=1)
    return blocks, reader


def _is_left_out(node: LexborNode, tag: str) -> bool:
    if tag == "nav":
        return True
    if tag == "aside":
        return not _is_note(node)
    if tag == "footer":
        return node.parent is None or node.parent.tag != "blockquote"
    if tag == "header":
        return not (_is_inside_content(node) or _has_page_title(node))
    if tag == "form":
        return _is_form(node)
    attributes = node.attributes
    if attributes.get("role") in _FURNITURE_ROLES:
        return True
    classes = frozenset((attributes.get("class") or "").split())
    if not _FURNITURE_CLASSES.isdisjoint(classes):
        return True
    return not _MENU_CLASSES.isdisjoint(classes) and is_mostly_links(node)


def _is_note(aside: LexborNode) -> bool:
    """Return whether an aside is a note or footnotes of the text, as Sphinx writes them."""
    classes = (aside.attributes.get("class") or "").lower().split()
    role = aside.attributes.get("role") or ""
    return (
        role in {"note", "doc-footnote", "doc-endnotes", "doc-tip", "doc-notice"}
        or not _NOTES.isdisjoint(classes)
        or any(each.startswith(("footnote", "citation")) for each in classes)
    )


def _has_page_title(header: LexborNode) -> bool:
    """Return whether a header has a heading without a link; the name of a site links to its first page."""
    heading = header.css_first("h1")
    return (
        heading is not None and heading.css_first("a") is None and (heading.parent is None or heading.parent.tag != "a")
    )


def _is_form(form: LexborNode) -> bool:
    """Return whether a form has little text besides its fields."""
    if len(form.css("p, h1, h2, h3")) > _FORM_PARAGRAPHS:
        return False
    fields = sum(len(field.text(strip=True)) for field in form.css(_FIELDS))
    return len(form.text(strip=True)) - fields <= _FORM_CHARACTERS


def _is_inside_content(header: LexborNode) -> bool:
    """Return whether a header belongs to an article or a section, and so has its title, rather than to the page."""
    parent = header.parent
    while parent is not None:
        if parent.tag in {"article", "main", "section"}:
            return True
        parent = parent.parent
    return False


def _metas(parser: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for meta in parser.css("meta")[:500]:
        attributes = meta.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        if name and attributes.get("content"):
            yield name.lower(), attributes.get("content") or ""


def _first_of(names: tuple[str, ...], metas: list[tuple[str, str]]) -> list[str]:
    """Return the values of the first of `names` that the page has; links to a person are ignored."""
    for wanted in names:
        values = [value for name, value in metas if name == wanted and "://" not in value]
        if values:
            return values
    return []


def _title(parser: LexborHTMLParser, metas: list[tuple[str, str]]) -> str:
    stated = title_from(_first_of(_TITLES, metas))
    element = parser.css_first("head > title")
    title = title_from([element.text() if element is not None else ""])
    heading = parser.css_first("h1")
    first = prose(heading.text()).rstrip("¶ ") if heading is not None else ""
    # "Installing | Guide | Example": the site's name is not part of the page's title.
    if first and title != first and first in _SEPARATOR.split(title):
        title = first
    return stated or title
