"""The parser process, spoken to in its frames: one reply for each request, until there are no more."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable
from toolsets.concept_rag.ingestion.formats import PARSERS
from toolsets.concept_rag.ingestion.frames import (
    LENGTH,
    READY,
    ParseResult,
    Request,
    decode_reply,
    encode_request,
    path_field,
)

MEMORY = 512 << 20


@pytest.fixture
def worker() -> Generator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "toolsets.concept_rag.ingestion.worker", str(os.getpid()), str(MEMORY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        yield running
        running.kill()


def request(path: Path, *, max_bytes: int = 1_000) -> Request:
    entry = PARSERS["text"]
    return Request(path_field(path), "text", entry.module, entry.function, entry.takes, max_bytes, 20.0)


def asked(worker: "subprocess.Popen[bytes]", asking: Request) -> ParseResult:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(encode_request(asking))
    worker.stdin.flush()
    (length,) = LENGTH.unpack(worker.stdout.read(LENGTH.size))
    return decode_reply(worker.stdout.read(length))


def test_each_request_has_one_reply_and_the_process_ends_with_its_requests(
    worker: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.read(1) == READY
    for text in (b"A relay switches.", b"A coil is long."):
        (tmp_path / "a.txt").write_bytes(text)
        document = asked(worker, request(tmp_path / "a.txt")).outcome([])
        assert [block.text.encode() for block in document.blocks] == [text]
        assert document.sha256 == hashlib.sha256(text).hexdigest()
    worker.stdin.close()
    assert worker.stdout.read() == b""
    assert worker.wait(10) == 0


def test_a_file_that_is_not_read_has_its_reason_and_the_next_one_is_read(
    worker: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    assert worker.stdout is not None
    assert worker.stdout.read(1) == READY
    path = tmp_path / "a.txt"
    path.touch()
    with pytest.raises(NotADocument) as skip:
        asked(worker, request(path)).outcome([])
    assert skip.value.kind == "empty"
    path.write_text("A relay switches.")
    with pytest.raises(Unreadable) as failure:
        asked(worker, request(path, max_bytes=5)).outcome([])
    assert (failure.value.kind, failure.value.reason) == (
        "too_large",
        "The file has 17 bytes; 5 are read of its format.",
    )
    assert asked(worker, request(path)).outcome([]).pages == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such signal")
def test_a_process_that_another_one_has_started_than_it_is_told_ends_at_once() -> None:
    command = [sys.executable, "-m", "toolsets.concept_rag.ingestion.worker", "1", str(MEMORY)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"")
