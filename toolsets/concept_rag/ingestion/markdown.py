"""Markdown: front matter, the text as HTML, and the images in the file's folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import image_captions
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.encodings import decode_text
from toolsets.concept_rag.ingestion.front_matter import front_matter
from toolsets.concept_rag.ingestion.images import page_pictures
from toolsets.concept_rag.ingestion.markdown_rules import markdown_as_html
from toolsets.concept_rag.ingestion.markup import MarkupReader
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    first_heading,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)
from toolsets.concept_rag.ingestion.table_pictures import add_tables

_AUTHORS: Final = ("author", "authors", "creator", "by")
_DATES: Final = ("date", "year", "published", "created", "lastmod", "updated")


def parse_markdown(path: Path, data: bytes) -> ParsedDocument:
    """Return the text of a Markdown file; images are read from its folder. Raises `Unreadable`."""
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    stated, body = front_matter(text)
    parser = LexborHTMLParser(markdown_as_html(body))
    blocks = Blocks()
    reader = MarkupReader(blocks, left_out=_nothing)
    if parser.body is not None:
        reader.read(parser, parser.body, page=1)
    gallery = page_pictures(path, reader, blocks)
    found = blocks.finished()
    add_tables(gallery, found, image_captions(reader.places, blocks))
    return ParsedDocument(
        format="markdown",
        title=title_from(stated.get("title", ())) or first_heading(found),
        author=authors_from(_first(_AUTHORS, stated)) or first_page_author(found),
        year=year_from(_first(_DATES, stated)) or first_page_year(found),
        pages=1,
        blocks=found,
        pictures=gallery.finished(),
        notes=gallery.notes(),
    )


def _nothing(node: LexborNode, tag: str) -> bool:
    return False


def _first(names: tuple[str, ...], stated: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return next((stated[name] for name in names if stated.get(name)), ())
