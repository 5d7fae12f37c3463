"""The tools that link entities and follow the links."""

import pytest

from backends.ports.values import JsonObject
from tests.support.toolsets.agent_graph import Instance, part, rows


async def test_an_edge_is_made_once_and_keeps_the_higher_confidence(kg: Instance) -> None:
    a, b = await kg.create("a"), await kg.create("b")
    edge = await kg.link(a, b, "USES", confidence=0.7)
    assert await kg.link(a, b, "USES", confidence=0.3, label="as a cache") == edge
    assert await kg.link(b, a, "USES") != edge
    [shown] = rows(
        await kg.ask("kg_get_neighbors", entityId=a, relationshipType="USES", direction="outgoing"), "relationships"
    )
    assert (shown["id"], shown["confidence"], shown["label"]) == (edge, 0.7, "as a cache")


async def test_an_entity_is_not_linked_with_itself_nor_with_another_channel(kg: Instance) -> None:
    a, b = await kg.create("a"), await kg.create("b", channelId="red")
    create = "kg_create_relationship"
    assert await kg.refused(create, fromEntityId=a, toEntityId=a, type="USES") == "Invalid arguments"
    assert await kg.refused(create, fromEntityId=a, toEntityId=b, type="USES") == "Entity not found"


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, ["sure", "in", "out"]),
        ({"limit": 2}, ["sure", "in"]),
        ({"direction": "outgoing"}, ["sure", "out"]),
        ({"direction": "incoming"}, ["in"]),
        ({"relationshipType": "BLOCKS"}, ["out"]),
    ],
)
async def test_neighbours_come_by_confidence_and_then_by_name(
    kg: Instance, asked: JsonObject, names: list[str]
) -> None:
    centre, inward, outward, sure = [await kg.create(name) for name in ("centre", "in", "out", "sure")]
    await kg.link(inward, centre, "USES", confidence=0.5)
    await kg.link(centre, outward, "BLOCKS", confidence=0.5)
    await kg.link(centre, sure, "USES", confidence=0.9)
    reply = await kg.ask("kg_get_neighbors", entityId=centre, **asked)
    assert [row["name"] for row in rows(reply, "entities")] == names
    assert reply["entityCount"] == reply["relationshipCount"] == len(names)


async def test_a_neighbour_by_several_edges_comes_once_with_all_of_them(kg: Instance) -> None:
    a, b = await kg.create("a"), await kg.create("b")
    edges = {await kg.link(a, b, "USES"), await kg.link(a, b, "OWNS"), await kg.link(b, a, "BLOCKS")}
    reply = await kg.ask("kg_get_neighbors", entityId=a)
    assert (reply["entityCount"], {str(row["id"]) for row in rows(reply, "relationships")}) == (1, edges)


async def test_the_shortest_path_ignores_the_direction_of_edges(kg: Instance) -> None:
    a, b, c, d = [await kg.create(name) for name in "abcd"]
    first, second = await kg.link(b, a), await kg.link(b, c)
    found = await kg.ask("kg_find_path", fromEntityId=a, toEntityId=c)
    assert part(found, "path") == {"entityIds": [a, b, c], "relationshipIds": [first, second]}
    assert (found["found"], found["hopCount"], found["message"]) == (True, 2, "Found a path of 2 hops")
    for more in ({"toEntityId": d}, {"toEntityId": c, "maxHops": 1}):
        none = await kg.ask("kg_find_path", fromEntityId=a, **more)
        assert (none["found"], none["path"], none["hopCount"]) == (False, None, 0)
