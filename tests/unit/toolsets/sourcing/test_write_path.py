"""What several calls write at once goes to the stores together; each call is told about its own part."""

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, Revision
from backends.stores import OpenStores
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Change, Decide, Decision, Fact, Histories, History
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.projection import Projection, Projector, StreamKind
from toolsets.sourcing.projection_store import KnownVectors
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import InFlight, WakeUp, WritePath, Written
from toolsets.spec import CallContext, Services

NODES, EDGES = "test/node/", "test/edge/"
CONTEXT = CallContext("test")


class NoSettings(BaseModel):
    """Nothing to set."""


def _node(stream: StreamName, history: History) -> Projection:
    name, rev = stream.removeprefix(NODES), Revision(len(history))
    if name == "unforeseen":
        raise ZeroDivisionError
    return Projection(stream, rev, nodes=(Node(NodeId(name), "thing", {"events": len(history)}, rev),))


def _edge(stream: StreamName, history: History) -> Projection:
    name, rev = stream.removeprefix(EDGES), Revision(len(history))
    return Projection(stream, rev, edges=(Edge(EdgeId(name), NodeId(name), NodeId("nowhere"), "to", rev, 1.0),))


PROJECTOR = Projector(
    prefix="test/",
    namespace="test",
    kinds=(KindSpec("thing", (FieldSpec("events", "int"),)),),
    streams=(StreamKind(NODES, _node, graph="node"), StreamKind(EDGES, _edge, graph="edge")),
)
"""A node that counts the events of its stream; an edge from a node of that name to one that never exists."""


class Harness:
    """A write path over a real log and graph."""

    def __init__(self, sourced: SourcedStores) -> None:
        self.sourced = sourced

    async def write(self, stream: str) -> Written[int]:
        name = StreamName(stream)
        return await self.sourced.writes.write(_one_more(name), CONTEXT, streams=(name,))

    async def events_of(self, name: str) -> object:
        """Return what the node of a name says."""
        graph = (await self.sourced.live_stores.graph()).graph
        return (await graph.get_nodes([NodeId(name)]))[NodeId(name)].fields["events"]


def _one_more(stream: StreamName) -> Decide[int]:
    def decide(histories: Histories) -> Decision[int]:
        return Decision(len(histories[stream]) + 1, (Change(stream, (Fact("test.added", {}),)),))

    return decide


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncGenerator[Harness]:
    house = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    stores = house.stores(graph="db", vectors=None, events="db", embedder=None)
    try:
        yield Harness(SourcedStores(Services(stores, system_now, random.Random(), NoSettings()), PROJECTOR))
    finally:
        await house.close()


async def test_the_last_version_of_a_stream_with_concurrent_writes_is_projected(harness: Harness) -> None:
    written = await asyncio.gather(*(harness.write(f"{NODES}hot") for _ in range(16)))
    assert sorted(each.value for each in written) == list(range(1, 17))
    assert all(each.indexed for each in written)
    assert await harness.events_of("hot") == 16


@pytest.mark.parametrize("bad", [f"{EDGES}dangling", f"{NODES}unforeseen"])
async def test_a_failing_record_does_not_delay_others(harness: Harness, bad: str) -> None:
    """Its own write stands, too, and is told to be pending."""
    names = [f"{NODES}{number}" for number in range(6)]
    written = await asyncio.gather(*map(harness.write, (*names[:3], bad, *names[3:])))
    assert [each.indexed for each in written] == [True, True, True, False, True, True, True]
    assert [await harness.events_of(str(number)) for number in range(6)] == [1] * 6


async def test_a_store_that_does_not_answer_leaves_time_for_the_reply(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write is committed, and the relay projects it."""
    await harness.write(f"{NODES}a")
    store = await harness.sourced.live_stores.graph()

    async def never(projections: Sequence[Projection], known: KnownVectors) -> None:
        await anyio.sleep_forever()

    async def bounded(stream: str) -> Written[int]:
        with anyio.fail_after(1):
            return await harness.write(stream)

    with monkeypatch.context() as hanging:
        hanging.setattr(store, "write", never)
        written = await asyncio.gather(bounded(f"{NODES}a"), bounded(f"{NODES}b"))
    assert [(each.value, each.pending) for each in sorted(written, key=lambda each: each.value)] == [
        (1, {"graph"}),
        (2, {"graph"}),
    ]
    assert (await harness.write(f"{NODES}a")).indexed
    await harness.sourced.relay.catch_up()
    assert (await harness.events_of("a"), await harness.events_of("b")) == (3, 1)


async def test_a_pending_projection_wakes_the_relay_and_no_other_write_does(harness: Harness) -> None:
    """The relay would otherwise notice the event only when it polls the log."""
    live, wake_up = harness.sourced.live_stores, WakeUp()
    committer = Committer(system_now, random.Random(), PROJECTOR, live.cache)
    writes = WritePath(live, committer, InFlight(), wake_up)

    async def write(name: str) -> Written[int]:
        stream = StreamName(name)
        return await writes.write(_one_more(stream), CONTEXT, streams=(stream,))

    assert (await write(f"{NODES}a")).indexed
    assert not await wake_up.wait(timeout_s=0)
    assert not (await write(f"{EDGES}dangling")).indexed
    assert await wake_up.wait(timeout_s=0)
    assert not await wake_up.wait(timeout_s=0)
