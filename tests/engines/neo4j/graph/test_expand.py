"""Hops on a server: the best edges of a node, and the links of a walk."""

from backends.ports.ids import namespace
from backends.ports.values import NodeId
from contracts.ports.graph_records import edge, fill, ids, node, remove_node
from tests.engines.neo4j.conftest import Open

PLACE = namespace("hops")


async def test_the_best_edges_come_from_both_sides_and_a_loop_once(on_server: Open) -> None:
    async with on_server() as engine:
        graph = await engine.graph(PLACE)
        edges = (edge("a", "b", confidence=0.5), edge("c", "a", confidence=0.9), edge("a", "a", confidence=0.7))
        await fill(graph, *map(node, "abc"), *edges)
        found = await graph.expand(ids("a", "gone"), direction="both", limit_per_node=2)
        assert [each.confidence for each in found.edges[NodeId("a")]] == [0.9, 0.7]
        assert (set(found.edges), found.truncated) == ({"a"}, {"a"})
        await graph.drop()


async def test_links_to_deleted_nodes_and_of_other_types_are_not_followed(on_server: Open) -> None:
    async with on_server() as engine:
        graph = await engine.graph(PLACE)
        edges = (edge("a", "b"), edge("b", "c"), edge("b", "d", kind="likes"), edge("b", "e", confidence=0.1))
        await fill(graph, *map(node, "abcde"), *edges)
        await remove_node(graph, "c", 2)
        found = await graph.walk(NodeId("a"), max_depth=2, types=["knows"], min_confidence=0.5)
        assert [step.node for step in found.steps] == ["b"]
        whole = await graph.walk(NodeId("a"), max_depth=2)
        assert len(whole.steps) == 3
        await graph.drop()
