"""What several calls write at once goes to the stores together; each call is told about its own part."""

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from backends.opening import StoreHouse
from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, Revision
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Change, Decide, Decision, Fact, Histories, History
from toolsets.sourcing.projection import Keys, Projection
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.writing import Written
from toolsets.spec import CallContext, Services

NODES, EDGES = "test/node/", "test/edge/"
CONTEXT = CallContext("test")


class NoSettings(BaseModel):
    """Nothing to set."""


class CountingProjector:
    """A node that says how many events its stream has; an edge from a node of that name to one that never is."""

    prefix = "test/"
    space = "test"
    kinds = (KindSpec("thing", (FieldSpec("events", "int"),)),)
    collection = None
    fields = ()
    prefixes: Mapping[str, Keys] = {NODES: Keys(graph=NodeId("*")), EDGES: Keys(graph=EdgeId("*"), is_edge=True)}

    def keys(self, stream: StreamName) -> Keys:
        name = stream.rpartition("/")[2]
        return Keys(graph=NodeId(name)) if stream.startswith(NODES) else Keys(graph=EdgeId(name), is_edge=True)

    def project(self, stream: StreamName, history: History) -> Projection:
        name, rev = stream.rpartition("/")[2], Revision(len(history))
        if name == "unforeseen":
            raise ZeroDivisionError
        if stream.startswith(NODES):
            return Projection(stream, rev, Node(NodeId(name), "thing", {"events": len(history)}, rev))
        return Projection(stream, rev, Edge(EdgeId(name), NodeId(name), NodeId("nowhere"), "to", rev, 1.0))


class Desk:
    """A write path over a real log and graph."""

    def __init__(self, sourced: Sourced) -> None:
        self.sourced = sourced

    async def write(self, stream: str) -> Written[int]:
        name = StreamName(stream)
        return await self.sourced.writes.write(_one_more(name), CONTEXT, streams=(name,))

    async def events_of(self, name: str) -> object:
        """Return what the node of a name says."""
        graph = (await self.sourced.sites.graph()).graph
        return (await graph.get_nodes([NodeId(name)]))[NodeId(name)].fields["events"]


def _one_more(stream: StreamName) -> Decide[int]:
    def decide(histories: Histories) -> Decision[int]:
        return Decision(len(histories[stream]) + 1, (Change(stream, (Fact("test.added", {}),)),))

    return decide


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    house = StoreHouse({"db": {"kind": "sqlite"}}, tmp_path)
    stores = house.stores(graph="db", vectors=None, events="db", embedder=None)
    try:
        yield Desk(Sourced(Services(stores, system_now, random.Random(1), NoSettings()), CountingProjector()))
    finally:
        await house.close()


async def test_of_a_stream_written_many_times_at_once_the_last_version_is_projected(desk: Desk) -> None:
    written = await asyncio.gather(*(desk.write(f"{NODES}hot") for _ in range(16)))
    assert sorted(each.value for each in written) == list(range(1, 17))
    assert all(each.indexed for each in written)
    assert await desk.events_of("hot") == 16


@pytest.mark.parametrize("bad", [f"{EDGES}dangling", f"{NODES}unforeseen"])
async def test_a_record_that_fails_keeps_nobody_elses_out(desk: Desk, bad: str) -> None:
    """Its own write stands, too, and is told to be pending."""
    names = [f"{NODES}{number}" for number in range(6)]
    written = await asyncio.gather(*map(desk.write, (*names[:3], bad, *names[3:])))
    assert [each.indexed for each in written] == [True, True, True, False, True, True, True]
    assert [await desk.events_of(str(number)) for number in range(6)] == [1] * 6
