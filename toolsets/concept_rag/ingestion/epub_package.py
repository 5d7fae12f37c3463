"""The package of an EPUB: its container, OPF file and table of contents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.concept_rag.ingestion.archive import Archive, DamagedMember, MissingMember, resolve
from toolsets.concept_rag.ingestion.document import Unreadable
from toolsets.concept_rag.ingestion.metadata import authors_from, title_from, year_from
from toolsets.concept_rag.ingestion.normal_text import prose
from toolsets.concept_rag.ingestion.xml_tree import BadXml, Element, attribute, parse_xml, text_of

_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONT_OBFUSCATION: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Methods that obfuscate only fonts, not text."""
_MAX_XML_BYTES: Final = 8 * 1024 * 1024
"""A package document lists the files of a book; a larger one would fill the memory as a tree."""
MAX_SPINE: Final = 10_000
"""Each entry is a file to parse; a book has some hundred at most, a hostile one any number."""


@dataclass(frozen=True, slots=True)
class Item:
    """A file of the book."""

    name: str
    media_type: str
    properties: frozenset[str]


@dataclass(frozen=True, slots=True)
class Package:
    """A book: its metadata and its pages in reading order."""

    title: str
    author: str
    year: str
    spine: Sequence[Item | None]
    """None for a page that is not in the manifest. The index is the page number minus one."""
    cover: str
    """The member with the cover image, or ""."""
    labels: Mapping[str, str]
    """The label of each file's first entry in the table of contents."""


def read_package(archive: Archive) -> Package:
    """Return the package. Raises `Unreadable` if the archive is not an EPUB, or is damaged or encrypted."""
    _refuse_encrypted(archive)
    name = _package_name(archive)
    root = _xml(archive, name)
    if root is None:
        raise Unreadable("damaged", "The package file of the EPUB cannot be read.")
    manifest = _manifest(root, name)
    spine = root.find("{*}spine")
    references = [] if spine is None else [item.get("idref") or "" for item in spine.iterfind("{*}itemref")]
    return Package(
        title=_title(root),
        author=_author(root),
        year=_year(root),
        spine=[manifest.get(reference) for reference in references[:MAX_SPINE]],
        cover=_cover(root, manifest),
        labels=_labels(archive, manifest, "" if spine is None else spine.get("toc") or ""),
    )


def _xml(archive: Archive, name: str) -> Element | None:
    try:
        return parse_xml(archive.read(name, max_bytes=_MAX_XML_BYTES), lenient=True)
    except (MissingMember, DamagedMember, BadXml):
        return None


def _refuse_encrypted(archive: Archive) -> None:
    root = _xml(archive, _ENCRYPTION)
    if root is None:
        return
    for method in root.iterfind(".//{*}EncryptedData/{*}EncryptionMethod"):
        if method.get("Algorithm") not in _FONT_OBFUSCATION:
            raise Unreadable("encrypted", "The EPUB is protected by digital rights management.")


def _package_name(archive: Archive) -> str:
    container = _xml(archive, _CONTAINER)
    for file in () if container is None else container.iterfind(".//{*}rootfile"):
        name = resolve("", file.get("full-path") or "")
        if name in archive.names:
            return name
    # Some tools omit the container; a book has one package file.
    found = sorted(name for name in archive.names if name.lower().endswith(".opf"))
    if not found:
        raise Unreadable("damaged", "The archive is not an EPUB: it has no package file.")
    return found[0]


def _manifest(root: Element, package: str) -> dict[str, Item]:
    items: dict[str, Item] = {}
    for item in root.iterfind("{*}manifest/{*}item"):
        name = resolve(package, item.get("href") or "")
        properties = frozenset((item.get("properties") or "").split())
        items.setdefault(item.get("id") or "", Item(name, (item.get("media-type") or "").lower(), properties))
    return items


def _refinements(root: Element, wanted: str) -> dict[str, str]:
    """Return the values of EPUB 3 metadata that refine other metadata, by the `#id` of the refined element."""
    return {
        meta.get("refines") or "": prose(text_of(meta))
        for meta in root.iterfind("{*}metadata/{*}meta")
        if meta.get("property") == wanted
    }


def _metadata(root: Element, name: str) -> list[Element]:
    return list(root.iterfind(f"{{*}}metadata//{_DC}{name}"))


def _title(root: Element) -> str:
    types = _refinements(root, "title-type")
    titles = _metadata(root, "title")
    main = [title for title in titles if types.get(f"#{title.get('id')}") == "main"]
    return title_from(text_of(title) for title in (*main, *titles))


def _author(root: Element) -> str:
    """Return the creators with the role of an author, or all creators if none has the role."""
    roles = _refinements(root, "role")
    creators = [
        (text_of(creator), attribute(creator, "role") or roles.get(f"#{creator.get('id')}", ""))
        for creator in _metadata(root, "creator")
    ]
    authors = [name for name, role in creators if role == "aut"]
    return authors_from(authors or [name for name, _ in creators])


def _year(root: Element) -> str:
    """Return the year of publication, else of a date without an event; a file's creation date is ignored."""
    dates = [(text_of(date), (attribute(date, "event") or "").lower()) for date in _metadata(root, "date")]
    published = [date for date, event in dates if "publi" in event]
    return year_from([*published, *(date for date, event in dates if event in {"", "issued", "creation"})])


def _cover(root: Element, manifest: Mapping[str, Item]) -> str:
    named = {meta.get("content") or "" for meta in root.iterfind("{*}metadata/{*}meta") if meta.get("name") == "cover"}
    for key, item in manifest.items():
        if "cover-image" in item.properties or (key in named and item.media_type.startswith("image/")):
            return item.name
    return ""


def _labels(archive: Archive, manifest: Mapping[str, Item], toc: str) -> dict[str, str]:
    """Return the labels in the navigation document of EPUB 3, else in the NCX file of EPUB 2."""
    labels: dict[str, str] = {}
    navigation = next((item for item in manifest.values() if "nav" in item.properties), None)
    root = None if navigation is None else _xml(archive, navigation.name)
    if navigation is not None and root is not None:
        for link in root.iterfind(".//{*}nav//{*}a"):
            label = prose(
                "".join(text_of(part) + (part.tail or "" if part is not link else "") for part in link.iter())
            )
            labels.setdefault(resolve(navigation.name, link.get("href") or ""), label)
        return labels
    ncx = manifest.get(toc)
    root = None if ncx is None else _xml(archive, ncx.name)
    if ncx is None or root is None:
        return labels
    for point in root.iterfind(".//{*}navPoint"):
        target = point.find("{*}content")
        label = prose(text_of(point.find("{*}navLabel/{*}text")))
        labels.setdefault(resolve(ncx.name, (target.get("src") if target is not None else "") or ""), label)
    return labels


def is_page(item: Item) -> bool:
    """Return whether an item of the spine has text other than a table of contents."""
    return "nav" not in item.properties and (
        item.media_type in {"application/xhtml+xml", "text/html", "application/xml", "text/xml", "text/x-oeb1-document"}
        or item.name.lower().endswith((".xhtml", ".html", ".htm", ".xml"))
    )
