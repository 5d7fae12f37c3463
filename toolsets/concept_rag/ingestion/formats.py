"""Formats: the format of a file's ending, the check of its first bytes, and its parser."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, cast

from toolsets.concept_rag.ingestion.document import Format, NotADocument, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.normal_text import quotable

BytesParser: TypeAlias = Callable[[Path, bytes], ParsedDocument]
"""Parses the bytes; the path is only used to find images in its folder."""


class PathParser(Protocol):
    """Parses the file at a path, with character recognition for at most `ocr_total_s` seconds."""

    def __call__(self, path: Path, *, ocr_total_s: float) -> ParsedDocument: ...  # noqa: D102


HEAD: Final = 4_096
"""The number of leading bytes by which content is recognised."""

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
    """A parser by name, so that only the parser process imports it."""

    module: str
    function: str
    takes: Literal["bytes", "path"]
    max_bytes: int
    """The largest file; larger files are refused before they are read."""
    base_seconds: float = 30.0
    """The time limit regardless of size; the slowest book tested takes three seconds."""

    def load_bytes_parser(self) -> BytesParser:
        """Import a parser that takes bytes."""
        return cast("BytesParser", getattr(import_module(self.module), self.function))

    def load_path_parser(self) -> PathParser:
        """Import a parser that takes a path."""
        return cast("PathParser", getattr(import_module(self.module), self.function))


_MIB: Final = 1024 * 1024
_PACKAGE: Final = "toolsets.concept_rag.ingestion"

# A markup tree takes about ten times its bytes, and Markdown about five seconds per MiB. The PDF parser reads from disk,
# and images in archives are read one by one. A page of a scanned PDF file takes some seconds.
PARSERS: Final[Mapping[Format, ParserEntry]] = {
    "docx": ParserEntry(f"{_PACKAGE}.docx", "parse_docx", "bytes", 128 * _MIB),
    "epub": ParserEntry(f"{_PACKAGE}.epub", "parse_epub", "bytes", 128 * _MIB),
    "html": ParserEntry(f"{_PACKAGE}.html", "parse_html", "bytes", 24 * _MIB),
    "markdown": ParserEntry(f"{_PACKAGE}.markdown", "parse_markdown", "bytes", 16 * _MIB),
    "pdf": ParserEntry(f"{_PACKAGE}.pdf.parser", "parse_pdf", "path", 512 * _MIB, base_seconds=180.0),
    "text": ParserEntry(f"{_PACKAGE}.plain_text", "parse_text", "bytes", 24 * _MIB),
}

REVISION: Final = 2
"""The revision of all parsers: raised when a parser accepts files that it refused before, so that they are retried."""

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
    """Return the format of a file's ending. Raises `NotADocument` if the ending is unknown."""
    ending = Path(name).suffix.lower()
    found = ENDINGS.get(ending)
    if found is None:
        what = f"the ending {quotable(ending, 40)}" if ending else "no ending"
        raise NotADocument("unknown_format", f"Files with {what} are not supported.")
    return found


def check_content(promised: Format, data: bytes) -> None:
    """Raise `Unreadable` if a file's bytes, or its first `HEAD` bytes, are not of the promised format."""
    # A PDF file may begin with up to a kilobyte of other data.
    is_pdf = data.startswith(b"%PDF-") or (promised == "pdf" and b"%PDF-" in data[:1_024])
    content = "a PDF file" if is_pdf else next((name for mark, name in _SIGNATURES if data.startswith(mark)), "")
    if promised == "docx" and content == _COMPOUND and _ENCRYPTED_PACKAGE in data:
        raise Unreadable("encrypted", "The Word document is protected by a password.")
    expected = {"pdf": "a PDF file", "epub": _ZIP, "docx": _ZIP}.get(promised, "")
    if content == expected:
        return
    content = content or ("a page of HTML" if _MARKUP.match(data[:HEAD]) else "")
    raise Unreadable("damaged", f"The ending stands for {_NAMES[promised]}, but the file is {content or 'not one'}.")
