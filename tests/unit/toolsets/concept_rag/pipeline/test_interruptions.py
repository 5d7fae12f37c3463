"""Interrupted runs: the next one continues them."""

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from backends.ports.errors import Unavailable
from backends.ports.events import StreamName
from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, records, statuses
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import DOCUMENTS
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.projection_store import KnownVectors
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext

ValueT = TypeVar("ValueT")


def interrupt(
    rag: ConceptRag, monkeypatch: pytest.MonkeyPatch, *, at: int, when: str, scope: anyio.CancelScope
) -> None:
    """Cancel the run before or after its write number `at`."""
    write = rag.sourced.writes.write
    count = 0

    async def counting(
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known_vectors: KnownVectors | None = None,
    ) -> Written[ValueT]:
        nonlocal count
        count += 1
        if count == at and when == "before":
            scope.cancel()
        await anyio.lowlevel.checkpoint()
        written = await write(decide, context, streams=streams, known_vectors=known_vectors)
        if count == at:
            scope.cancel()
            await anyio.lowlevel.checkpoint()
        return written

    monkeypatch.setattr(rag.sourced.writes, "write", counting)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_run_that_was_interrupted_at_any_write_is_continued_by_the_next_one(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ended = 0
    for at in range(1, 20):
        path = folder / f"{at}.md"
        path.write_bytes(markdown(f"{RELAY} {at} " * 60))
        with anyio.CancelScope() as scope, monkeypatch.context() as patched:
            interrupt(rag, patched, at=at, when=when, scope=scope)
            await ingest(rag, pool, path)
        if not scope.cancelled_caught:
            break
        ended += 1
        await ingest(rag, pool, path)
    assert ended >= 5
    await rag.sourced.relay.catch_up()
    log = await rag.live_stores.log()
    documents = await nodes(rag, "document")
    assert len(documents) == ended + 1
    assert await log.count(DOCUMENTS) == ended + 1
    by_token = {str(node.fields["token"]): node.fields["chunks"] for node in documents}
    chunks = [str(record.fields["token"]) for record in await records(rag, "chunks")]
    assert {token: chunks.count(token) for token in set(chunks)} == by_token
    assert await nodes(rag, "version") == ()


async def test_an_interrupted_document_is_not_embedded_twice(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [
        f"Relay number {number} switches the load of circuit {number} on and off again." for number in range(180)
    ]
    (folder / "long.md").write_bytes(markdown(" ".join(sentences)))
    given: list[str] = []
    embed = model.embed

    async def failing(texts: list[str]) -> object:
        if len(given) >= 8:
            raise Unavailable("the model is gone")
        given.extend(text for text in texts if text.startswith("Relay number"))
        return await embed(texts)

    with monkeypatch.context() as patched:
        patched.setattr(model, "embed", failing)
        with pytest.raises(Unavailable):
            await ingest(rag, pool, folder, batch=8)
    again: list[str] = []

    async def counting(texts: list[str]) -> object:
        again.extend(texts)
        return await embed(texts)

    with monkeypatch.context() as patched:
        patched.setattr(model, "embed", counting)
        _, summary = await ingest(rag, pool, folder, batch=8)
    assert statuses(summary) == {"added": 1}
    assert len(given) >= 8
    assert len([text for text in again if text.startswith("Relay number")]) >= 8
    assert not set(given) & set(again)
    assert list((rag.directory or folder).glob("scratch/*")) == []
