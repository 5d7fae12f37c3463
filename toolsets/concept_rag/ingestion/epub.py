"""EPUB: the pages of the spine in order, with the images of the book."""

from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolsets.concept_rag.ingestion.archive import Archive, DamagedMember, MissingMember, resolve
from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import ImagePlace, captions, image_captions
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.encodings import decode_markup
from toolsets.concept_rag.ingestion.epub_package import Item, Package, is_page, read_package
from toolsets.concept_rag.ingestion.markup import MarkupReader, xhtml_as_html
from toolsets.concept_rag.ingestion.metadata import best_title, first_page_author, first_page_year
from toolsets.concept_rag.ingestion.paragraph_numbers import without_paragraph_numbers
from toolsets.concept_rag.ingestion.pictures import MAX_IMAGE_BYTES, PictureCollector
from toolsets.concept_rag.ingestion.surroundings import Surroundings
from toolsets.concept_rag.ingestion.table_pictures import add_tables

_LABELLED_WITHIN: Final = 3
"""A page's title is among this many first blocks; an ornament or a number may precede it."""
_MAX_NAMED: Final = 3
"""The most damaged pages named in a note."""
_OUTSIDE: Final = "one outside the book"
"""Stands for the name of a page whose address leads out of the archive."""


def parse_epub(path: Path, data: bytes) -> ParsedDocument:
    """Return the content of a book; page numbers are positions in the spine. Raises `Unreadable`.

    Each page of the spine is read once; navigation documents are not read. If only some pages cannot be read, a note
    names them.
    """
    archive = Archive(data)
    package = read_package(archive)
    blocks = Blocks()
    reader = MarkupReader(blocks, left_out=_is_left_out)
    names: dict[int, str] = {}
    damaged: list[str] = []
    for page, item in enumerate(package.spine, start=1):
        if item is not None and is_page(item) and item.name not in names.values():
            names[page] = item.name
            if not _read_page(archive, item, page, reader, blocks, package):
                damaged.append(item.name or _OUTSIDE)
    if len(damaged) == len(names):
        raise Unreadable("damaged", "No page of the EPUB can be read.")
    reader.places = without_paragraph_numbers(blocks, reader.places)
    gallery = _pictures(archive, package, names, reader, blocks)
    found = blocks.finished()
    add_tables(gallery, found, image_captions(reader.places, blocks))
    return ParsedDocument(
        format="epub",
        title=best_title(package.title, found),
        author=package.author or first_page_author(found),
        year=package.year or first_page_year(found),
        pages=len(package.spine),
        blocks=found,
        pictures=gallery.finished(),
        notes=(*_damage(damaged), *gallery.notes()),
    )


def _is_left_out(node: LexborNode, tag: str) -> bool:
    """Return whether to leave out an element: sidebars and headers are part of a book, navigation is not."""
    return tag == "nav" or node.attributes.get("role") == "navigation"


def _read_page(archive: Archive, item: Item, page: int, reader: MarkupReader, blocks: Blocks, package: Package) -> bool:
    """Add a page; return False if it cannot be read."""
    try:
        markup = decode_markup(archive.read(item.name))
    except (MissingMember, DamagedMember):
        return False
    except Unreadable as error:
        if error.kind != "damaged":
            raise
        return False
    parser = LexborHTMLParser(xhtml_as_html(markup))
    start = len(blocks)
    if parser.body is not None:
        reader.read(parser, parser.body, page=page)
    _find_heading(blocks, start, package.labels.get(item.name, ""))
    return True


def _find_heading(blocks: Blocks, start: int, label: str) -> None:
    """On a page without headings, turn the paragraph with the page's label in the table of contents into a heading."""
    added = blocks.since(start)
    if not label or any(block.kind == "heading" for block in added):
        return
    for position, block in enumerate(added[:_LABELLED_WITHIN], start=start):
        if block.kind == "paragraph" and block.text.casefold() == label.casefold():
            blocks.make_heading(position, level=1)
            return


def _pictures(
    archive: Archive, package: Package, names: dict[int, str], reader: MarkupReader, blocks: Blocks
) -> PictureCollector:
    gallery, surroundings = PictureCollector(), Surroundings(blocks.finished())
    if package.cover:
        cover = ImagePlace(package.cover, "", 1, 0)
        _add(gallery, archive, package.cover, cover, "Cover", blocks, surroundings)
    for place, caption in zip(reader.places, captions(reader.places, blocks), strict=True):
        name = resolve(names[place.page], place.source)
        if name and name != package.cover:
            _add(gallery, archive, name, place, caption, blocks, surroundings)
    for _ in range(reader.drawings):
        gallery.leave_out("SVG drawings are not rendered")
    return gallery


def _add(
    gallery: PictureCollector,
    archive: Archive,
    name: str,
    place: ImagePlace,
    caption: str,
    blocks: Blocks,
    surroundings: Surroundings,
) -> None:
    if name.lower().endswith((".svg", ".svgz")):
        gallery.leave_out("SVG drawings are not rendered")
        return
    try:
        image = archive.read(name, max_bytes=MAX_IMAGE_BYTES)
    except MissingMember:
        gallery.leave_out("it is not in the archive")
    except DamagedMember:
        gallery.leave_out("it is damaged, or larger than an image may be")
    else:
        nearby, context = blocks.nearby(place.position), surroundings.of(place.position)
        gallery.add(image, page=place.page, caption=caption, nearby_text=nearby, context=context)


def _damage(names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    named = ", ".join(names[:_MAX_NAMED]) + (" and others" if len(names) > _MAX_NAMED else "")
    return (f"{len(names)} of the book's pages cannot be read: {named}.",)
