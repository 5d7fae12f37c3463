"""The tool that follows relationships."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from backends.engines.sqlite.graph.store import SqliteGraph
from backends.ports.graph import GraphBatch, Node
from backends.ports.values import EdgeId, NodeId, Revision
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import memory_in
from toolsets.memory.projections import projector_of
from toolsets.memory.streams import Keyspace, entity_id
from toolsets.memory.tools import traversal
from toolsets.sourcing.generations import generation_namespace


async def test_a_hub_of_more_edges_than_are_looked_at_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name among the equally sure, as far as they are looked at."""
    monkeypatch.setattr(traversal, "MAX_EXPANSION", 1_000)
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "hub")
        await instance.store("memory", "sure")
        ends: dict[str, str | float] = {"database": "memory", "from_entity": "hub", "to_entity": "sure"}
        await instance.ask("create_relationship", **ends, relationship_type="KNOWS", confidence=1.0)
        projector = projector_of(Keyspace(await instance.key("memory")))
        graph = await instance.stores.graph(generation_namespace(projector, 1))
        [hub] = (await graph.get_nodes([NodeId(entity_id("hub"))])).values()
        [edge] = (await graph.expand([hub.id])).edges[hub.id]
        names = [f"spoke {number:05}" for number in range(1_500)]
        nodes = tuple(replace(hub, id=NodeId(name), fields={**hub.fields, "name": name}) for name in names)
        edges = tuple(
            replace(
                edge,
                id=EdgeId(f"e{number}"),
                target=node.id,
                confidence=0.5,
                rev=Revision(1),
                props={**edge.props, "target": node.fields["name"]},
            )
            for number, node in enumerate(nodes)
        )
        await graph.apply(GraphBatch(nodes=nodes, edges=edges))
        found = await instance.ask("get_related_entities", database="memory", entity_name="hub", limit=5)
        assert found["count"] == 5
        assert [row["name"] for row in rows(found, "entities")] == [
            "sure",
            *(f"spoke {number:05}" for number in range(4)),
        ]


async def test_only_the_entities_shown_are_read_of_many_equally_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names come with the edges, in either direction of the walk."""
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "hub")
        for name in ("dan", "bob", "cat", "ann"):
            await instance.store("memory", name, "some text")
            ends = ("hub", name) if name < "c" else (name, "hub")
            link = {"from_entity": ends[0], "to_entity": ends[1], "relationship_type": "KNOWS"}
            assert (await instance.ask("create_relationship", **link))["status"] == "created"
        read: list[int] = []
        get_nodes = SqliteGraph.get_nodes

        async def noted(graph: SqliteGraph, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
            read.append(len(ids))
            return await get_nodes(graph, ids)

        monkeypatch.setattr(SqliteGraph, "get_nodes", noted)
        found = await instance.ask("get_related_entities", entity_name="hub", limit=3)
    assert [row["name"] for row in rows(found, "entities")] == ["ann", "bob", "cat"]
    assert read == [3]
