"""Relationships: made once, followed to neighbours, walked both ways between two entities."""

from itertools import pairwise
from typing import get_args

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.agent_graph.desk import UNKNOWN, Desk
from contracts.tools.agent_graph.replies import RelationType


@promise("agent_graph:link:reply")
@pytest.mark.parametrize("kind", get_args(RelationType))
async def test_a_relationship_is_made_with_every_field(desk: Desk, kind: str) -> None:
    """Each type; the confidence has its documented default, a label that was not given is left out."""
    a, b = await desk.make("a"), await desk.make("b")
    made = await desk.link(a, b, kind, label="in words", confidence=0.5)
    assert (made.from_entity_id, made.to_entity_id, made.type) == (a, b, kind)
    assert (made.channel_id, made.label, made.confidence) == (desk.channel, "in words", 0.5)
    assert made.updated_at == made.created_at
    back = await desk.link(b, a, kind)
    assert (back.label, back.confidence) == (None, 0.8)
    assert back.id != made.id


@promise("agent_graph:link:again")
async def test_the_same_edge_is_made_once(desk: Desk) -> None:
    """The higher confidence stays, and the first label."""
    a, b = await desk.make("a"), await desk.make("b")
    first = await desk.link(a, b, "USES", confidence=0.5)
    higher = await desk.link(a, b, "USES", confidence=0.9, label="later")
    lower = await desk.link(a, b, "USES", confidence=0.1, label="last")
    assert first.id == higher.id == lower.id
    assert (higher.confidence, lower.confidence, lower.label) == (0.9, 0.9, "later")
    assert lower.created_at == first.created_at
    assert (await desk.neighbors(a)).relationship_count == 1


@promise("agent_graph:link:ends")
async def test_a_relationship_needs_two_entities(desk: Desk) -> None:
    """That both exist and are not one."""
    a = await desk.make("a")
    for source, target in ((a, UNKNOWN), (UNKNOWN, a)):
        refusal = await desk.refused("kg_create_relationship", _ends(source, target))
        assert refusal.error == "Entity not found"
    assert (await desk.refused("kg_create_relationship", _ends(a, a))).error == "Invalid arguments"
    assert (await desk.neighbors(a)).entities == []


@promise("agent_graph:neighbors:direction", "agent_graph:neighbors:type")
async def test_neighbours_are_found_by_direction_and_type(desk: Desk) -> None:
    """With the edges that lead there, the surest first; an unknown type leads nowhere."""
    centre, below, above, both = [await desk.make(name) for name in ("centre", "below", "above", "both")]
    uses = await desk.link(centre, below, "USES", confidence=0.6)
    owns = await desk.link(above, centre, "OWNS", confidence=0.9)
    out = await desk.link(centre, both, "RELATED_TO", confidence=0.5)
    back = await desk.link(both, centre, "USES", confidence=0.4)

    async def at(**more: Json) -> tuple[list[str], list[str]]:
        reply = await desk.neighbors(centre, **more)
        return [entity.name for entity in reply.entities], [edge.id for edge in reply.relationships]

    assert await at() == (["above", "below", "both"], [owns.id, uses.id, out.id, back.id])
    assert await at(direction="both") == await at()
    assert await at(direction="outgoing") == (["below", "both"], [uses.id, out.id])
    assert await at(direction="incoming") == (["above", "both"], [owns.id, back.id])
    assert await at(relationshipType="USES") == (["below", "both"], [uses.id, back.id])
    assert await at(direction="outgoing", relationshipType="USES") == (["below"], [uses.id])
    assert await at(relationshipType="KNOWS") == ([], [])
    assert (await desk.refused("kg_get_neighbors", {"entityId": UNKNOWN})).error == "Entity not found"


@promise("agent_graph:neighbors:limit")
async def test_the_limit_counts_neighbours_and_not_edges(desk: Desk) -> None:
    """Twenty unless said otherwise; every edge to a neighbour that is listed comes along."""
    centre = await desk.make("centre")
    for number in range(22):
        other = await desk.make(f"n{number:02}")
        await desk.link(centre, other, "USES", confidence=0.9 - number / 100)
        await desk.link(other, centre, "BLOCKS", confidence=0.1)
    reply = await desk.neighbors(centre)
    assert [entity.name for entity in reply.entities] == [f"n{number:02}" for number in range(20)]
    assert reply.relationship_count == 40
    assert (await desk.neighbors(centre, limit=100)).entity_count == 22
    one = await desk.neighbors(centre, limit=1)
    assert (one.entity_count, {edge.type for edge in one.relationships}) == (1, {"USES", "BLOCKS"})


@promise("agent_graph:path:both-ways", "agent_graph:path:shortest")
async def test_a_path_is_found_whichever_way_its_edges_point(desk: Desk) -> None:
    """The shortest one; from an entity to itself it has no hop."""
    a, b, c, d = [await desk.make(name) for name in "abcd"]
    await desk.link(b, a)
    await desk.link(b, c)
    assert await desk.path(a, c) == [a, b, c]
    assert await desk.path(c, a) == [c, b, a]
    await desk.link(d, c)
    await desk.link(a, d)
    await desk.link(c, a)
    assert await desk.path(a, c) == [a, c]
    assert await desk.path(a, a) == [a]


@promise("agent_graph:path:none")
async def test_no_path_is_an_answer(desk: Desk) -> None:
    """Five hops unless said otherwise, ten at most."""
    ids = [await desk.make(f"c{number:02}") for number in range(12)]
    for one, two in pairwise(ids):
        await desk.link(one, two)
    assert await desk.path(ids[0], ids[5]) == ids[:6]
    assert await desk.path(ids[0], ids[6]) is None
    assert await desk.path(ids[0], ids[10], maxHops=10) == ids[:11]
    assert await desk.path(ids[0], ids[11], maxHops=10) is None
    assert await desk.path(ids[0], ids[2], maxHops=1) is None
    for start, target in ((ids[0], UNKNOWN), (UNKNOWN, ids[0]), (UNKNOWN, UNKNOWN)):
        refusal = await desk.refused("kg_find_path", {"fromEntityId": start, "toEntityId": target})
        assert refusal.error == "Entity not found"
        assert refusal.model_dump()["path"] is None


def _ends(source: str, target: str) -> dict[str, Json]:
    return {"fromEntityId": source, "toEntityId": target, "type": "USES"}
