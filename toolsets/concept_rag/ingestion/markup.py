"""Converts the tree of an HTML page to blocks and image places, in reading order."""

import re
from collections.abc import Callable
from html import escape
from typing import Final, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import ImagePlace
from toolsets.concept_rag.ingestion.document import BlockKind
from toolsets.concept_rag.ingestion.normal_text import prose

LeftOut: TypeAlias = Callable[[LexborNode, str], bool]
"""Returns whether an element with this name is left out, with its content."""

_NEVER_TEXT: Final = frozenset(
    "script style template noscript iframe object embed video audio canvas select button input textarea datalist map "
    "link meta head rt rp annotation annotation-xml noframes progress meter".split()
)
_BLOCK: Final = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot "
    "th thead tr ul caption title optgroup option".split()
)
_KIND_OF: Final[dict[str, BlockKind]] = {
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "blockquote": "quote",
    "pre": "code",
    "listing": "code",
    "figcaption": "caption",
    "caption": "caption",
}
# Classes with which manual generators mark links to headings, and line numbers of code.
_ORNAMENT_CLASSES: Final = frozenset({"headerlink", "linenos", "linenodiv", "anchor-link"})
_CONTENTS_CLASSES: Final = frozenset({"toc", "toctree-wrapper", "table-of-contents", "tableofcontents", "contents"})
_CONTENTS_ROLES: Final = frozenset({"doc-toc", "doc-index"})
_LINKED: Final = 0.6
"""The least share of links in the text of a table of contents or a menu; the rest is its heading and numbers."""
_CAPTION_CLASSES: Final = frozenset(
    {"caption", "figcaption", "figure-caption", "fig-caption", "image-caption", "caption-text"}
)
_FILE_NAME: Final = re.compile(r"\S+\.(?:png|jpe?g|gif|webp|bmp|tiff?|svg)", re.IGNORECASE)
"""A file name, which some tools use as the alternative text."""
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"\[?(?:\d{1,4}|[*†‡§]{1,3})\]?")
_LAYOUT: Final = "table, pre, h1, h2, h3, h4, h5, h6"
"""A table that contains one of these only arranges a page."""

# In XHTML any element may be self-closing; in HTML only these may, and others would stay open.
_SELF_CLOSED: Final = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)[\s/>])([A-Za-z][\w:.-]{0,40})(\s[^<>]{0,2000})?/>"
)
_DECLARATIONS: Final = re.compile(
    r"<\?xml[^>]{0,500}>|<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,20000}\]\s{0,20})?>", re.IGNORECASE
)
_SECTION: Final = "<![CDATA["


def xhtml_as_html(markup: str) -> str:
    """Return XHTML rewritten so that an HTML parser reads the same elements and text."""
    return _SELF_CLOSED.sub(r"<\1\2></\1>", _without_sections(_DECLARATIONS.sub("", markup, count=2)))


def _without_sections(markup: str) -> str:
    """Return the text of CDATA sections as escaped text; an HTML parser takes the sections for comments."""
    pieces: list[str] = []
    rest = 0
    while (start := markup.find(_SECTION, rest)) >= 0 and (end := markup.find("]]>", start)) >= 0:
        pieces += markup[rest:start], escape(markup[start + len(_SECTION) : end], quote=False)
        rest = end + len("]]>")
    return "".join((*pieces, markup[rest:]))


class MarkupReader:
    """Reads pages into `blocks`; `places` has their images."""

    def __init__(self, blocks: Blocks, *, left_out: LeftOut) -> None:
        """`left_out` selects elements to leave out, in addition to those that are never text."""
        self.places: list[ImagePlace] = []
        self.drawings = 0
        """The number of SVG drawings inside pages."""
        self._blocks = blocks
        self._left_out = left_out
        self._page = 1
        self._inline: list[str] = []
        self._kinds: list[tuple[BlockKind, int]] = []
        self._code = 0
        self._row: list[str] | None = None
        self._tables: list[bool] = []

    def read(self, parser: LexborHTMLParser, root: LexborNode, *, page: int) -> None:
        """Add the content of `root`, a node of `parser`. Raises `Unreadable` if the limits of `Blocks` are exceeded."""
        self._page = page
        self._inline, self._kinds, self._code, self._row, self._tables = [], [], 0, None, []
        node, ancestors = root.first_child, list[tuple[LexborNode, str, bool]]()
        # Iterative, because trees may be deeper than the call stack allows.
        while node is not None or ancestors:
            if node is None:
                parent, tag, marked = ancestors.pop()
                self._leave(tag, marked=marked)
                node = parent.next
                continue
            tag = node.tag or ""
            if tag == "-text":
                self._inline.append(node.text_content or "")
            elif tag == "svg":
                self._add_drawing(node)
            elif not tag.startswith("-") and not self._is_left_out(node, tag):
                ancestors.append((node, tag, self._enter(node, tag)))
                node = node.first_child
                continue
            node = node.next
        self._flush()

    def length(self, root: LexborNode, *, apart_from: LexborNode) -> int:
        """Return how many characters `read` takes of `root` without the element `apart_from`."""
        length = 0
        node, parents = root.first_child, list[LexborNode]()
        while node is not None or parents:
            if node is None:
                node = parents.pop().next
                continue
            tag = node.tag or ""
            if tag == "-text":
                length += len((node.text_content or "").strip())
            elif not (tag == "svg" or tag.startswith("-") or node == apart_from or self._is_left_out(node, tag)):
                parents.append(node)
                node = node.first_child
                continue
            node = node.next
        return length

    def _is_left_out(self, node: LexborNode, tag: str) -> bool:
        if tag in _NEVER_TEXT or self._left_out(node, tag):
            return True
        if tag == "sup":
            return _is_reference(node)
        attributes = node.attributes
        classes = (attributes.get("class") or "").split()
        return (
            "hidden" in attributes
            or _HIDDEN.search(attributes.get("style") or "") is not None
            or not _ORNAMENT_CLASSES.isdisjoint(classes)
            or _is_contents(node, classes)
        )

    def _enter(self, node: LexborNode, tag: str) -> bool:
        """Begin an element; return whether it determines the kind of its text."""
        if tag == "img":
            self._add_image(node)
        elif tag == "br":
            self._inline.append("\n" if self._code else " ")
        if tag not in _BLOCK:
            return False
        if self._code:
            # Some tools wrap each line of code in an element.
            self._end_line()
            return False
        self._flush()
        if tag == "table":
            self._tables.append(_is_data(node))
        elif tag == "tr" and self._tables and self._tables[-1]:
            self._row = []
        kind = _KIND_OF.get(tag) or _class_kind(node, tag)
        if kind is None:
            return False
        self._kinds.append((kind, int(tag[1]) if kind == "heading" else 0))
        self._code += kind == "code"
        return True

    def _leave(self, tag: str, *, marked: bool) -> None:
        if tag not in _BLOCK:
            return
        if self._code and not marked:
            self._end_line()
            return
        if tag in {"td", "th"} and self._row is not None:
            self._row.append(prose("".join(self._inline)))
            self._inline = []
        self._flush()
        if tag == "tr" and self._row is not None:
            self._end_row(self._row)
        elif tag == "table":
            self._tables.pop()
        if marked:
            kind, _ = self._kinds.pop()
            self._code -= kind == "code"

    def _end_line(self) -> None:
        if self._inline and not self._inline[-1].endswith("\n"):
            self._inline.append("\n")

    def _end_row(self, row: list[str]) -> None:
        self._row = None
        if any(row):
            self._blocks.add("table", " | ".join(row), page=self._page)

    def _flush(self) -> None:
        """End the text so far: as a block, or as separate words inside a table row."""
        if self._row is not None:
            self._inline.append(" ")
            return
        text = "".join(self._inline)
        self._inline = []
        kind, level = self._kinds[-1] if self._kinds else ("paragraph", 0)
        self._blocks.add(kind, text, page=self._page, level=level)

    def _add_drawing(self, svg: LexborNode) -> None:
        """Count a drawing, or add the image that a cover page wraps in one; words in drawings are not text."""
        images = svg.css("image")
        self.drawings += not images
        for image in images:
            self._add_image(image)

    def _add_image(self, node: LexborNode) -> None:
        attributes = node.attributes
        source = attributes.get("src") or attributes.get("xlink:href") or attributes.get("href")
        if source:
            # The paragraph's text before the image must precede it.
            position = len(self._blocks) + (self._row is None and any(part.strip() for part in self._inline))
            alternative = prose((attributes.get("alt") or attributes.get("title") or "")[:2_000])
            if _FILE_NAME.fullmatch(alternative):
                alternative = ""
            self.places.append(ImagePlace(source, alternative, self._page, position))


def _is_contents(node: LexborNode, classes: list[str]) -> bool:
    """Return whether an element is a table of contents: marked as one, and mostly links."""
    if _CONTENTS_CLASSES.isdisjoint(classes) and node.attributes.get("role") not in _CONTENTS_ROLES:
        return False
    return is_mostly_links(node)


def is_mostly_links(node: LexborNode) -> bool:
    """Return whether most of an element's text is in links."""
    linked = sum(len(link.text(strip=True)) for link in node.css("a[href]")[:5_000])
    return linked >= _LINKED * len(node.text(strip=True))


def _is_data(table: LexborNode) -> bool:
    """Return whether a table has data rather than a page's layout."""
    if table.attributes.get("role") in {"presentation", "none"}:
        return False
    # The first match may be the table itself.
    return all(node == table for node in table.css(_LAYOUT)[:2])


def _class_kind(node: LexborNode, tag: str) -> BlockKind | None:
    if tag not in {"p", "div"}:
        return None
    classes = (node.attributes.get("class") or "").lower().split()
    return "caption" if not _CAPTION_CLASSES.isdisjoint(classes) else None


def _is_reference(node: LexborNode) -> bool:
    """Return whether a superscript is a note reference: a linked number rather than an exponent."""
    parent = node.parent
    links = node.css_first("a") is not None or (parent is not None and parent.tag == "a")
    return links and _REFERENCE.fullmatch(node.text(strip=True)) is not None
