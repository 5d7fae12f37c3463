"""Counts of a database by type."""

from pathlib import Path

from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.values import EdgeId, NodeId, Revision
from tests.support.toolsets.memory import memory_in
from toolsets.memory.projections import ENTITY, TYPE, projector_of
from toolsets.memory.streams import Keyspace, type_token
from toolsets.memory.summary import Counts, counts_of
from toolsets.sourcing.generations import generation_namespace

REV = Revision(1)


def entity(id_: str, kind: str) -> Node:
    return Node(NodeId(id_), ENTITY, {"name": id_, "type": kind, "created_at": 1}, REV, {"observations": []})


def edge(number: int, kind: str) -> Edge:
    return Edge(EdgeId(f"e{number}"), NodeId("a"), NodeId("b"), type_token(kind), REV, 1.0, {"type": kind})


async def test_types_come_by_their_count_and_then_by_name(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "Alice")
        projector = projector_of(Keyspace(await instance.key("memory")))
        graph = await instance.stores.graph(generation_namespace(projector, 1))
        assert await counts_of(graph) == Counts((("thing", 1),), ())
        nodes = (entity("a", "person"), entity("b", "person"), entity("c", "animal"))
        named = Node(NodeId(type_token("knows")), TYPE, {"name": "knows"}, REV)
        edges = (edge(1, "knows"), edge(2, "likes"), edge(3, "likes"))
        await graph.apply(GraphBatch(nodes=(*nodes, named), edges=edges))
        counts = await counts_of(graph)
    assert counts.entity_types == (("person", 2), ("animal", 1), ("thing", 1))
    assert counts.relationship_types == ((type_token("likes"), 2), ("knows", 1)), (
        "a type is shown before its node is there"
    )
    assert (counts.entities, counts.relationships) == (4, 3)
