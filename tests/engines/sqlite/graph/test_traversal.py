"""Hops have the same links whether the nodes of a frontier are read one by one or together."""

import random

import pytest

from backends.engines.sqlite.graph import traversal
from backends.ports.adapter import Engine
from backends.ports.graph import Graph, GraphBatch, GraphPath, Walk
from backends.ports.ids import namespace
from backends.ports.values import NodeId
from contracts.ports.graph_records import THING, edge, ids, node, remove_node

NODES = [f"n{number:02}" for number in range(40)]


@pytest.fixture
async def graph(engine: Engine) -> Graph:
    """Return random links of few confidences, so that many tie; two nodes are deleted."""
    rng = random.Random(4)
    opened = await engine.graph(namespace("hops"))
    await opened.ensure([THING])
    edges = {
        (one, two): edge(one, two, kind=rng.choice(("knows", "likes")), confidence=rng.choice((0.25, 0.5, 0.5, 1.0)))
        for one, two in ((rng.choice(NODES), rng.choice(NODES)) for _ in range(160))
    }
    await opened.apply(GraphBatch(tuple(map(node, NODES)), tuple(edges.values())))
    await remove_node(opened, "n03", 2)
    await remove_node(opened, "n17", 2)
    return opened


@pytest.mark.parametrize("limit", [3, 10, 1_000])
async def test_walks_do_not_depend_on_how_a_frontier_is_read(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    for start in NODES[:10]:
        walks: list[Walk] = []
        for read_one_by_one in (traversal.READ_ONE_BY_ONE, 0):
            monkeypatch.setattr(traversal, "READ_ONE_BY_ONE", read_one_by_one)
            walks.append(await graph.walk(NodeId(start), direction="both", max_depth=3, limit=limit))
        assert walks[0] == walks[1]


async def test_paths_do_not_depend_on_how_a_frontier_is_read(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    found = 0
    for target in NODES[1:]:
        paths: list[GraphPath | None] = []
        for read_one_by_one in (traversal.READ_ONE_BY_ONE, 0):
            monkeypatch.setattr(traversal, "READ_ONE_BY_ONE", read_one_by_one)
            paths.append(await graph.shortest_path(NodeId("n00"), NodeId(target), types=["knows"], max_hops=4))
        assert paths[0] == paths[1]
        found += paths[0] is not None
    assert found > 5


async def test_the_best_edges_come_from_both_sides_and_a_loop_once(engine: Engine) -> None:
    graph = await engine.graph(namespace("sides"))
    await graph.ensure([THING])
    edges = (edge("a", "b", confidence=0.5), edge("c", "a", confidence=0.9), edge("a", "a", confidence=0.7))
    await graph.apply(GraphBatch(tuple(map(node, "abc")), edges))
    found = await graph.expand(ids("a"), direction="both", limit_per_node=2)
    assert [each.confidence for each in found.edges[NodeId("a")]] == [0.9, 0.7]
    assert found.truncated == {"a"}
    whole = await graph.expand(ids("a", "gone"), direction="both", limit_per_node=3)
    assert [each.confidence for each in whole.edges[NodeId("a")]] == [0.9, 0.7, 0.5]
    assert (set(whole.edges), whole.truncated) == ({"a"}, frozenset())
