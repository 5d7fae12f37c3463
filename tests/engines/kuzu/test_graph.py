"""The graph in one file: declarations that change nothing, and a drop in parts."""

import pytest

from backends.engines.kuzu import graph as port
from backends.engines.kuzu.connection import DatabaseFile
from backends.ports.errors import InvalidInput
from backends.ports.graph import Graph
from backends.ports.values import NodeId
from contracts.ports.graph_records import KIND, THING, edge, edge_id, fill, ids, node, remove_node


async def test_a_declaration_that_is_known_writes_nothing(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    await graph.ensure([THING])

    async def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it should not write")

    monkeypatch.setattr(DatabaseFile, "write", refuse)
    await graph.ensure([THING])


async def test_a_drop_removes_everything_in_parts(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port, "DROPPED_AT_ONCE", 2)
    await fill(graph, *map(node, "abcde"), edge("a", "b"), edge("b", "c"), edge("d", "e"))
    await graph.set_meta("key", "value")
    await graph.drop()
    assert await graph.get_meta("key") is None
    with pytest.raises(InvalidInput):
        await graph.find(KIND)
    await graph.ensure([THING])
    assert (await graph.find(KIND)).items == ()
    assert (await graph.scan_edges()).items == ()
    assert await graph.node_revisions(ids("a", "e")) == {}


async def test_an_edge_is_hidden_while_an_end_is_deleted(graph: Graph) -> None:
    await fill(graph, node("a"), node("b"), edge("a", "b"))
    await remove_node(graph, "b", 2)
    assert await graph.get_edges([edge_id("a", "b")]) == {}
    assert (await graph.expand(ids("a", "b"))).edges == {NodeId("a"): ()}
    await fill(graph, node("b", rev=3))
    assert set(await graph.get_edges([edge_id("a", "b")])) == {edge_id("a", "b")}
    assert len((await graph.expand(ids("a"))).edges[NodeId("a")]) == 1
