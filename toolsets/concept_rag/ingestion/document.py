"""The parsed document returned by every parser: metadata, blocks of text in reading order, and pictures."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Format: TypeAlias = Literal["pdf", "epub", "markdown", "html", "docx", "text"]
BlockKind: TypeAlias = Literal["heading", "paragraph", "list_item", "code", "quote", "table", "caption", "labels"]
"""`labels`: the words of a drawing, which are searchable but not prose."""
VisualType: TypeAlias = Literal["diagram", "flowchart", "chart", "table", "figure"]

FailureKind: TypeAlias = Literal[
    "encrypted", "damaged", "bomb", "too_large", "too_slow", "crashed", "changed", "no_access", "not_parsed"
]
"""`changed`: the file was written to while it was read; `no_access`: this process may not read the file;
`not_parsed`: no parser could be started, whatever the file contains."""

SkipKind: TypeAlias = Literal[
    "unknown_format", "empty", "no_text", "not_a_file", "symlink_loop", "over_size_limit", "no_access", "part_of_page"
]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text in reading order, free of line-break hyphens, running heads and page numbers."""

    kind: BlockKind
    text: str
    """One paragraph, heading, list item, code block or table row; never empty, white space normalised outside code."""
    page: int
    """From 1. EPUB counts its spine, DOCX its explicit page breaks; formats without pages have page 1."""
    level: int = 0
    """1 to 6 for a heading, 0 otherwise."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A visual of a document as PNG."""

    png: bytes
    page: int
    visual_type: VisualType
    caption: str
    """The caption, else the alternative text, else ""."""
    nearby_text: str
    """Up to 500 characters of text around it, used to find its concepts."""
    width: int
    height: int
    """Pixels."""
    context: str = ""
    """Of a picture whose caption says nothing: the heading of its section with a sentence about it or next to it."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The content of one file, as read by a parser."""

    format: Format
    title: str
    """From the metadata, else from the first heading or page, else ""."""
    author: str
    """"" when unknown."""
    year: str
    """Four digits, or "" when unknown."""
    pages: int
    blocks: tuple[Block, ...]
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences for the report: pages without text, pictures left out because of a limit."""
    sha256: str = ""
    """The hash of the parsed bytes in hexadecimal, set by the parser process."""


class Unreadable(Exception):
    """The file's format is known but the file cannot be read: reported as `failed`."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind
        self.reason = reason


class NotADocument(Exception):
    """The file has nothing to ingest: reported as `skipped`."""

    def __init__(self, kind: SkipKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: SkipKind = kind
        self.reason = reason
