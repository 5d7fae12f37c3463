"""Embedding for a document: batches, doubles, and work in threads that embeds."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from backends.ports.embedder import EmbedderIdentity
from backends.ports.vectors import text_hash
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.pipeline.document_vectors import DocumentVectors, embed_once
from toolsets.concept_rag.pipeline.scratch import VectorScratch, written_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Letters:
    """An embedder whose vector is the first letter; it keeps what it was given."""

    identity = EmbedderIdentity(model="letters", dim=2, revision="1")

    def __init__(self) -> None:
        self.given: list[Sequence[str]] = []
        self.threads: set[int] = set()

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        self.given.append(tuple(texts))
        self.threads.add(threading.get_ident())
        return numpy.array([[ord(text[0]), 1] for text in texts], dtype=numpy.float32)


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def embedding(letters: Letters) -> DocumentVectors:
    return DocumentVectors(letters, VectorScratch(None, "", ""), batch=2)


async def test_chunks_are_embedded_in_batches_and_equal_ones_once(embedding: DocumentVectors, letters: Letters) -> None:
    advances: list[tuple[int, int]] = []
    rows = await embedding.chunks(["a", "b", "a", "c"], lambda done, chunks: advances.append((done, chunks)))
    assert [row[0] for row in rows] == [ord(letter) for letter in "abac"]
    assert letters.given == [("a", "b"), ("c",)]
    assert advances == [(1, 4), (3, 4), (4, 4)]
    assert (await embedding.short(["c", "d"]))[:, 0].tolist() == [ord("c"), ord("d")]
    assert letters.given[2:] == [("d",)]


async def test_a_document_without_chunks_has_no_rows(embedding: DocumentVectors) -> None:
    advances: list[tuple[int, int]] = []
    rows = await embedding.chunks([], lambda done, chunks: advances.append((done, chunks)))
    assert rows.shape == (0, 2)
    assert advances == [(0, 0)]


async def test_work_in_a_thread_embeds_on_the_event_loop(embedding: DocumentVectors, letters: Letters) -> None:
    async def work(embed: Embed) -> tuple[int, float]:
        return threading.get_ident(), float((await embed(["x"]))[0][0])

    thread, value = await embedding.in_thread(work)
    assert value == ord("x")
    assert letters.threads == {threading.get_ident()}
    assert thread != threading.get_ident()


async def test_work_that_waits_for_anything_else_is_refused(embedding: DocumentVectors) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def work(embed: Embed) -> None:
        await never

    with pytest.raises(RuntimeError, match="something other"):
        await embedding.in_thread(work)


async def test_texts_of_an_earlier_run_are_not_embedded_again(tmp_path: Path, letters: Letters) -> None:
    scratch = VectorScratch(tmp_path, "categories", "letters")
    first = await embed_once(letters, scratch, ["a", "b"])
    assert (await embed_once(letters, scratch, ["b", "a"])).tolist() == first[::-1].tolist()
    assert letters.given == [("a", "b")]
    await embed_once(letters, scratch, ["a", "c"])
    await embed_once(letters, scratch, ["a", "c"])
    assert letters.given == [("a", "b"), ("a", "c")]


async def test_a_damaged_file_of_vectors_is_replaced(tmp_path: Path, letters: Letters) -> None:
    scratch = VectorScratch(tmp_path, "categories", "letters")
    await embed_once(letters, scratch, ["a", "b"])
    [file] = (tmp_path / "scratch").iterdir()
    whole = file.read_bytes()
    file.write_bytes(b"?" + whole[1:])
    assert (await embed_once(letters, scratch, ["a", "b"]))[:, 0].tolist() == [ord("a"), ord("b")]
    assert file.read_bytes() == whole


async def test_vectors_that_are_shipped_are_not_embedded(tmp_path: Path, letters: Letters) -> None:
    """Where the file lacks one, or is none, all are made."""
    scratch, shipped = VectorScratch(tmp_path, "categories", "letters"), tmp_path / "letters.vectors"
    assert (await embed_once(letters, scratch, ["b"], shipped=shipped))[:, 0].tolist() == [ord("b")]
    shipped.write_bytes(written_vectors([text_hash(text) for text in "ab"], await letters.embed(["a", "b"])))
    letters.given.clear()
    assert (await embed_once(letters, scratch, ["b", "a"], shipped=shipped))[:, 0].tolist() == [ord("b"), ord("a")]
    assert letters.given == []
    assert (await embed_once(letters, scratch, ["a", "c"], shipped=shipped))[:, 0].tolist() == [ord("a"), ord("c")]
