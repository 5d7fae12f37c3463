"""One stream may have several nodes, edges and passages in several collections; its anchors say how far it is projected."""

import random
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import BaseModel

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision
from backends.stores import OpenStores
from toolsets.clock import system_now
from toolsets.reports import no_progress
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories, History
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind
from toolsets.sourcing.sourced import SourcedStores
from toolsets.spec import CallContext, Services

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

BOOKS = "library/book/"
BOOK, BOOK_2 = StreamName(f"{BOOKS}b1"), StreamName(f"{BOOKS}b2")
SUMMARIES, CHUNKS = "summaries", "chunks"


class NoSettings(BaseModel):
    """Nothing to set."""


def _book(stream: StreamName, history: History) -> Projection:
    """Project a book: a node with a chapter for each word of its text, an edge to each, a summary, and chunks."""
    book, rev = stream.removeprefix(BOOKS), Revision(len(history))
    texts = [str(event.data["text"]).split() for event in history]
    words, longest = texts[-1], max(map(len, texts))
    ids = [f"{book}-{number}" for number in range(longest)]
    live, gone = ids[: len(words)], ids[len(words) :]
    if not words:
        return Projection(
            stream,
            rev,
            deleted_nodes=(NodeId(book), *map(NodeId, gone)),
            deleted_edges=tuple(map(EdgeId, gone)),
            deleted_passages=((SUMMARIES, RecordId(book)), *((CHUNKS, RecordId(id_)) for id_ in gone)),
        )
    return Projection(
        stream,
        rev,
        nodes=(
            Node(NodeId(book), "book", {}, rev),
            *(Node(NodeId(id_), "chapter", {"title": word}, rev) for id_, word in zip(live, words, strict=True)),
        ),
        edges=tuple(Edge(EdgeId(id_), NodeId(book), NodeId(id_), "has", rev, 1.0) for id_ in live),
        passages=(
            *(Passage(CHUNKS, RecordId(id_), word) for id_, word in zip(live, words, strict=True)),
            Passage(SUMMARIES, RecordId(book), " ".join(words)),
        ),
        deleted_nodes=tuple(map(NodeId, gone)),
        deleted_edges=tuple(map(EdgeId, gone)),
        deleted_passages=tuple((CHUNKS, RecordId(id_)) for id_ in gone),
    )


PROJECTOR = Projector(
    prefix="library/",
    namespace="library",
    kinds=(KindSpec("book", ()), KindSpec("chapter", (FieldSpec("title", "str"),))),
    collections=(Collection(SUMMARIES), Collection(CHUNKS)),
    streams=(StreamKind(BOOKS, _book, graph="node", collection=SUMMARIES),),
)


@pytest.fixture
async def sourced(tmp_path: Path) -> AsyncGenerator[SourcedStores]:
    stores = OpenStores({"db": {"kind": "sqlite"}, "model": {"kind": "minilm"}}, tmp_path)
    view = stores.stores(graph="db", vectors="db", events="db", embedder="model")
    try:
        yield SourcedStores(Services(view, system_now, random.Random(), NoSettings()), PROJECTOR)
    finally:
        await stores.close()


async def write(sourced: SourcedStores, text: str, book: StreamName = BOOK) -> None:
    def decide(histories: Histories) -> Decision[None]:
        assert len(histories[book]) >= 0
        return Decision(None, (Change(book, (Fact("library.written", {"text": text}),)),))

    assert (await sourced.writes.write(decide, CallContext("test"), streams=(book,))).indexed


async def held(sourced: SourcedStores) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return titles of chapters, ids of edges, texts of summaries and of chunks, each sorted."""
    graph = (await sourced.live_stores.graph()).graph
    vectors = (await sourced.live_stores.vectors()).vectors
    return (
        sorted(str(node.fields["title"]) for node in (await graph.find("chapter")).items),
        sorted(edge.id for edge in (await graph.scan_edges()).items),
        sorted(record.text for record in (await vectors.scan(SUMMARIES)).items),
        sorted(record.text for record in (await vectors.scan(CHUNKS)).items),
    )


async def test_a_stream_projects_to_several_records_and_drops_those_it_no_longer_has(sourced: SourcedStores) -> None:
    await write(sourced, "alpha beta gamma")
    assert await held(sourced) == (
        ["alpha", "beta", "gamma"],
        ["b1-0", "b1-1", "b1-2"],
        ["alpha beta gamma"],
        ["alpha", "beta", "gamma"],
    )
    await write(sourced, "delta")
    assert await held(sourced) == (["delta"], ["b1-0"], ["delta"], ["delta"])
    await write(sourced, "")
    assert await held(sourced) == ([], [], [], [])


async def test_a_rebuild_makes_the_same_records_in_every_collection(sourced: SourcedStores) -> None:
    for text in ("one two three", "four five"):
        await write(sourced, text)
    before = await held(sourced)
    report = await sourced.rebuilder.rebuild(no_progress)
    assert (report.digest, report.nodes, report.edges, report.vectors) == (report.former_digest, 3, 2, 3)
    assert report.embedded == 0
    assert await held(sourced) == before


async def test_passages_that_were_not_written_with_their_anchor_are_made_again(sourced: SourcedStores) -> None:
    """A write that ends before the anchor leaves the stream behind, so the relay repeats it whole."""
    await write(sourced, "one two")
    store = await sourced.live_stores.vectors()
    await store.vectors.delete(CHUNKS, {RecordId("b1-0"): Revision(1)})
    await store.vectors.drop(SUMMARIES)
    sourced.live_stores.invalidate("vectors")
    assert await (await sourced.live_stores.vectors_of_any_version()).revisions([BOOK]) == {BOOK: 0}
    report = await sourced.rebuilder.rebuild(no_progress)
    assert report.digest != report.former_digest
    assert (await held(sourced))[3] == ["one", "two"]


async def test_digests_of_several_collections_differ(sourced: SourcedStores) -> None:
    await write(sourced, "same")
    report = await sourced.rebuilder.rebuild(no_progress)
    assert report.vectors == 2
    assert report.digest == report.former_digest


async def test_vectors_of_earlier_versions_are_read_for_changed_records_only(
    sourced: SourcedStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new stream has no earlier version, so writing it reads no vectors."""
    await write(sourced, "alpha beta")
    store = await sourced.live_stores.vectors()
    stored, asked = store.stored, list[str]()

    async def counted(collection: str, ids: Sequence[RecordId]) -> "dict[str, Vector]":
        asked.append(collection)
        return await stored(collection, ids)

    monkeypatch.setattr(store, "stored", counted)
    await write(sourced, "alpha gamma", BOOK_2)
    assert asked == []
    await write(sourced, "alpha gamma delta")
    assert sorted(asked) == [CHUNKS, SUMMARIES]
