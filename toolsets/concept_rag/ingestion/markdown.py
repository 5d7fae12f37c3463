"""Markdown: front matter, the text as HTML, and the images in the file's folder."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.encodings import decode_text
from toolsets.concept_rag.ingestion.images import page_pictures
from toolsets.concept_rag.ingestion.markdown_rules import markdown_as_html
from toolsets.concept_rag.ingestion.markup import MarkupReader
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    best_title,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)
from toolsets.concept_rag.ingestion.table_pictures import add_tables

MAX_FRONT_MATTER: Final = 65_536
"""The most characters of front matter; a longer section after an opening rule is text."""
_YAML: Final = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML: Final = re.compile(r"\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY: Final = re.compile(r"([A-Za-z_][\w-]{0,40})\s*:(?:\s+(.*)|)$")
_LIST_ITEM: Final = re.compile(r"\s*-\s+(?:name\s*:\s*)?(.*)$")
_COMMENT: Final = re.compile(r"\s#.*$")
_AUTHORS: Final = ("author", "authors", "creator", "by")
_DATES: Final = ("date", "year", "published", "created", "lastmod", "updated")


def parse_markdown(path: Path, data: bytes) -> ParsedDocument:
    """Return the text of a Markdown file; images are read from its folder. Raises `Unreadable`."""
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    stated, body = _front_matter(text)
    parser = LexborHTMLParser(markdown_as_html(body))
    blocks = Blocks()
    reader = MarkupReader(blocks, left_out=_nothing)
    if parser.body is not None:
        reader.read(parser, parser.body, page=1)
    gallery = page_pictures(path, reader, blocks)
    found = blocks.finished()
    add_tables(gallery, found)
    return ParsedDocument(
        format="markdown",
        title=best_title(title_from(stated.get("title", ())), found),
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


def _front_matter(text: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the values by their lower-case names, and the text after the front matter."""
    head = text[:MAX_FRONT_MATTER]
    match = _TOML.match(head)
    if match:
        return _toml(match[1] or ""), text[match.end() :]
    match = _YAML.match(head)
    # Two rules at the start may also enclose a paragraph.
    if match and any(_ENTRY.match(line) for line in (match[1] or "").splitlines()):
        return _yaml(match[1] or ""), text[match.end() :]
    return {}, text


def _toml(source: str) -> dict[str, tuple[str, ...]]:
    try:
        table: dict[str, object] = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return {name.lower(): _strings(value) for name, value in table.items()}


def _strings(value: object) -> tuple[str, ...]:
    return tuple(map(str, cast("list[object]", value))) if isinstance(value, list) else (str(value),)


def _yaml(source: str) -> dict[str, tuple[str, ...]]:
    """Return the scalars and lists of scalars of YAML front matter; deeper structures are skipped."""
    stated: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in source.splitlines():
        entry = _ENTRY.match(line)
        if entry:
            name = entry[1].lower()
            stated[name] = _values((entry[2] or "").strip())
            continue
        item = _LIST_ITEM.match(line)
        if item and name:
            stated[name] = (*stated[name][:50], _unquoted(item[1]))
        elif line[:1] in {" ", "\t"} and name and stated[name] == ():
            stated[name] = (_unquoted(line),)
    return stated


def _values(value: str) -> tuple[str, ...]:
    if value in {"", "|", ">", "|-", ">-"}:
        return ()
    if value.startswith("[") and value.endswith("]"):
        return tuple(_unquoted(part) for part in value[1:-1].split(",")[:50])
    return (_unquoted(value),)


def _unquoted(value: str) -> str:
    plain = value.strip()
    if len(plain) >= 2 and plain[0] in "\"'":
        closing = plain.find(plain[0], 1)
        return plain[1:closing] if closing > 0 else plain
    return _COMMENT.sub("", plain)
