"""Relationships: made once, followed to neighbours, walked both ways between two entities."""

from itertools import pairwise
from typing import get_args

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.agent_graph.client import UNKNOWN, AgentGraphClient
from contracts.tools.agent_graph.replies import RelationType


@promise("agent_graph:link:reply")
@pytest.mark.parametrize("kind", get_args(RelationType))
async def test_a_relationship_is_made_with_every_field(client: AgentGraphClient, kind: str) -> None:
    """Each type is accepted; the confidence has its documented default, and a missing label is left out."""
    a, b = await client.make("a"), await client.make("b")
    made = await client.link(a, b, kind, label="in words", confidence=0.5)
    assert (made.from_entity_id, made.to_entity_id, made.type) == (a, b, kind)
    assert (made.channel_id, made.label, made.confidence) == (client.channel, "in words", 0.5)
    assert made.updated_at == made.created_at
    back = await client.link(b, a, kind)
    assert (back.label, back.confidence) == (None, 0.8)
    assert back.id != made.id


@promise("agent_graph:link:again")
async def test_the_same_edge_is_made_once(client: AgentGraphClient) -> None:
    """The edge keeps the higher confidence and the first label."""
    a, b = await client.make("a"), await client.make("b")
    first = await client.link(a, b, "USES", confidence=0.5)
    higher = await client.link(a, b, "USES", confidence=0.9, label="later")
    lower = await client.link(a, b, "USES", confidence=0.1, label="last")
    assert first.id == higher.id == lower.id
    assert (higher.confidence, lower.confidence, lower.label) == (0.9, 0.9, "later")
    assert lower.created_at == first.created_at
    assert (await client.neighbors(a)).relationship_count == 1


@promise("agent_graph:link:ends")
async def test_a_relationship_needs_two_entities(client: AgentGraphClient) -> None:
    """Both must exist and must differ."""
    a = await client.make("a")
    for source, target in ((a, UNKNOWN), (UNKNOWN, a)):
        refusal = await client.refused("kg_create_relationship", _ends(source, target))
        assert refusal.error == "Entity not found"
    assert (await client.refused("kg_create_relationship", _ends(a, a))).error == "Invalid arguments"
    assert (await client.neighbors(a)).entities == []


@promise("agent_graph:neighbors:direction", "agent_graph:neighbors:type")
async def test_neighbours_are_found_by_direction_and_type(client: AgentGraphClient) -> None:
    """The edges come along, the most confident first; an unknown type matches nothing."""
    centre, below, above, both = [await client.make(name) for name in ("centre", "below", "above", "both")]
    uses = await client.link(centre, below, "USES", confidence=0.6)
    owns = await client.link(above, centre, "OWNS", confidence=0.9)
    out = await client.link(centre, both, "RELATED_TO", confidence=0.5)
    back = await client.link(both, centre, "USES", confidence=0.4)

    async def at(**more: Json) -> tuple[list[str], list[str]]:
        reply = await client.neighbors(centre, **more)
        return [entity.name for entity in reply.entities], [edge.id for edge in reply.relationships]

    assert await at() == (["above", "below", "both"], [owns.id, uses.id, out.id, back.id])
    assert await at(direction="both") == await at()
    assert await at(direction="outgoing") == (["below", "both"], [uses.id, out.id])
    assert await at(direction="incoming") == (["above", "both"], [owns.id, back.id])
    assert await at(relationshipType="USES") == (["below", "both"], [uses.id, back.id])
    assert await at(direction="outgoing", relationshipType="USES") == (["below"], [uses.id])
    assert await at(relationshipType="KNOWS") == ([], [])
    assert (await client.refused("kg_get_neighbors", {"entityId": UNKNOWN})).error == "Entity not found"


@promise("agent_graph:neighbors:order")
async def test_neighbours_of_equal_confidence_come_by_name(client: AgentGraphClient) -> None:
    """The order of creation does not matter, also at the limit."""
    centre = await client.make("centre")
    for name in ("d", "b", "e", "a", "c"):
        await client.link(centre, await client.make(name), "USES", confidence=0.5)
    await client.link(await client.make("sure"), centre, "USES", confidence=0.9)
    reply = await client.neighbors(centre)
    assert [entity.name for entity in reply.entities] == ["sure", "a", "b", "c", "d", "e"]
    names = {entity.id: entity.name for entity in reply.entities}
    assert [names.get(edge.to_entity_id, "sure") for edge in reply.relationships] == ["sure", *"abcde"]
    assert [entity.name for entity in (await client.neighbors(centre, limit=3)).entities] == ["sure", "a", "b"]


@promise("agent_graph:neighbors:limit")
async def test_the_limit_counts_neighbours_and_not_edges(client: AgentGraphClient) -> None:
    """The default limit is twenty; all edges to a listed neighbour are returned."""
    centre = await client.make("centre")
    for number in range(22):
        other = await client.make(f"n{number:02}")
        await client.link(centre, other, "USES", confidence=0.9 - number / 100)
        await client.link(other, centre, "BLOCKS", confidence=0.1)
    reply = await client.neighbors(centre)
    assert [entity.name for entity in reply.entities] == [f"n{number:02}" for number in range(20)]
    assert reply.relationship_count == 40
    assert (await client.neighbors(centre, limit=100)).entity_count == 22
    one = await client.neighbors(centre, limit=1)
    assert (one.entity_count, {edge.type for edge in one.relationships}) == (1, {"USES", "BLOCKS"})


@promise("agent_graph:path:both-ways", "agent_graph:path:shortest")
async def test_a_path_is_found_in_either_direction_of_its_edges(client: AgentGraphClient) -> None:
    """The path is a shortest one; the path from an entity to itself has no hops."""
    a, b, c, d = [await client.make(name) for name in "abcd"]
    await client.link(b, a)
    await client.link(b, c)
    assert await client.path(a, c) == [a, b, c]
    assert await client.path(c, a) == [c, b, a]
    await client.link(d, c)
    await client.link(a, d)
    await client.link(c, a)
    assert await client.path(a, c) == [a, c]
    assert await client.path(a, a) == [a]


@promise("agent_graph:path:none")
async def test_no_path_is_an_answer(client: AgentGraphClient) -> None:
    """The default limit is five hops, the largest ten."""
    ids = [await client.make(f"c{number:02}") for number in range(12)]
    for one, two in pairwise(ids):
        await client.link(one, two)
    assert await client.path(ids[0], ids[5]) == ids[:6]
    assert await client.path(ids[0], ids[6]) is None
    assert await client.path(ids[0], ids[10], maxHops=10) == ids[:11]
    assert await client.path(ids[0], ids[11], maxHops=10) is None
    assert await client.path(ids[0], ids[2], maxHops=1) is None
    for start, target in ((ids[0], UNKNOWN), (UNKNOWN, ids[0]), (UNKNOWN, UNKNOWN)):
        refusal = await client.refused("kg_find_path", {"fromEntityId": start, "toEntityId": target})
        assert refusal.error == "Entity not found"
        assert refusal.model_dump()["path"] is None


def _ends(source: str, target: str) -> dict[str, Json]:
    return {"fromEntityId": source, "toEntityId": target, "type": "USES"}
