"""The role that a Word document's styles give a paragraph: heading with level, list item, code, quote or caption."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toolsets.concept_rag.ingestion.document import BlockKind
from toolsets.concept_rag.ingestion.xml_tree import Element

_OFF: Final = frozenset({"0", "false", "off"})
W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BODY_LEVEL: Final = 9
"""The outline level of body text, counted from 0."""
_MAX_ANCESTORS: Final = 20
"""The most base styles followed, because styles may be based on each other in a cycle."""

Role: TypeAlias = BlockKind | Literal["contents"]
"""`contents` is a line of the table of contents, which repeats the headings."""

_HEADING: Final = re.compile(r"heading (\d)$")
_CONTENTS: Final = re.compile(r"toc \d|toc heading|table of figures|table of authorities|index \d|index heading")
_BY_NAME: Final[tuple[tuple[re.Pattern[str], Role], ...]] = (
    (_CONTENTS, "contents"),
    (re.compile(r"caption$|.* caption$"), "caption"),
    (re.compile(r"(?:intense )?quote|quotations?$|block ?quote|block text"), "quote"),
    (
        re.compile(
            r"html preformatted|preformatted|source ?code|code\b|.*\bcode(?: block)?$|plain text|macro text|verbatim"
        ),
        "code",
    ),
    (re.compile(r"list\b"), "list_item"),
)


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    listed: bool
    hidden: bool | None
    """Whether its text is hidden; None if the style does not say."""


@dataclass(frozen=True, slots=True)
class ParagraphRole:
    """The role of a paragraph; `level` is 1 to 6 for a heading and 0 otherwise."""

    role: Role
    level: int = 0


class Styles:
    """The styles of a document by id. Style names are English in every language of Word; ids are not."""

    def __init__(self, root: Element | None) -> None:
        """`root` is the root of styles.xml; None for a document without it."""
        self._styles: dict[str, _Style] = {}
        self._default = ""
        for style in () if root is None else root.iterfind(f"{W}style"):
            key = style.get(f"{W}styleId") or ""
            self._styles[key] = _read(style)
            if style.get(f"{W}default") in {"1", "true", "on"} and style.get(f"{W}type") == "paragraph":
                self._default = key
        self._shapes: dict[str, ParagraphRole] = {}

    def shape(self, properties: Element | None) -> ParagraphRole:
        """Return the role of a paragraph with these properties (`w:pPr`)."""
        if properties is None:
            return self._of_style(self._default)
        style = properties.find(f"{W}pStyle")
        shape = self._of_style((style.get(f"{W}val") if style is not None else None) or self._default)
        outline = _outline(properties)
        if outline is not None and shape.role in {"paragraph", "list_item", "heading"}:
            return _outlined(outline, shape)
        listed = _listed(properties)
        if listed is not None and shape.role in {"paragraph", "list_item"}:
            return ParagraphRole("list_item" if listed else "paragraph")
        return shape

    def is_hidden(self, run: Element) -> bool:
        """Return whether the text of a run (`w:r`) is hidden, by itself or by its style."""
        properties = run.find(f"{W}rPr")
        if properties is None:
            return False
        hidden, style = _hidden(properties), properties.find(f"{W}rStyle")
        key = None if style is None else style.get(f"{W}val")
        for _ in range(_MAX_ANCESTORS):
            if hidden is not None or key is None or key not in self._styles:
                break
            hidden, key = self._styles[key].hidden, self._styles[key].based_on
        return hidden is True

    def _of_style(self, key: str) -> ParagraphRole:
        if key not in self._shapes:
            self._shapes[key] = self._derive(key)
        return self._shapes[key]

    def _derive(self, key: str) -> ParagraphRole:
        """Follow the base styles of `key` until one defines the role."""
        for _ in range(_MAX_ANCESTORS):
            style = self._styles.get(key)
            if style is None:
                break
            shape = _named(style)
            if shape is not None:
                return shape
            key = style.based_on
        return ParagraphRole("paragraph")


def _read(style: Element) -> _Style:
    name, based_on = style.find(f"{W}name"), style.find(f"{W}basedOn")
    properties, characters = style.find(f"{W}pPr"), style.find(f"{W}rPr")
    return _Style(
        name=((name.get(f"{W}val") if name is not None else None) or "").lower(),
        based_on=(based_on.get(f"{W}val") if based_on is not None else None) or "",
        outline=None if properties is None else _outline(properties),
        listed=properties is not None and _listed(properties) is True,
        hidden=None if characters is None else _hidden(characters),
    )


def _named(style: _Style) -> ParagraphRole | None:
    heading = _HEADING.match(style.name)
    if heading:
        return ParagraphRole("heading", min(6, max(1, int(heading[1]))))
    if style.name == "title":
        return ParagraphRole("heading", 1)
    for pattern, role in _BY_NAME:
        if pattern.match(style.name):
            return ParagraphRole(role)
    if style.outline is not None:
        return _outlined(style.outline, ParagraphRole("paragraph"))
    return ParagraphRole("list_item") if style.listed else None


def _outlined(outline: int, otherwise: ParagraphRole) -> ParagraphRole:
    if outline < BODY_LEVEL:
        return ParagraphRole("heading", min(6, outline + 1))
    return ParagraphRole("paragraph") if otherwise.role == "heading" else otherwise


def _outline(properties: Element) -> int | None:
    return _number(properties.find(f"{W}outlineLvl"))


def _listed(properties: Element) -> bool | None:
    """Return whether the properties number the paragraph; 0 removes its style's numbering, and None leaves it."""
    number = _number(properties.find(f"{W}numPr/{W}numId"))
    return None if number is None else number != 0


def _hidden(properties: Element) -> bool | None:
    element = properties.find(f"{W}vanish")
    return None if element is None else is_on(element)


def is_on(element: Element | None) -> bool:
    """Return whether a property that is on or off is there, and on."""
    return element is not None and element.get(f"{W}val") not in _OFF


def _number(element: Element | None) -> int | None:
    value = "" if element is None else element.get(f"{W}val") or ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def relationships(root: Element | None) -> Mapping[str, str]:
    """Return the targets inside the package by id; external links are left out."""
    if root is None:
        return {}
    return {
        item.get("Id") or "": item.get("Target") or ""
        for item in root.iterfind("{*}Relationship")
        if item.get("TargetMode") != "External"
    }
