"""Relationships: one per type and direction, walked without regard to direction."""

from itertools import pairwise

import anyio

from contracts.promises import promise
from contracts.tools.memory.client import MemoryClient


async def chain(client: MemoryClient, *words: str) -> list[str]:
    """Store entities and return their names."""
    names = [client.name(word) for word in words]
    for name in names:
        await client.store(name)
    return names


@promise("memory:link:reply", "memory:link:again")
async def test_the_same_edge_again_sets_its_confidence(client: MemoryClient) -> None:
    """No parallel edge is added; another type or the opposite direction is another edge."""
    a, b = await chain(client, "a", "b")
    for confidence in (0.9, 0.4, 0.4, 0):
        linked = await client.link(a, b, "KNOWS", confidence)
        assert (linked.status, linked.source, linked.target) == ("created", a, b)
        assert (linked.relationship_type, linked.confidence) == ("KNOWS", confidence)
        [row] = await client.related(a, max_depth=1)
        assert (row.relationship_path, row.confidence_path) == (["KNOWS"], [confidence])
    await client.link(a, b, "knows", 0.7)
    await client.link(b, a, "KNOWS", 0.8)
    [row] = await client.related(a)
    assert (row.relationship_path, row.confidence_path) == (["KNOWS"], [0.8])


@promise("memory:link:default")
async def test_an_edge_without_a_confidence_is_certain(client: MemoryClient) -> None:
    """The default is 1.0."""
    a, b = await chain(client, "a", "b")
    reply = await client.connection.call(
        "create_relationship", {"database": "memory", "from_entity": a, "to_entity": b, "relationship_type": "KNOWS"}
    )
    assert reply.structured["confidence"] == 1.0


@promise("memory:link:concurrent")
async def test_edges_of_many_clients_at_once_are_all_there_and_the_same_one_is_there_once(client: MemoryClient) -> None:
    """The first edge of a new type decides the name of the type."""
    hub, *spokes = await chain(client, "hub", *(f"spoke {number:02}" for number in range(16)))
    async with anyio.create_task_group() as group:
        for spoke in spokes:
            group.start_soon(client.link, hub, spoke, client.mark)
            group.start_soon(client.link, hub, spokes[0], client.mark)
    assert [row.name for row in await client.related(hub, max_depth=1)] == spokes


@promise("memory:related:direction", "memory:related:once")
async def test_direction_is_ignored_and_each_entity_comes_once_at_its_shortest_distance(client: MemoryClient) -> None:
    """A ring with a shortcut is walked from every side."""
    a, b, c, d = await chain(client, "a", "b", "c", "d")
    for one, other in ((a, b), (c, b), (c, d), (d, a)):
        await client.link(one, other, "NEXT")
    assert [(row.name, row.distance) for row in await client.related(a)] == [(b, 1), (d, 1), (c, 2)]
    await client.link(c, a, "NEXT")
    assert [(row.name, row.distance) for row in await client.related(a)] == [(b, 1), (c, 1), (d, 1)]
    assert [row.name for row in await client.related(a, max_depth=1)] == [b, c, d]


@promise("memory:related:confident")
async def test_the_most_confident_of_the_shortest_paths_is_returned(client: MemoryClient) -> None:
    """The product along the path decides; a longer path never wins, however confident it is."""
    a, left, right, end = await chain(client, "a", "left", "right", "end")
    await client.link(a, left, "L1", 1.0)
    await client.link(left, end, "L2", 0.3)
    await client.link(a, right, "R1", 0.7)
    await client.link(end, right, "R2", 0.6)
    rows = {row.name: row for row in await client.related(a)}
    assert (rows[end].relationship_path, rows[end].confidence_path) == (["R1", "R2"], [0.7, 0.6])
    await client.link(a, end, "DIRECT", 0.1)
    rows = {row.name: row for row in await client.related(a)}
    assert (rows[end].distance, rows[end].relationship_path) == (1, ["DIRECT"])


@promise("memory:related:order")
async def test_the_nearest_come_first_then_the_surest_then_by_name(client: MemoryClient) -> None:
    """The limit cuts this order."""
    start, *others = await chain(client, "start", "e", "d", "c", "b", "a")
    for name, confidence in zip(others, (0.5, 0.5, 0.9, 0.5, 0.9), strict=True):
        await client.link(start, name, "TO", confidence)
    far = client.name("far")
    await client.store(far)
    await client.link(others[0], far, "TO", 1.0)
    expected = [client.name(word) for word in ("a", "c", "b", "d", "e", "far")]
    assert [row.name for row in await client.related(start)] == expected
    for limit in range(1, 6):
        assert [row.name for row in await client.related(start, limit=limit)] == expected[:limit]


@promise("memory:related:loops")
async def test_cycles_and_self_loops_do_no_harm(client: MemoryClient) -> None:
    """The start is not its own neighbour."""
    a, b, c = await chain(client, "a", "b", "c")
    for one, other in ((a, a), (a, b), (b, c), (c, a), (b, b)):
        await client.link(one, other)
    assert [(row.name, row.distance) for row in await client.related(a, max_depth=5)] == [(b, 1), (c, 1)]


@promise("memory:related:depth")
async def test_the_walk_ends_at_max_depth(client: MemoryClient) -> None:
    """The default depth is two."""
    names = await chain(client, *(f"n{number}" for number in range(7)))
    for one, other in pairwise(names):
        await client.link(one, other)
    assert [row.distance for row in await client.related(names[0])] == [1, 2]
    assert [row.distance for row in await client.related(names[0], max_depth=5)] == [1, 2, 3, 4, 5]
    far = (await client.related(names[0], max_depth=5))[-1]
    assert far.relationship_path == ["KNOWS"] * 5


@promise("memory:related:alone")
async def test_an_entity_without_edges_has_no_relations(client: MemoryClient) -> None:
    """The reply is an empty list, not an error."""
    [alone] = await chain(client, "alone")
    assert await client.related(alone) == []
