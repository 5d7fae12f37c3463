"""A graph in another process behaves as one in this process does."""

import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import psutil
import pytest

from backends.ports.errors import InvalidInput, NotFound, Unavailable
from backends.ports.filters import Eq
from backends.ports.graph import Edge, FieldSpec, GraphBatch, KindSpec, Node, Order
from backends.ports.values import EdgeId, Namespace, NodeId, Revision
from backends.subprocess_engine import SubprocessEngine, open_in_subprocess

SPACE = Namespace("space")
KIND = KindSpec("thing", (FieldSpec("name", "str", sort=True),))
A, B = (Node(NodeId(each), "thing", {"name": each}, Revision(1)) for each in "ab")
EDGE = Edge(EdgeId("e"), A.id, B.id, "uses", Revision(1))


def children() -> set[int]:
    """Return the ids of the processes that this one has started."""
    return {child.pid for child in psutil.Process().children()}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncGenerator[SubprocessEngine]:
    opened = await open_in_subprocess("sqlite", {}, tmp_path)
    yield opened
    await opened.close()


async def test_everything_of_a_graph_can_be_asked_there(engine: SubprocessEngine) -> None:
    graph = await engine.graph(SPACE)
    assert graph.conditional_writes
    await graph.ensure([KIND])
    await graph.apply(GraphBatch((A, B), (EDGE,)))
    assert await graph.get_nodes({A.id}) == {A.id: A}
    assert await graph.get_nodes(dict.fromkeys([A.id]).keys()) == {A.id: A}
    assert await graph.get_edges({EDGE.id}) == {EDGE.id: EDGE}
    assert await graph.node_revisions({A.id}) == {A.id: 1}
    assert await graph.edge_revisions({EDGE.id}) == {EDGE.id: 1}
    assert (await graph.find("thing", Eq("name", "b"), order=[Order("name")])).items == (B,)
    assert (await graph.scan_edges()).items == (EDGE,)
    assert (await graph.expand({A.id}, types={"uses"})).edges == {A.id: (EDGE,)}
    assert [step.node for step in (await graph.walk(A.id, max_depth=2)).steps] == [B.id]
    path = await graph.shortest_path(A.id, B.id)
    assert path is not None
    assert path.nodes == (A.id, B.id)
    assert [group.count for group in await graph.count_nodes("thing")] == [2]
    assert await graph.count_edges() == {"uses": 1}
    assert await graph.set_meta("key", "value", if_absent=True) == "value"
    assert await graph.get_meta("key") == "value"
    await graph.drop()
    assert await graph.get_meta("key") is None
    await engine.verify()
    assert (await engine.health()).ok


async def test_errors_there_are_raised_here(engine: SubprocessEngine, tmp_path: Path) -> None:
    graph = await engine.graph(SPACE)
    await graph.ensure([KIND])
    with pytest.raises(NotFound) as missing:
        await graph.apply(GraphBatch((A,), (EDGE,)))
    assert missing.value.missing == (B.id,)
    with pytest.raises(InvalidInput, match="speed"):
        await open_in_subprocess("sqlite", {"speed": 1}, tmp_path)


async def test_a_store_is_unavailable_once_its_process_has_ended(tmp_path: Path) -> None:
    engine = await open_in_subprocess("sqlite", {}, tmp_path)
    graph = await engine.graph(SPACE)
    await engine.close()
    with pytest.raises(Unavailable, match="has ended"):
        await graph.get_meta("key")
    assert not (await engine.health()).ok


async def test_a_call_that_is_cancelled_ends_the_process(tmp_path: Path) -> None:
    """Its answer would be taken for that to the next call."""
    before = children()
    engine = await open_in_subprocess("sqlite", {}, tmp_path)
    graph = await engine.graph(SPACE)
    [pid] = children() - before
    os.kill(pid, signal.SIGSTOP)
    with anyio.move_on_after(0.5) as scope:
        await graph.get_meta("key")
    assert scope.cancelled_caught
    with pytest.raises(Unavailable, match="has ended"):
        await graph.get_meta("key")
    await engine.close()
