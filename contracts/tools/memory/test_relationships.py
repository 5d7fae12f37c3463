"""Relationships: one per type and direction, walked without regard to direction."""

from itertools import pairwise

import anyio

from contracts.promises import promise
from contracts.tools.memory.desk import Desk


async def chain(desk: Desk, *words: str) -> list[str]:
    """Store entities and return their names."""
    names = [desk.name(word) for word in words]
    for name in names:
        await desk.store(name)
    return names


@promise("memory:link:reply", "memory:link:again")
async def test_the_same_edge_again_sets_its_confidence(desk: Desk) -> None:
    """No parallel edge is added; another type or the other direction is another edge."""
    a, b = await chain(desk, "a", "b")
    for confidence in (0.9, 0.4, 0.4, 0):
        linked = await desk.link(a, b, "KNOWS", confidence)
        assert (linked.status, linked.source, linked.target) == ("created", a, b)
        assert (linked.relationship_type, linked.confidence) == ("KNOWS", confidence)
        [row] = await desk.related(a, max_depth=1)
        assert (row.relationship_path, row.confidence_path) == (["KNOWS"], [confidence])
    await desk.link(a, b, "knows", 0.7)
    await desk.link(b, a, "KNOWS", 0.8)
    [row] = await desk.related(a)
    assert (row.relationship_path, row.confidence_path) == (["KNOWS"], [0.8])


@promise("memory:link:default")
async def test_an_edge_without_a_confidence_is_certain(desk: Desk) -> None:
    """1.0 unless told."""
    a, b = await chain(desk, "a", "b")
    reply = await desk.door.call(
        "create_relationship", {"database": "memory", "from_entity": a, "to_entity": b, "relationship_type": "KNOWS"}
    )
    assert reply.structured["confidence"] == 1.0


@promise("memory:link:concurrent")
async def test_edges_of_many_clients_at_once_are_all_there_and_the_same_one_is_there_once(desk: Desk) -> None:
    """A new type is named by whoever comes first."""
    hub, *spokes = await chain(desk, "hub", *(f"spoke {number:02}" for number in range(16)))
    async with anyio.create_task_group() as group:
        for spoke in spokes:
            group.start_soon(desk.link, hub, spoke, desk.mark)
            group.start_soon(desk.link, hub, spokes[0], desk.mark)
    assert [row.name for row in await desk.related(hub, max_depth=1)] == spokes


@promise("memory:related:direction", "memory:related:once")
async def test_direction_is_ignored_and_each_entity_comes_once_at_its_shortest_distance(desk: Desk) -> None:
    """A ring with a short cut, walked from every side."""
    a, b, c, d = await chain(desk, "a", "b", "c", "d")
    for one, other in ((a, b), (c, b), (c, d), (d, a)):
        await desk.link(one, other, "NEXT")
    assert [(row.name, row.distance) for row in await desk.related(a)] == [(b, 1), (d, 1), (c, 2)]
    await desk.link(c, a, "NEXT")
    assert [(row.name, row.distance) for row in await desk.related(a)] == [(b, 1), (c, 1), (d, 1)]
    assert [row.name for row in await desk.related(a, max_depth=1)] == [b, c, d]


@promise("memory:related:confident")
async def test_among_the_shortest_ways_the_most_confident_is_told(desk: Desk) -> None:
    """By the product along the way; a longer way never wins however sure it is."""
    a, left, right, end = await chain(desk, "a", "left", "right", "end")
    await desk.link(a, left, "L1", 1.0)
    await desk.link(left, end, "L2", 0.3)
    await desk.link(a, right, "R1", 0.7)
    await desk.link(end, right, "R2", 0.6)
    rows = {row.name: row for row in await desk.related(a)}
    assert (rows[end].relationship_path, rows[end].confidence_path) == (["R1", "R2"], [0.7, 0.6])
    await desk.link(a, end, "DIRECT", 0.1)
    rows = {row.name: row for row in await desk.related(a)}
    assert (rows[end].distance, rows[end].relationship_path) == (1, ["DIRECT"])


@promise("memory:related:order")
async def test_the_nearest_come_first_then_the_surest_then_by_name(desk: Desk) -> None:
    """And the limit cuts that order."""
    start, *others = await chain(desk, "start", "e", "d", "c", "b", "a")
    for name, confidence in zip(others, (0.5, 0.5, 0.9, 0.5, 0.9), strict=True):
        await desk.link(start, name, "TO", confidence)
    far = desk.name("far")
    await desk.store(far)
    await desk.link(others[0], far, "TO", 1.0)
    expected = [desk.name(word) for word in ("a", "c", "b", "d", "e", "far")]
    assert [row.name for row in await desk.related(start)] == expected
    for limit in range(1, 6):
        assert [row.name for row in await desk.related(start, limit=limit)] == expected[:limit]


@promise("memory:related:loops")
async def test_cycles_and_self_loops_do_no_harm(desk: Desk) -> None:
    """The start is not its own neighbour."""
    a, b, c = await chain(desk, "a", "b", "c")
    for one, other in ((a, a), (a, b), (b, c), (c, a), (b, b)):
        await desk.link(one, other)
    assert [(row.name, row.distance) for row in await desk.related(a, max_depth=5)] == [(b, 1), (c, 1)]


@promise("memory:related:depth")
async def test_the_walk_ends_at_max_depth(desk: Desk) -> None:
    """Two steps unless told."""
    names = await chain(desk, *(f"n{number}" for number in range(7)))
    for one, other in pairwise(names):
        await desk.link(one, other)
    assert [row.distance for row in await desk.related(names[0])] == [1, 2]
    assert [row.distance for row in await desk.related(names[0], max_depth=5)] == [1, 2, 3, 4, 5]
    far = (await desk.related(names[0], max_depth=5))[-1]
    assert far.relationship_path == ["KNOWS"] * 5


@promise("memory:related:alone")
async def test_an_entity_without_edges_has_no_relations(desk: Desk) -> None:
    """An empty list, not an error."""
    [alone] = await chain(desk, "alone")
    assert await desk.related(alone) == []
