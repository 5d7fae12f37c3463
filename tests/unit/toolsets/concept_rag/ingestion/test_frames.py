"""Requests and replies between the server and the parser process."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import png
from tests.support.parsed_documents import block, document
from toolsets.concept_rag.ingestion import frames
from toolsets.concept_rag.ingestion.document import NotADocument, ParsedDocument, Picture, Unreadable
from toolsets.concept_rag.ingestion.frames import (
    LENGTH,
    BrokenReply,
    ParseResult,
    Request,
    decode_reply,
    decode_request,
    encode_document,
    encode_error,
    encode_request,
    path_field,
)


def unframed(frame: bytes) -> bytes:
    """The body of a frame that states its length."""
    assert LENGTH.unpack(frame[: LENGTH.size])[0] == len(frame) - LENGTH.size
    return frame[LENGTH.size :]


def sent(parsed: ParsedDocument, *, retires: bool = False) -> tuple[ParseResult, list[bytes]]:
    body, *images = encode_document(parsed, retires=retires)
    return decode_reply(unframed(body)), images


def illustrated(count: int) -> ParsedDocument:
    pictures = tuple(Picture(png(seed=n), n, "figure", "caption", "nearby", 80, 60, "context") for n in range(count))
    return replace(document(block("A coil.")), pictures=pictures)


def test_a_request_arrives_as_it_was_sent_whatever_the_name_of_its_file() -> None:
    path = Path(os.fsdecode(b"/a/b\xff\n.pdf"))
    request = Request(path_field(path), "pdf", "module", "function", "path", 1_000, 2.5)
    received = decode_request(unframed(encode_request(request)))
    assert received == request
    assert received.file() == path


@pytest.mark.parametrize("retires", [True, False])
def test_a_document_arrives_with_its_pictures(*, retires: bool) -> None:
    parsed = illustrated(2)
    result, images = sent(parsed, retires=retires)
    assert result.retires is retires
    assert list(result.sizes) == [len(image) for image in images]
    assert result.outcome(images) == parsed


def test_pictures_beyond_the_limit_are_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = illustrated(2)
    monkeypatch.setattr(frames, "MAX_PICTURES_BYTES", len(parsed.pictures[0].png))
    result, images = sent(parsed)
    received = result.outcome(images)
    assert received.pictures == parsed.pictures[:1]
    assert received.notes == (*parsed.notes, "1 pictures are left out: a document keeps 0 MiB of them.")


def test_a_reason_arrives_instead_of_a_document() -> None:
    failed = decode_reply(unframed(encode_error(Unreadable("encrypted", "It has a lock."), retires=True)))
    assert failed.retires
    with pytest.raises(Unreadable, match="It has a lock") as failure:
        failed.outcome([])
    assert failure.value.kind == "encrypted"
    skipped = decode_reply(unframed(encode_error(NotADocument("empty", "x" * 10_000 + "\ud800"), retires=False)))
    with pytest.raises(NotADocument) as skip:
        skipped.outcome([])
    assert (skip.value.kind, len(skip.value.reason)) == ("empty", 500)


@pytest.mark.parametrize("text", ["x" * 11, "\ud800"])
def test_text_that_is_too_long_or_no_text_is_not_sent(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_CHARACTERS", 10)
    with pytest.raises(Unreadable) as failure:
        list(encode_document(document(block(text)), retires=False))
    assert failure.value.kind == ("too_large" if len(text) > 10 else "damaged")


def test_a_reply_that_is_too_long_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_REPLY_BYTES", 100)
    with pytest.raises(Unreadable) as failure:
        list(encode_document(document(block("A coil.")), retires=False))
    assert failure.value.kind == "too_large"


@pytest.mark.parametrize("frame", [b"", b"[]", b"{", b'{"document": 1}', b'{"failure": {"kind": "odd", "reason": ""}}'])
def test_what_no_worker_sends_is_a_broken_reply(frame: bytes) -> None:
    with pytest.raises(BrokenReply):
        decode_reply(frame)


def test_images_that_are_too_large_or_no_png_are_a_broken_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    result, images = sent(illustrated(1))
    with pytest.raises(BrokenReply):
        result.outcome([b"GIF89a"])
    with pytest.raises(BrokenReply):
        ParseResult().outcome(images)
    monkeypatch.setattr(frames, "MAX_PICTURES_BYTES", 1)
    with pytest.raises(BrokenReply):
        _ = result.sizes
