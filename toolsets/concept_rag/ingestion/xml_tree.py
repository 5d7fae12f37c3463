"""Parses XML without entities, network access or huge trees; has types for the used part of lxml."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Final, Protocol, cast

from toolsets.concept_rag.ingestion.document import FailureKind


class Element(Protocol):
    """An element of a tree; iterating yields its children, including comments."""

    tag: str
    """`{namespace}name`; not a string for comments and entities, see `local_name`."""
    text: str | None
    tail: str | None
    attrib: MutableMapping[str, str]

    def __iter__(self) -> Iterator["Element"]: ...  # noqa: D105
    def get(self, key: str) -> str | None: ...  # noqa: D102
    def items(self) -> list[tuple[str, str]]: ...  # noqa: D102
    def find(self, path: str) -> "Element | None": ...  # noqa: D102
    def iterfind(self, path: str) -> Iterator["Element"]: ...  # noqa: D102
    def iter(self, *tags: str) -> Iterator["Element"]: ...  # noqa: D102


class _SyntaxError(Protocol):
    code: int
    lineno: int | None


class _Library(Protocol):
    XMLSyntaxError: type[Exception]

    def XMLParser(  # noqa: N802
        self, *, resolve_entities: bool, no_network: bool, huge_tree: bool, load_dtd: bool, recover: bool
    ) -> object: ...
    def fromstring(self, text: bytes, parser: object) -> Element | None: ...


_ENTITY_LOOP: Final = 89
_RESOURCE_LIMIT: Final = 114
"""Codes of libxml2; the second also stands for entities that expand to far more than the document."""


class BadXml(Exception):
    """The bytes are not XML, or exceed the parser's limits; the text follows a colon in a reason."""

    def __init__(self, reason: str, kind: FailureKind = "damaged") -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind


def parse_xml(data: bytes, *, lenient: bool = False) -> Element:
    """Return the root of an XML document. Declared entities are not resolved. Raises `BadXml`.

    If `lenient`, errors are repaired where possible.
    """
    etree = cast("_Library", import_module("lxml.etree"))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=lenient)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _bad_xml(cast("_SyntaxError", error), data) from error
    except ValueError as error:
        raise BadXml("it has no XML") from error
    if root is None:
        raise BadXml("it has no element")
    return root


def _bad_xml(error: _SyntaxError, data: bytes) -> BadXml:
    """Return the reason in plain words; the texts of libxml2 advise programmers, and change with its version."""
    if error.code not in (_ENTITY_LOOP, _RESOURCE_LIMIT):
        return BadXml(f"line {error.lineno} is not well-formed" if error.lineno else "it is not well-formed")
    # Also in UTF-16.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        return BadXml("its entities expand to far more text than a document has", "bomb")
    return BadXml("it has more than 256 levels, or a text of more than 10 MB")


def rename_namespaces(root: Element, names: Mapping[str, str]) -> None:
    """Replace the namespaces of elements and attributes by those in `names`."""
    for element in root.iter("*"):
        element.tag = _renamed(element.tag, names)
        for key, value in element.items():
            renamed = _renamed(key, names)
            if renamed != key:
                del element.attrib[key]
                element.attrib[renamed] = value


def _renamed(name: str, names: Mapping[str, str]) -> str:
    namespace, brace, local = name.rpartition("}")
    return f"{{{names.get(namespace[1:], namespace[1:])}}}{local}" if brace else name


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; "" for comments, instructions and entities."""
    tag = cast("object", element.tag)  # a function for a comment
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """Return the value of the attribute with this local name in any namespace or in none."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), None)


def text_of(element: Element | None) -> str:
    """Return the text directly inside an element, or ""."""
    return (element.text or "") if element is not None else ""
