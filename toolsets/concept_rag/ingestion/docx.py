"""DOCX: paragraphs, lists, tables and pictures of a Word document; pages are counted by its explicit breaks."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.archive import Archive, DamagedMember, MissingMember, resolve
from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import ImagePlace, captions, image_captions
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.docx_styles import ParagraphRole, Styles, W, is_on, relationships
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    best_title,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)
from toolsets.concept_rag.ingestion.normal_text import prose
from toolsets.concept_rag.ingestion.pictures import MAX_IMAGE_BYTES, PictureCollector
from toolsets.concept_rag.ingestion.surroundings import Surroundings
from toolsets.concept_rag.ingestion.symbol_fonts import symbol
from toolsets.concept_rag.ingestion.table_pictures import CELLS, add_tables
from toolsets.concept_rag.ingestion.xml_tree import (
    BadXml,
    Element,
    attribute,
    local_name,
    parse_xml,
    rename_namespaces,
    text_of,
)

_RELATIONSHIPS: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRICT: Final = {
    "http://purl.oclc.org/ooxml/wordprocessingml/main": W[1:-1],
    "http://purl.oclc.org/ooxml/officeDocument/relationships": _RELATIONSHIPS[1:-1],
}
"""The namespaces of Strict Open XML, a choice of Word's Save As, and their usual forms."""
_DOCUMENT_KINDS: Final = ("/officeDocument",)
_UNSEEN: Final = frozenset(
    # Deleted and moved text, field codes, readings above words (furigana), fallbacks of content that is stored twice, and
    # properties.
    "del moveFrom instrText delText delInstrText rt Fallback rPr tblPr tblGrid trPr tcPr sectPr proofErr".split()
)
_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "smartTag"})
_IMAGE_KEYS: Final = {"blip": f"{_RELATIONSHIPS}embed", "imagedata": f"{_RELATIONSHIPS}id"}
_SIGNS: Final = {"tab": " ", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_NEXT_PAGE: Final = frozenset({None, "nextPage", "oddPage", "evenPage"})


def parse_docx(path: Path, data: bytes) -> ParsedDocument:
    """Return the content of a Word document. Raises `Unreadable`."""
    package = _Package(Archive(data))
    body = _part(package, package.document).find(f"{W}body")
    if body is None:
        raise Unreadable("damaged", "The Word document has no body.")
    reader = _BodyReader(package)
    reader.read(body)
    gallery = _pictures(package, reader)
    found = reader.blocks.finished()
    add_tables(gallery, found, image_captions(reader.places, reader.blocks))
    core = package.optional("docProps/core.xml")
    return ParsedDocument(
        format="docx",
        title=best_title(_core_title(core), found),
        author=_core_author(core) or first_page_author(found),
        year=_core_year(core) or first_page_year(found),
        pages=reader.page,
        blocks=found,
        pictures=gallery.finished(),
        notes=gallery.notes(),
    )


class _Package:
    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.document = self._document_name()
        self.targets = self._targets_of(self.document)

    def _document_name(self) -> str:
        root = self.optional("_rels/.rels")
        for item in () if root is None else root.iterfind("{*}Relationship"):
            if (item.get("Type") or "").endswith(_DOCUMENT_KINDS):
                return resolve("", (item.get("Target") or "").lstrip("/"))
        return "word/document.xml"

    def _targets_of(self, part: str) -> Mapping[str, str]:
        folder, _, name = part.rpartition("/")
        root = self.optional(f"{folder}/_rels/{name}.rels".lstrip("/"))
        return {key: resolve(part, target) for key, target in relationships(root).items()}

    def optional(self, name: str) -> Element | None:
        """Return the root of a part; None if the part is missing or damaged."""
        try:
            return _parse(self.archive.read(name))
        except (MissingMember, DamagedMember, BadXml):
            return None

    def sibling(self, name: str) -> Element | None:
        """Return the root of a part in the folder of the document part."""
        return self.optional(resolve(self.document, name))


def _part(package: _Package, name: str) -> Element:
    try:
        return _parse(package.archive.read(name))
    except MissingMember:
        raise Unreadable("damaged", "The archive is not a Word document: its main part is missing.") from None
    except DamagedMember as error:
        raise Unreadable("damaged", f"The Word document is damaged: {error}.") from error
    except BadXml as error:
        raise Unreadable(error.kind, f"The main part of the Word document cannot be read: {error}.") from error


def _parse(data: bytes) -> Element:
    """Return the root of a part, in the usual namespaces. Raises `BadXml`."""
    root = parse_xml(data)
    if root.tag[1:].partition("}")[0] in _STRICT:
        rename_namespaces(root, _STRICT)
    return root


class _BodyReader:
    """Reads the body into `blocks`. Recursion is as deep as the XML, which its parser limits to 256 levels."""

    def __init__(self, package: _Package) -> None:
        self.blocks = Blocks()
        self.places: list[ImagePlace] = []
        self.page = 1
        self._styles = Styles(package.sibling("styles.xml"))
        self._notes = {**_notes(package, "footnote"), **_notes(package, "endnote")}
        self._code: list[str] = []
        self._later: list[Element] = []
        self._in_table = 0

    def read(self, body: Element) -> None:
        """Add all paragraphs and tables."""
        self._read_all(body)
        self._end_code()

    def _read_all(self, parent: Iterable[Element]) -> None:
        for element in parent:
            name = local_name(element)
            if name == "p":
                self._read_paragraph(element)
            elif name == "tbl":
                self._read_table(element)
            elif name not in _UNSEEN:
                self._read_all(element)

    def _read_paragraph(self, paragraph: Element) -> None:
        properties = paragraph.find(f"{W}pPr")
        if properties is not None and is_on(properties.find(f"{W}pageBreakBefore")):
            self._break_page()
        shape = self._styles.shape(properties)
        parts: list[str] = []
        self._collect(paragraph, parts, shape)
        self._add("".join(parts), shape)
        self._add_later()
        section = None if properties is None else properties.find(f"{W}sectPr")
        if section is not None and _starts_page(section):
            self._break_page()

    def _add(self, text: str, shape: ParagraphRole) -> None:
        if shape.role == "contents":
            return
        if shape.role == "code":
            self._code.append(text)
            return
        self._end_code()
        self.blocks.add(shape.role, text, page=self.page, level=shape.level)

    def _end_code(self) -> None:
        """Add the collected lines of code as one block; in Word each line is a paragraph."""
        lines, self._code = self._code, []
        self.blocks.add("code", "\n".join(lines), page=self.page)

    def _add_later(self) -> None:
        """Add the text boxes and notes of a paragraph after the paragraph."""
        while self._later:
            waiting, self._later = self._later, []
            self._read_all(waiting)

    def _collect(self, element: Element, parts: list[str], shape: ParagraphRole) -> None:
        """Append the text inside an element, and collect content other than text."""
        for child in element:
            name = local_name(child)
            if name in _UNSEEN or name in {"", "pPr"} or (name == "r" and self._styles.is_hidden(child)):
                continue
            if name == "t":
                parts.append(text_of(child))
            elif name in _SIGNS:
                parts.append(_SIGNS[name])
            elif name == "sym":
                parts.append(symbol(child.get(f"{W}font") or "", child.get(f"{W}char") or ""))
            elif name == "br":
                self._read_break(child, parts, shape)
            elif name == "txbxContent":
                self._later.extend(child)
            elif name in {"footnoteReference", "endnoteReference"}:
                self._later.extend(self._notes.get((name[:-9], child.get(f"{W}id") or ""), ()))
            elif name in {"drawing", "pict", "object"}:
                self._add_images(child, follows_text=any(part.strip() for part in parts))
                self._collect(child, parts, shape)
            else:
                self._collect(child, parts, shape)

    def _read_break(self, element: Element, parts: list[str], shape: ParagraphRole) -> None:
        if element.get(f"{W}type") != "page":
            parts.append("\n")
            return
        if self._in_table == 0:
            self._add("".join(parts), shape)
            parts.clear()
        self._break_page()

    def _break_page(self) -> None:
        self._end_code()
        self.page += 1

    def _read_table(self, table: Element) -> None:
        self._end_code()
        self._in_table += 1
        for row in _inside(table, "tr"):
            cells = [self._cell(cell) for cell in _inside(row, "tc")]
            if any(cells):
                self.blocks.add("table", CELLS.join(cells), page=self.page)
        self._in_table -= 1
        self._add_later()

    def _cell(self, cell: Element) -> str:
        merged = cell.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(f"{W}val") != "restart":
            return ""
        parts: list[str] = []
        self._collect_cell(cell, parts)
        return prose("".join(parts))

    def _collect_cell(self, element: Element, parts: list[str]) -> None:
        for child in element:
            name = local_name(child)
            if name == "p":
                self._collect(child, parts, ParagraphRole("table"))
                parts.append(" ")
            elif name not in _UNSEEN:
                self._collect_cell(child, parts)

    def _add_images(self, drawing: Element, *, follows_text: bool) -> None:
        """Collect the images of a drawing; its title or description is their alternative text."""
        position = len(self.blocks) + (follows_text and self._in_table == 0)
        alternative = ""
        for item in _drawn(drawing):
            name = local_name(item)
            if name == "docPr":
                alternative = item.get("descr") or item.get("title") or ""
            key = item.get(_IMAGE_KEYS[name]) if name in _IMAGE_KEYS else None
            if key:
                words = alternative or attribute(item, "title") or ""
                self.places.append(ImagePlace(key, prose(words[:2_000]), self.page, position))


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, including those in content controls."""
    for child in element:
        found = local_name(child)
        if found == name:
            yield child
        elif found in _WRAPPERS:
            yield from _inside(child, name)


def _drawn(element: Element) -> Iterator[Element]:
    """Yield the elements of a drawing except its text boxes, which are read as text with their own images."""
    for child in element:
        if local_name(child) not in {"txbxContent", "Fallback"}:
            yield child
            yield from _drawn(child)


def _starts_page(section: Element) -> bool:
    kind = section.find(f"{W}type")
    return (None if kind is None else kind.get(f"{W}val")) in _NEXT_PAGE


def _notes(package: _Package, kind: str) -> dict[tuple[str, str], tuple[Element, ...]]:
    """Return the footnotes or endnotes by id, without separators."""
    root = package.sibling(f"{kind}s.xml")
    if root is None:
        return {}
    return {
        (kind, note.get(f"{W}id") or ""): tuple(note)
        for note in root.iterfind(f"{W}{kind}")
        if note.get(f"{W}type") in {None, "normal"}
    }


def _pictures(package: _Package, reader: _BodyReader) -> PictureCollector:
    gallery, surroundings = PictureCollector(), Surroundings(reader.blocks.finished())
    for place, caption in zip(reader.places, captions(reader.places, reader.blocks), strict=True):
        name = package.targets.get(place.source, "")
        if name.lower().endswith((".emf", ".wmf", ".svg")):
            gallery.leave_out("drawings in EMF, WMF and SVG are not rendered")
            continue
        try:
            image = package.archive.read(name, max_bytes=MAX_IMAGE_BYTES)
        except (MissingMember, DamagedMember):
            gallery.leave_out("it is damaged, missing, or larger than an image may be")
            continue
        nearby, context = reader.blocks.nearby(place.position), surroundings.of(place.position)
        gallery.add(image, page=place.page, caption=caption, nearby_text=nearby, context=context)
    return gallery


def _core_title(core: Element | None) -> str:
    return title_from(text_of(element) for element in _core(core, "title"))


def _core_author(core: Element | None) -> str:
    return authors_from(part for element in _core(core, "creator") for part in text_of(element).split(";"))


def _core_year(core: Element | None) -> str:
    return year_from(text_of(element) for name in ("created", "modified") for element in _core(core, name))


def _core(core: Element | None, name: str) -> list[Element]:
    return [] if core is None else [element for element in core if local_name(element) == name]
