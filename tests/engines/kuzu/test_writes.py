"""Batches of nodes."""

from pathlib import Path

from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, NodeId, Revision, Value
from tests.engines.kuzu.files import SPACE, THING, opened, thing


async def test_nodes_of_one_batch_with_and_without_lists_are_intact(tmp_path: Path, driver: str) -> None:
    """The engine stores a missing list as an empty one if other nodes of the statement have lists."""
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec("thing", (FieldSpec("name", "str"), FieldSpec("tags", "strs")))])
    tags: list[dict[str, Value]] = [{"tags": ("a", "b")}, {}, {"tags": ("c",)}] * 10
    nodes = [Node(NodeId(str(n)), "thing", {"name": str(n), **each}, Revision(1)) for n, each in enumerate(tags)]
    await graph.apply(GraphBatch(nodes=tuple(nodes)))
    await engine.verify()
    found = await graph.get_nodes([node.id for node in nodes])
    assert [found[node.id].fields for node in nodes] == [node.fields for node in nodes]
    await engine.close()


async def test_a_batch_holds_three_thousand_nodes(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([THING])
    await graph.apply(GraphBatch(tuple(map(thing, range(3_000)))))
    [group] = await graph.count_nodes("thing")
    assert group.count == 3_000
    await engine.close()
