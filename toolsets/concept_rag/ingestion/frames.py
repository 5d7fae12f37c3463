"""Messages between the server and the parser process: lengths, JSON and images, never pickled objects."""

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
"""Sent by a worker when it is ready for requests."""
LENGTH: Final = struct.Struct(">I")
"""The length before the JSON. Images follow the JSON, which has their lengths."""
MAX_REPLY_BYTES: Final = 96 * 1024 * 1024
"""The most bytes of a document's JSON: 16 million characters, most of one byte, and the overhead of each block."""
MAX_PICTURES_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of all images of a document."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_MAX_REASON: Final = 500
"""A reason may quote a library's message, which has parts of the file."""
_TOO_MUCH: Final = "The document holds more text than is taken in."


class BrokenReply(Exception):
    """A reply is not in the format that a worker sends."""


@dataclass(frozen=True, slots=True)
class Request:
    """One file for one parser."""

    path: str
    """The path's bytes as Latin-1, because names may have any bytes."""
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
    """Return a path in the form of `Request.path`."""
    return os.fsencode(path).decode("latin-1")


@dataclass(frozen=True, slots=True)
class _SentPicture:
    """A picture whose image follows the JSON."""

    page: int
    visual_type: VisualType
    caption: str
    nearby_text: str
    width: int
    height: int
    context: str
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
    """A document without its images, or the reason why there is none."""

    document: ParsedDocument | None = None
    pictures: tuple[_SentPicture, ...] = ()
    failure: _Failure | None = None
    skip: _Skip | None = None
    retires: bool = False
    """Whether the worker exits after this reply."""

    @property
    def sizes(self) -> Sequence[int]:
        """The lengths of the images that follow. Raises `BrokenReply` if they exceed the limit."""
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
            Picture(
                image,
                sent.page,
                sent.visual_type,
                sent.caption,
                sent.nearby_text,
                sent.width,
                sent.height,
                sent.context,
            )
            for sent, image in zip(self.pictures, images, strict=True)
        )
        return replace(self.document, pictures=pictures)


def encode_request(request: Request) -> bytes:
    """Return a request, prefixed with its length."""
    return _framed(orjson.dumps(request))


def decode_request(frame: bytes) -> Request:
    """Return the request sent by the parent process."""
    return Request(**orjson.loads(frame))


def encode_document(document: ParsedDocument, *, retires: bool) -> Iterator[bytes]:
    """Yield the parts of a reply. Pictures beyond `MAX_PICTURES_BYTES` are left out, with a note.

    Raises `Unreadable` if the text exceeds `MAX_REPLY_BYTES` or has lone surrogates, which `Blocks` removes.
    """
    # Checked first, because serialising far too much data would exceed the process's memory limit.
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
            picture.context,
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
    """Return the reply with the reason why there is no document."""
    reason = error.reason.encode("utf-8", "replace").decode()[:_MAX_REASON]
    if isinstance(error, Unreadable):
        return _framed(orjson.dumps(ParseResult(failure=_Failure(error.kind, reason), retires=retires)))
    return _framed(orjson.dumps(ParseResult(skip=_Skip(error.kind, reason), retires=retires)))


def decode_reply(frame: bytes) -> ParseResult:
    """Return a validated reply. Raises `BrokenReply`."""
    try:
        return _replies().validate_json(frame, strict=True)
    except ValueError as error:
        raise BrokenReply(str(error)[:_MAX_REASON]) from error


@cache
def _replies() -> "TypeAdapter[ParseResult]":
    # Only the parent process needs it; a worker starts faster without it.
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
