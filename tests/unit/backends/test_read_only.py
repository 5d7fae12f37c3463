"""A read-only engine changes nothing: what does not exist is empty and is not created."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy
import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import Conflict, InvalidInput, NotFound, Unsupported
from backends.ports.events import BatchId
from backends.ports.graph import Graph, GraphBatch, Group, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from backends.registry import load_adapter
from backends.stores import open_engine
from tests.support.folders import contents

SPACE = namespace("here")
NODE = Node(NodeId("n"), "thing", {"name": "kept"}, Revision(1))
RECORD = VectorRecord(RecordId("r"), numpy.array([1, 0], dtype=numpy.float32), "kept", Revision(1), {})
THING, OTHER = KindSpec("thing", (FieldSpec("name", "str"),)), KindSpec("other", (FieldSpec("name", "str"),))
THINGS, OTHERS = CollectionSpec("things", 2, "model@1/2"), CollectionSpec("others", 2, "model@1/2")


@asynccontextmanager
async def engine(directory: Path, scratch: Path | None = None) -> AsyncGenerator[Engine]:
    opened = await open_engine(load_adapter("sqlite"), {}, directory, scratch=scratch)
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def read_only(tmp_path: Path) -> AsyncGenerator[Engine]:
    """Return an engine with a node, a record, a note and a checkpoint; nothing of it changes until the end."""
    data, scratch = tmp_path / "data", tmp_path / "scratch"
    data.mkdir()
    scratch.mkdir()
    async with engine(data) as opened:
        graph, vectors, log = await opened.graph(SPACE), await opened.vectors(SPACE), await opened.events()
        await graph.ensure((THING,))
        await graph.apply(GraphBatch(nodes=(NODE,)))
        await graph.set_meta("note", "kept")
        await vectors.ensure(THINGS)
        await vectors.upsert("things", (RECORD,))
        await log.save_checkpoint("saved", "kept", expected=0)
    before = contents(data)
    async with engine(data, scratch) as reader:
        yield reader
    assert contents(data) == before


async def test_what_is_there_is_read(tmp_path: Path) -> None:
    async with read_only(tmp_path) as opened:
        graph, vectors, log = await opened.graph(SPACE), await opened.vectors(SPACE), await opened.events()
        await graph.ensure((THING,))
        assert (await graph.find("thing")).items == (NODE,)
        assert await graph.node_revisions((NODE.id,)) == {NODE.id: 1}
        assert await graph.get_meta("note") == "kept"
        await vectors.ensure(THINGS)
        assert await vectors.count("things") == 1
        assert await vectors.revisions("things", (RECORD.id,)) == {RECORD.id: 1}
        saved = await log.load_checkpoint("saved")
        assert saved is not None
        assert saved.value == "kept"


async def test_what_never_was_is_empty_and_is_not_made(tmp_path: Path) -> None:
    async with read_only(tmp_path) as opened:
        graph, vectors = await opened.graph(SPACE), await opened.vectors(SPACE)
        await graph.ensure((THING, OTHER))
        assert (await graph.find("other")).items == ()
        assert await graph.count_nodes("other") == (Group((), 0),)
        assert await graph.count_nodes("other", by=("name",)) == ()
        await vectors.ensure(OTHERS)
        assert (await vectors.count("others"), (await vectors.scan("others")).items) == (0, ())
        assert await vectors.revisions("others", (RECORD.id,)) == {}
        assert await vectors.get("others", (RECORD.id,)) == {}
        assert await vectors.dense("others", RECORD.vector, 1) == ()
        assert await vectors.keyword("others", "kept", 1) == ()
        with pytest.raises(InvalidInput):
            await graph.find("unheard_of")
        with pytest.raises(NotFound):
            await vectors.count("unheard_of")
        with pytest.raises(NotFound):
            await vectors.dense("unheard_of", RECORD.vector, 1)


async def test_a_namespace_that_never_was_is_empty(tmp_path: Path) -> None:
    async with read_only(tmp_path) as opened:
        graph: Graph = await opened.graph(namespace("nowhere"))
        await graph.ensure((THING,))
        assert await graph.get_nodes((NODE.id,)) == {}
        assert await graph.node_revisions((NODE.id,)) == {}
        assert await graph.get_edges((EdgeId("e"),)) == {}
        assert await graph.edge_revisions((EdgeId("e"),)) == {}


async def test_notes_and_checkpoints_are_kept_for_as_long_as_is_looked(tmp_path: Path) -> None:
    async with read_only(tmp_path) as opened:
        for store in (await opened.graph(SPACE), await opened.vectors(SPACE)):
            assert await store.set_meta("mine", "first", if_absent=True) == "first"
            assert await store.set_meta("mine", "second", if_absent=True) == "first"
            assert await store.set_meta("mine", "third") == "third"
        assert await (await opened.graph(SPACE)).get_meta("mine") == "third"
        assert await (await opened.graph(SPACE)).set_meta("note", "lost", if_absent=True) == "kept"
        log = await opened.events()
        assert (await log.save_checkpoint("saved", "mine", expected=1)).revision == 2
        with pytest.raises(Conflict):
            await log.save_checkpoint("saved", "mine", expected=1)
        assert await log.acquire_lease("name", "owner", ttl_s=1) is None


async def test_writing_is_refused(tmp_path: Path) -> None:
    async with read_only(tmp_path) as opened:
        graph, vectors, log = await opened.graph(SPACE), await opened.vectors(SPACE), await opened.events()
        for write in (
            graph.apply(GraphBatch(nodes=(NODE,))),
            graph.drop(),
            vectors.upsert("things", (RECORD,)),
            vectors.delete("things", {RECORD.id: Revision(2)}),
            vectors.drop("things"),
            vectors.maintain("things"),
            log.append((), batch=BatchId("b")),
            log.purge("here/"),
        ):
            with pytest.raises(Unsupported, match="open read-only"):
                await write
