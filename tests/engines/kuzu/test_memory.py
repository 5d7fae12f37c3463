"""Prepared statements fit into the memory given to the engine."""

from pathlib import Path

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, Namespace, NodeId, Revision

QUESTIONS = 60


async def test_many_different_statements_fit_into_a_small_pool(tmp_path: Path, driver: str) -> None:
    """Each limit makes its own statement; if Ladybug kept them all, they would fill the buffer pool."""
    engine = await ADAPTER.open({"driver": driver, "buffer_pool_mib": 64}, tmp_path)
    graph = await engine.graph(Namespace("space"))
    await graph.ensure([KindSpec("thing", ())])
    start, other = NodeId("start"), NodeId("other")
    nodes = tuple(Node(key, "thing", {}, Revision(1)) for key in (start, other))
    await graph.apply(GraphBatch(nodes, (Edge(EdgeId("edge"), start, other, "knows", Revision(1)),)))
    for limit in range(1, QUESTIONS + 1):
        found = await graph.expand([start], limit_per_node=limit)
        assert [edge.id for edge in found.edges[start]] == ["edge"]
    await engine.close()
