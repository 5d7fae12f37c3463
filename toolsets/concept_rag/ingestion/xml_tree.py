"""Parses XML without entities, network access or huge trees; has types for the used part of lxml."""

from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast


class Element(Protocol):
    """An element of a tree; iterating yields its children, including comments."""

    tag: str
    """`{namespace}name`; not a string for comments and entities, see `local_name`."""
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator["Element"]: ...  # noqa: D105
    def get(self, key: str) -> str | None: ...  # noqa: D102
    def items(self) -> list[tuple[str, str]]: ...  # noqa: D102
    def find(self, path: str) -> "Element | None": ...  # noqa: D102
    def iterfind(self, path: str) -> Iterator["Element"]: ...  # noqa: D102
    def iter(self, *tags: str) -> Iterator["Element"]: ...  # noqa: D102


class _Library(Protocol):
    XMLSyntaxError: type[Exception]

    def XMLParser(  # noqa: N802
        self, *, resolve_entities: bool, no_network: bool, huge_tree: bool, load_dtd: bool, recover: bool
    ) -> object: ...
    def fromstring(self, text: bytes, parser: object) -> Element | None: ...


class BadXml(Exception):
    """The bytes are not XML, or exceed the parser's limits of 256 levels and 10 MB per text."""


def parse_xml(data: bytes, *, lenient: bool = False) -> Element:
    """Return the root of an XML document. Declared entities are not resolved. Raises `BadXml`.

    If `lenient`, errors are repaired where possible.
    """
    etree = cast("_Library", import_module("lxml.etree"))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=lenient)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadXml(str(error)[:200]) from error
    if root is None:
        raise BadXml("there is no element")
    return root


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
