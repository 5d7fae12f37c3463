"""Formats: what a file's ending promises, what its first bytes show, and which parser reads it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, cast

from toolsets.concept_rag.ingestion.document import Format, NotADocument, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.normal_text import shown

BytesParser: TypeAlias = Callable[[Path, bytes], ParsedDocument]
"""Parses the bytes; the path only says in which folder images lie."""


class PathParser(Protocol):
    """Parses the file at a path, reading characters from images of pages for `ocr_total_s` seconds at most."""

    def __call__(self, path: Path, *, ocr_total_s: float) -> ParsedDocument: ...  # noqa: D102


HEAD: Final = 4_096
"""Bytes from which content is told."""

ENDINGS: Final[Mapping[str, Format]] = {
    ".docx": "docx",
    ".epub": "epub",
    ".htm": "html",
    ".html": "html",
    ".markdown": "markdown",
    ".md": "markdown",
    ".pdf": "pdf",
    ".text": "text",
    ".txt": "text",
    ".xhtml": "html",
}


@dataclass(frozen=True, slots=True)
class ParserEntry:
    """A parser by name, so that only the process that parses imports it."""

    module: str
    function: str
    takes: Literal["bytes", "path"]
    max_bytes: int
    """Of a file; more is refused before it is read."""
    base_seconds: float = 30.0
    """For a file of any size; the slowest of the books at hand takes three."""

    def load_bytes_parser(self) -> BytesParser:
        """Import a parser that takes bytes."""
        return cast("BytesParser", getattr(import_module(self.module), self.function))

    def load_path_parser(self) -> PathParser:
        """Import a parser that takes a path."""
        return cast("PathParser", getattr(import_module(self.module), self.function))


_MIB: Final = 1024 * 1024
_PACKAGE: Final = "toolsets.concept_rag.ingestion"

# A tree of markup takes some ten times its bytes, and Markdown some five seconds for a MiB; the parser of PDF reads from
# the disk, and archives hold images that are read one by one. Pages of a scanned PDF file take some seconds each.
PARSERS: Final[Mapping[Format, ParserEntry]] = {
    "docx": ParserEntry(f"{_PACKAGE}.docx", "parse_docx", "bytes", 128 * _MIB),
    "epub": ParserEntry(f"{_PACKAGE}.epub", "parse_epub", "bytes", 128 * _MIB),
    "html": ParserEntry(f"{_PACKAGE}.html", "parse_html", "bytes", 24 * _MIB),
    "markdown": ParserEntry(f"{_PACKAGE}.markdown", "parse_markdown", "bytes", 16 * _MIB),
    "pdf": ParserEntry(f"{_PACKAGE}.pdf.parser", "parse_pdf", "path", 512 * _MIB, base_seconds=180.0),
    "text": ParserEntry(f"{_PACKAGE}.plain_text", "parse_text", "bytes", 24 * _MIB),
}

REVISION: Final = 1
"""Of all parsers together: raised when one of them reads what it refused before, so that refused files are tried again."""

_NAMES: Final[Mapping[Format, str]] = {
    "docx": "a Word document",
    "epub": "an EPUB",
    "html": "a page of HTML",
    "markdown": "Markdown",
    "pdf": "a PDF file",
    "text": "plain text",
}
_MARKUP: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,400}-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE
)
_ZIP: Final = "a zip archive"
_COMPOUND: Final = "a compound file, such as of old versions of Office"
_SIGNATURES: Final = (
    (b"PK\x03\x04", _ZIP),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _COMPOUND),
    (b"{\\rtf", "a document in RTF"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x1f\x8b", "compressed data"),
    (b"7z\xbc\xaf", "compressed data"),
    (b"Rar!", "compressed data"),
    (b"\xfd7zXZ", "compressed data"),
    (b"BZh", "compressed data"),
    (b"\x7fELF", "a program"),
    (b"%!PS", "a PostScript file"),
)
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")


def format_of_name(name: str) -> Format:
    """Return what a file's ending promises. Raises `NotADocument` for an unknown one."""
    ending = Path(name).suffix.lower()
    found = ENDINGS.get(ending)
    if found is None:
        what = f"the ending {shown(ending, 40)}" if ending else "no ending"
        raise NotADocument("unknown_format", f"A file with {what} is of no format that is read here.")
    return found


def check_content(promised: Format, data: bytes) -> None:
    """Raise `Unreadable` where a file's bytes, or its first `HEAD` bytes, are not what its ending promises."""
    # A PDF file may begin with up to a kilobyte of anything.
    is_pdf = data.startswith(b"%PDF-") or (promised == "pdf" and b"%PDF-" in data[:1_024])
    content = "a PDF file" if is_pdf else next((name for mark, name in _SIGNATURES if data.startswith(mark)), "")
    if promised == "docx" and content == _COMPOUND and _ENCRYPTED_PACKAGE in data:
        raise Unreadable("encrypted", "The Word document is protected by a password.")
    expected = {"pdf": "a PDF file", "epub": _ZIP, "docx": _ZIP}.get(promised, "")
    if content == expected:
        return
    content = content or ("a page of HTML" if _MARKUP.match(data[:HEAD]) else "")
    raise Unreadable(
        "damaged", f"The file is not {_NAMES[promised]}, as its ending says{f', but {content}' if content else ''}."
    )
