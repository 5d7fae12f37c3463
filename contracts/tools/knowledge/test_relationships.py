"""Relationships: making and removing them, neighbours, prerequisites, and the chain between two concepts."""

from itertools import pairwise

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.knowledge.desk import UNKNOWN, Desk
from contracts.tools.knowledge.replies import Linked, Written


@promise("knowledge:link:reply", "knowledge:link:id", "knowledge:unlink:reply")
async def test_a_relationship_has_an_id_made_of_its_ends_and_type(desk: Desk) -> None:
    """The same at creation, at removal and when it is made again."""
    a, b = await desk.file("a"), await desk.file("b")
    ends: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "prerequisite"}
    made = await desk.door.ask(Linked, "create_relationship", **ends, strength=0.5, notes="why")
    assert made.message == "Relationship created"
    gone = await desk.door.ask(Linked, "delete_relationship", **ends)
    assert (gone.relationship_id, gone.message) == (made.relationship_id, "Relationship deleted")
    assert await desk.related(a) == []
    assert await desk.link(a, b) == made.relationship_id
    others = {await desk.link(b, a), await desk.link(a, b, "includes"), await desk.link(a, b, "relates_to")}
    assert len({made.relationship_id, *others}) == 4


@promise("knowledge:link:types")
@pytest.mark.parametrize("kind", ["prerequisite", "relates_to", "includes", "PREREQUISITE", "RELATES_TO", "INCLUDES"])
async def test_a_type_is_accepted_as_documented_and_as_printed(desk: Desk, kind: str) -> None:
    """It is printed in capitals, and either form filters and removes."""
    a, b = await desk.file("a"), await desk.file("b")
    await desk.link(a, b, kind)
    for form in (kind.lower(), kind.upper()):
        assert await desk.related(a, relationship_type=form) == [("b", kind.upper(), "outgoing", 1.0)]
    form = kind.swapcase()
    await desk.door.ask(Linked, "delete_relationship", source_id=a, target_id=b, relationship_type=form)
    assert await desk.related(a) == []


@promise("knowledge:link:refused")
async def test_a_relationship_is_refused_when_it_exists_or_is_a_loop_or_of_another_type(desk: Desk) -> None:
    """Nothing is written then."""
    a, b = await desk.file("a"), await desk.file("b")
    await desk.link(a, b)
    for source, target, kind in (
        (a, b, "prerequisite"),
        (a, a, "includes"),
        (a, b, "knows"),
        (a, b, ""),
        (a, b, "Includes "),
    ):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": kind}
        assert (await desk.refused("create_relationship", arguments)).error == "validation_error"
    assert await desk.related(a) == [("b", "PREREQUISITE", "outgoing", 1.0)]


@promise("knowledge:link:ends")
async def test_a_relationship_needs_both_concepts(desk: Desk) -> None:
    """The error names the one that is missing."""
    a = await desk.file("a")
    for source, target in ((a, UNKNOWN), (UNKNOWN, a)):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": "includes"}
        envelope = await desk.refused("create_relationship", arguments)
        assert (envelope.error, envelope.details.resource_id) == ("concept_not_found", UNKNOWN)


@promise("knowledge:unlink:missing", "knowledge:errors:relationship-not-found")
async def test_removing_a_relationship_that_is_not_there_says_so(desk: Desk) -> None:
    """Whether its type, its direction or one of its ends is missing; an unknown type is bad input."""
    a, b = await desk.file("a"), await desk.file("b")
    await desk.link(a, b)
    for source, target, kind in (
        (a, b, "includes"),
        (b, a, "prerequisite"),
        (a, UNKNOWN, "prerequisite"),
        (UNKNOWN, b, "includes"),
    ):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": kind}
        assert (await desk.refused("delete_relationship", arguments)).error == "relationship_not_found"
    bad: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "knows"}
    assert (await desk.refused("delete_relationship", bad)).error == "validation_error"
    assert await desk.related(a) == [("b", "PREREQUISITE", "outgoing", 1.0)]


@promise("knowledge:related:direction", "knowledge:related:order")
async def test_neighbours_come_by_strength_and_then_by_name(desk: Desk) -> None:
    """Direction is seen from the concept asked about, and both is the default."""
    centre = await desk.file("centre")
    for name, strength in (("weak", 0.1), ("b even", 0.5), ("a even", 0.5), ("strong", 0.9)):
        await desk.link(centre, await desk.file(name), "relates_to", strength=strength)
    await desk.link(await desk.file("source"), centre, "includes", strength=0.7)
    outgoing = [
        ("strong", "RELATES_TO", "outgoing", 0.9),
        ("a even", "RELATES_TO", "outgoing", 0.5),
        ("b even", "RELATES_TO", "outgoing", 0.5),
        ("weak", "RELATES_TO", "outgoing", 0.1),
    ]
    incoming = [("source", "INCLUDES", "incoming", 0.7)]
    assert await desk.related(centre) == [outgoing[0], *incoming, *outgoing[1:]]
    assert await desk.related(centre, direction="both", limit=2) == [outgoing[0], *incoming]
    assert await desk.related(centre, direction="outgoing") == outgoing
    assert await desk.related(centre, direction="incoming") == incoming
    assert await desk.related(centre, direction="outgoing", relationship_type="includes") == []


@promise("knowledge:related:limit")
async def test_twenty_neighbours_are_listed_unless_said_otherwise(desk: Desk) -> None:
    """The strongest ones, up to 50; a name is compared when strengths are equal."""
    centre = await desk.file("centre")
    for number in range(23):
        await desk.link(centre, await desk.file(f"n{number:02}"), "relates_to")
    assert [row[0] for row in await desk.related(centre)] == [f"n{number:02}" for number in range(20)]
    assert len(await desk.related(centre, limit=50)) == 23


@promise("knowledge:related:one-hop", "knowledge:delete:hidden")
async def test_only_direct_neighbours_that_live_are_related(desk: Desk) -> None:
    """A concept that comes back is not promised; one that is deleted is gone from its neighbours."""
    a, b, c = await desk.file("a"), await desk.file("b"), await desk.file("c")
    await desk.link(a, b)
    await desk.link(b, c)
    assert [row[0] for row in await desk.related(a)] == ["b"]
    await desk.door.ask(Written, "delete_concept", concept_id=b)
    assert await desk.related(a) == []
    assert await desk.related(c) == []
    assert await desk.prerequisites(c) == []


@promise("knowledge:prerequisites:direction", "knowledge:prerequisites:order")
async def test_prerequisites_are_walked_against_the_edges(desk: Desk) -> None:
    """A prerequisite edge from A to B means that B requires A; other edges do not count."""
    variables, functions = await desk.file("Variables"), await desk.file("Functions")
    decorators, closures = await desk.file("Decorators"), await desk.file("Closures")
    await desk.link(variables, functions)
    await desk.link(functions, decorators)
    await desk.link(closures, decorators)
    await desk.link(await desk.file("related"), decorators, "relates_to")
    await desk.link(await desk.file("container"), decorators, "includes")
    await desk.link(decorators, await desk.file("later"))
    assert await desk.prerequisites(decorators) == [("Closures", 1), ("Functions", 1), ("Variables", 2)]
    assert await desk.prerequisites(decorators, depth=1) == [("Closures", 1), ("Functions", 1)]
    assert await desk.prerequisites(variables) == []


@promise("knowledge:prerequisites:once")
async def test_each_prerequisite_is_listed_once_at_its_smallest_depth(desk: Desk) -> None:
    """Also in a circle, where the concept asked about is not its own prerequisite."""
    root, near, far = await desk.file("root"), await desk.file("near"), await desk.file("far")
    await desk.link(near, root)
    await desk.link(far, near)
    await desk.link(far, root)
    await desk.link(root, far)
    assert await desk.prerequisites(root, depth=5) == [("far", 1), ("near", 1)]


@promise("knowledge:prerequisites:depth")
async def test_prerequisites_reach_three_deep_unless_said_otherwise(desk: Desk) -> None:
    """And five at most."""
    ids = [await desk.file(f"c{number}") for number in range(7)]
    for number in range(6):
        await desk.link(ids[number + 1], ids[number])
    assert await desk.prerequisites(ids[0]) == [(f"c{depth}", depth) for depth in range(1, 4)]
    assert await desk.prerequisites(ids[0], depth=5) == [(f"c{depth}", depth) for depth in range(1, 6)]


@promise("knowledge:chain:length", "knowledge:chain:types")
async def test_a_chain_counts_its_relationships(desk: Desk) -> None:
    """Three concepts have length two; each says the type that leads to the next, the last one null."""
    a, b, c = await desk.file("a"), await desk.file("b"), await desk.file("c")
    await desk.link(a, b)
    await desk.link(b, c, "includes")
    assert await desk.chain(a, c) == [("a", "PREREQUISITE"), ("b", "INCLUDES"), ("c", None)]
    assert await desk.chain(a, a) == [("a", None)]


@promise("knowledge:chain:direction")
async def test_a_chain_ignores_direction_but_prefers_to_go_forward(desk: Desk) -> None:
    """Among shortest paths the one with most forward edges is taken."""
    a, z = await desk.file("a"), await desk.file("z")
    against, forward = await desk.file("against"), await desk.file("forward")
    await desk.link(against, a)
    await desk.link(z, against)
    assert [name for name, _ in await desk.chain(a, z)] == ["a", "against", "z"]
    await desk.link(a, forward)
    await desk.link(forward, z)
    assert [name for name, _ in await desk.chain(a, z)] == ["a", "forward", "z"]
    assert [name for name, _ in await desk.chain(z, a)] == ["z", "against", "a"]


@promise("knowledge:chain:none", "knowledge:errors:path-not-found")
async def test_no_path_within_the_depth_is_an_error(desk: Desk) -> None:
    """The default depth is 5, the largest 10."""
    ids = [await desk.file(f"c{number:02}") for number in range(12)]
    for one, two in pairwise(ids):
        await desk.link(one, two, "relates_to")
    lonely = await desk.file("lonely")
    assert len(await desk.chain(ids[0], ids[5])) == 6
    assert len(await desk.chain(ids[0], ids[10], max_depth=10)) == 11
    for end, more in ((ids[6], {}), (ids[2], {"max_depth": 1}), (ids[11], {"max_depth": 10}), (lonely, {})):
        arguments: dict[str, Json] = {"start_concept_id": ids[0], "end_concept_id": end, **more}
        assert (await desk.refused("get_concept_chain", arguments)).error == "path_not_found"


@promise("knowledge:chain:ends")
async def test_a_chain_needs_both_of_its_ends(desk: Desk) -> None:
    """An unknown one is not found, also when both are the same."""
    a = await desk.file("a")
    for start, end in ((a, UNKNOWN), (UNKNOWN, a), (UNKNOWN, UNKNOWN)):
        arguments: dict[str, Json] = {"start_concept_id": start, "end_concept_id": end}
        envelope = await desk.refused("get_concept_chain", arguments)
        assert (envelope.error, envelope.details.resource_id) == ("concept_not_found", UNKNOWN)
