"""What passes between the process that asks and the process that parses: lengths, JSON and images; never pickled objects."""

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import orjson

from toolsets.concept_rag.ingestion.blocks import MAX_CHARACTERS
from toolsets.concept_rag.ingestion.document import (
    FailureKind,
    Format,
    NotADocument,
    ParsedDocument,
    Picture,
    SkipKind,
    Unreadable,
    VisualType,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

READY: Final = b"\x06"
"""What a worker sends once it takes requests."""
LENGTH: Final = struct.Struct(">I")
"""What goes before JSON; images follow it one after the other, their lengths stand in it."""
MAX_REPLY_BYTES: Final = 96 * 1024 * 1024
"""Of the JSON of a document: its 16 million characters, most of one byte, and what surrounds each block."""
MAX_PICTURES_BYTES: Final = 64 * 1024 * 1024
"""Of all images of a document."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_MAX_REASON: Final = 500
_TOO_MUCH: Final = "The document holds more text than is taken in."


class BrokenReply(Exception):
    """A reply is not what a worker sends."""


@dataclass(frozen=True, slots=True)
class Request:
    """One file for one parser."""

    path: str
    """Its bytes as Latin-1, since names may hold any."""
    format: Format
    module: str
    function: str
    takes: Literal["bytes", "path"]
    max_bytes: int
    seconds: float

    def file(self) -> Path:
        """The path."""
        return Path(os.fsdecode(self.path.encode("latin-1")))


def path_field(path: Path) -> str:
    """Return a path as `Request.path` holds it."""
    return os.fsencode(path).decode("latin-1")


@dataclass(frozen=True, slots=True)
class _SentPicture:
    """A picture whose image follows."""

    page: int
    visual_type: VisualType
    caption: str
    nearby_text: str
    width: int
    height: int
    size: int


@dataclass(frozen=True, slots=True)
class _Failure:
    kind: FailureKind
    reason: str


@dataclass(frozen=True, slots=True)
class _Skip:
    kind: SkipKind
    reason: str


@dataclass(frozen=True, slots=True)
class ParseResult:
    """A document without its pictures, or why there is none."""

    document: ParsedDocument | None = None
    pictures: tuple[_SentPicture, ...] = ()
    failure: _Failure | None = None
    skip: _Skip | None = None
    retires: bool = False
    """Whether the worker ends after this reply."""

    @property
    def sizes(self) -> Sequence[int]:
        """The lengths of the images that follow. Raises `BrokenReply` where they are too much."""
        sizes = [picture.size for picture in self.pictures]
        if any(size <= 0 for size in sizes) or sum(sizes) > MAX_PICTURES_BYTES:
            raise BrokenReply("the images have an impossible size")
        return sizes

    def outcome(self, images: Sequence[bytes]) -> ParsedDocument:
        """Return the document with its images. Raises `Unreadable`, `NotADocument` and `BrokenReply`."""
        if self.failure is not None:
            raise Unreadable(self.failure.kind, self.failure.reason[:_MAX_REASON])
        if self.skip is not None:
            raise NotADocument(self.skip.kind, self.skip.reason[:_MAX_REASON])
        if self.document is None or not all(image.startswith(_PNG) for image in images):
            raise BrokenReply("there is no document, or an image is no PNG")
        pictures = tuple(
            Picture(image, sent.page, sent.visual_type, sent.caption, sent.nearby_text, sent.width, sent.height)
            for sent, image in zip(self.pictures, images, strict=True)
        )
        return replace(self.document, pictures=pictures)


def encode_request(request: Request) -> bytes:
    """Return a request with its length."""
    return _framed(orjson.dumps(request))


def decode_request(frame: bytes) -> Request:
    """Return the request that the process above sent."""
    return Request(**orjson.loads(frame))


def encode_document(document: ParsedDocument, *, retires: bool) -> Iterator[bytes]:
    """Yield the parts of a reply. Pictures beyond `MAX_PICTURES_BYTES` are left out, with a note.

    Raises `Unreadable` for a text beyond `MAX_REPLY_BYTES`, and for one with lone surrogates, which `Blocks` takes out.
    """
    # Checked first: serialising what is far too much ends the process.
    if sum(len(block.text) for block in document.blocks) > MAX_CHARACTERS:
        raise Unreadable("too_large", _TOO_MUCH)
    kept = _affordable(document.pictures)
    if len(kept) < len(document.pictures):
        missing = len(document.pictures) - len(kept)
        note = f"{missing} pictures are left out: a document keeps {MAX_PICTURES_BYTES // 1024 // 1024} MiB of them."
        document = replace(document, notes=(*document.notes, note))
    sent = tuple(
        _SentPicture(
            picture.page,
            picture.visual_type,
            picture.caption,
            picture.nearby_text,
            picture.width,
            picture.height,
            len(picture.png),
        )
        for picture in kept
    )
    try:
        body = orjson.dumps(ParseResult(replace(document, pictures=()), sent, retires=retires))
    except orjson.JSONEncodeError as error:
        raise Unreadable("damaged", "The document's text holds characters that are none.") from error
    if len(body) > MAX_REPLY_BYTES:
        raise Unreadable("too_large", _TOO_MUCH)
    yield _framed(body)
    for picture in kept:
        yield picture.png


def encode_error(error: Unreadable | NotADocument, *, retires: bool) -> bytes:
    """Return the reply that says why there is no document."""
    reason = error.reason.encode("utf-8", "replace").decode()[:_MAX_REASON]
    if isinstance(error, Unreadable):
        return _framed(orjson.dumps(ParseResult(failure=_Failure(error.kind, reason), retires=retires)))
    return _framed(orjson.dumps(ParseResult(skip=_Skip(error.kind, reason), retires=retires)))


def decode_reply(frame: bytes) -> ParseResult:
    """Return a reply, every field checked. Raises `BrokenReply`."""
    try:
        return _replies().validate_json(frame, strict=True)
    except ValueError as error:
        raise BrokenReply(str(error)[:_MAX_REASON]) from error


@cache
def _replies() -> "TypeAdapter[ParseResult]":
    # Only the process that asks needs it; a worker starts faster without.
    from pydantic import TypeAdapter

    return TypeAdapter(ParseResult)


def _affordable(pictures: Sequence[Picture]) -> list[Picture]:
    kept: list[Picture] = []
    remaining = MAX_PICTURES_BYTES
    for picture in pictures:
        if len(picture.png) <= remaining:
            kept.append(picture)
            remaining -= len(picture.png)
    return kept


def _framed(body: bytes) -> bytes:
    return LENGTH.pack(len(body)) + body
