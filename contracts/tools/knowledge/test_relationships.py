"""Relationships: making and removing them, neighbours, prerequisites, and the chain between two concepts."""

from itertools import pairwise

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.knowledge.client import UNKNOWN, KnowledgeClient
from contracts.tools.knowledge.replies import RelationshipReply, WriteReply


@promise("knowledge:link:reply", "knowledge:link:id", "knowledge:unlink:reply")
async def test_a_relationship_has_an_id_made_of_its_ends_and_type(client: KnowledgeClient) -> None:
    """The id is the same at creation, at removal and when the edge is created again."""
    a, b = await client.file("a"), await client.file("b")
    ends: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "prerequisite"}
    made = await client.connection.ask(RelationshipReply, "create_relationship", **ends, strength=0.5, notes="why")
    assert made.message == "Relationship created"
    gone = await client.connection.ask(RelationshipReply, "delete_relationship", **ends)
    assert (gone.relationship_id, gone.message) == (made.relationship_id, "Relationship deleted")
    assert await client.related(a) == []
    assert await client.link(a, b) == made.relationship_id
    others = {await client.link(b, a), await client.link(a, b, "includes"), await client.link(a, b, "relates_to")}
    assert len({made.relationship_id, *others}) == 4


@promise("knowledge:link:types")
@pytest.mark.parametrize("kind", ["prerequisite", "relates_to", "includes", "PREREQUISITE", "RELATES_TO", "INCLUDES"])
async def test_a_type_is_accepted_as_documented_and_as_printed(client: KnowledgeClient, kind: str) -> None:
    """Replies have it in capitals, and both forms work in filters and removals."""
    a, b = await client.file("a"), await client.file("b")
    await client.link(a, b, kind)
    for form in (kind.lower(), kind.upper()):
        assert await client.related(a, relationship_type=form) == [("b", kind.upper(), "outgoing", 1.0)]
    form = kind.swapcase()
    await client.connection.ask(
        RelationshipReply, "delete_relationship", source_id=a, target_id=b, relationship_type=form
    )
    assert await client.related(a) == []


@promise("knowledge:link:refused")
async def test_a_relationship_is_refused_when_it_exists_or_is_a_loop_or_of_another_type(
    client: KnowledgeClient,
) -> None:
    """Nothing is written in these cases."""
    a, b = await client.file("a"), await client.file("b")
    await client.link(a, b)
    for source, target, kind in (
        (a, b, "prerequisite"),
        (a, a, "includes"),
        (a, b, "knows"),
        (a, b, ""),
        (a, b, "Includes "),
    ):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": kind}
        assert (await client.refused("create_relationship", arguments)).error == "validation_error"
    assert await client.related(a) == [("b", "PREREQUISITE", "outgoing", 1.0)]


@promise("knowledge:link:ends")
async def test_a_relationship_needs_both_concepts(client: KnowledgeClient) -> None:
    """The error names the missing concept."""
    a = await client.file("a")
    for source, target in ((a, UNKNOWN), (UNKNOWN, a)):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": "includes"}
        envelope = await client.refused("create_relationship", arguments)
        assert (envelope.error, envelope.details.resource_id) == ("concept_not_found", UNKNOWN)


@promise("knowledge:unlink:missing", "knowledge:errors:relationship-not-found")
async def test_removing_a_relationship_that_is_not_there_says_so(client: KnowledgeClient) -> None:
    """The type, the direction or an end may differ; an unknown type is invalid input."""
    a, b = await client.file("a"), await client.file("b")
    await client.link(a, b)
    for source, target, kind in (
        (a, b, "includes"),
        (b, a, "prerequisite"),
        (a, UNKNOWN, "prerequisite"),
        (UNKNOWN, b, "includes"),
    ):
        arguments: dict[str, Json] = {"source_id": source, "target_id": target, "relationship_type": kind}
        assert (await client.refused("delete_relationship", arguments)).error == "relationship_not_found"
    bad: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "knows"}
    assert (await client.refused("delete_relationship", bad)).error == "validation_error"
    assert await client.related(a) == [("b", "PREREQUISITE", "outgoing", 1.0)]


@promise("knowledge:unlink:deleted-end")
async def test_an_edge_whose_end_was_deleted_can_be_deleted_once(client: KnowledgeClient) -> None:
    """The edge stays recorded when one of its concepts is deleted."""
    for gone in ("source_id", "target_id"):
        ends: dict[str, Json] = {"source_id": await client.file("a"), "target_id": await client.file("b")}
        edge: dict[str, Json] = {**ends, "relationship_type": "includes"}
        made = await client.connection.ask(RelationshipReply, "create_relationship", **edge)
        await client.connection.ask(WriteReply, "delete_concept", concept_id=ends[gone])
        deleted = await client.connection.ask(RelationshipReply, "delete_relationship", **edge)
        assert deleted.relationship_id == made.relationship_id
        assert (await client.refused("delete_relationship", edge)).error == "relationship_not_found"
        for left in ends.values():
            if left != ends[gone]:
                await client.connection.ask(WriteReply, "delete_concept", concept_id=left)


@promise("knowledge:related:direction", "knowledge:related:order")
async def test_neighbours_come_by_strength_and_then_by_name(client: KnowledgeClient) -> None:
    """Direction is relative to the concept in the call; the default is both."""
    centre = await client.file("centre")
    for name, strength in (("weak", 0.1), ("b even", 0.5), ("a even", 0.5), ("strong", 0.9)):
        await client.link(centre, await client.file(name), "relates_to", strength=strength)
    await client.link(await client.file("source"), centre, "includes", strength=0.7)
    outgoing = [
        ("strong", "RELATES_TO", "outgoing", 0.9),
        ("a even", "RELATES_TO", "outgoing", 0.5),
        ("b even", "RELATES_TO", "outgoing", 0.5),
        ("weak", "RELATES_TO", "outgoing", 0.1),
    ]
    incoming = [("source", "INCLUDES", "incoming", 0.7)]
    assert await client.related(centre) == [outgoing[0], *incoming, *outgoing[1:]]
    assert await client.related(centre, direction="both", limit=2) == [outgoing[0], *incoming]
    assert await client.related(centre, direction="outgoing") == outgoing
    assert await client.related(centre, direction="incoming") == incoming
    assert await client.related(centre, direction="outgoing", relationship_type="includes") == []


@promise("knowledge:related:limit")
async def test_twenty_neighbours_are_listed_unless_said_otherwise(client: KnowledgeClient) -> None:
    """The strongest are listed, up to 50; equal strengths go by name."""
    centre = await client.file("centre")
    for number in range(23):
        await client.link(centre, await client.file(f"n{number:02}"), "relates_to")
    assert [row[0] for row in await client.related(centre)] == [f"n{number:02}" for number in range(20)]
    assert len(await client.related(centre, limit=50)) == 23


@promise("knowledge:related:one-hop", "knowledge:delete:hidden")
async def test_only_direct_neighbours_that_live_are_related(client: KnowledgeClient) -> None:
    """A deleted concept disappears from its neighbours."""
    a, b, c = await client.file("a"), await client.file("b"), await client.file("c")
    await client.link(a, b)
    await client.link(b, c)
    assert [row[0] for row in await client.related(a)] == ["b"]
    await client.connection.ask(WriteReply, "delete_concept", concept_id=b)
    assert await client.related(a) == []
    assert await client.related(c) == []
    assert await client.prerequisites(c) == []


@promise("knowledge:prerequisites:direction", "knowledge:prerequisites:order")
async def test_prerequisites_are_walked_against_the_edges(client: KnowledgeClient) -> None:
    """A prerequisite edge from A to B means that B requires A; other edges do not count."""
    variables, functions = await client.file("Variables"), await client.file("Functions")
    decorators, closures = await client.file("Decorators"), await client.file("Closures")
    await client.link(variables, functions)
    await client.link(functions, decorators)
    await client.link(closures, decorators)
    await client.link(await client.file("related"), decorators, "relates_to")
    await client.link(await client.file("container"), decorators, "includes")
    await client.link(decorators, await client.file("later"))
    assert await client.prerequisites(decorators) == [("Closures", 1), ("Functions", 1), ("Variables", 2)]
    assert await client.prerequisites(decorators, depth=1) == [("Closures", 1), ("Functions", 1)]
    assert await client.prerequisites(variables) == []


@promise("knowledge:prerequisites:once")
async def test_each_prerequisite_is_listed_once_at_its_smallest_depth(client: KnowledgeClient) -> None:
    """This holds in cycles, too, where a concept is not its own prerequisite."""
    root, near, far = await client.file("root"), await client.file("near"), await client.file("far")
    await client.link(near, root)
    await client.link(far, near)
    await client.link(far, root)
    await client.link(root, far)
    assert await client.prerequisites(root, depth=5) == [("far", 1), ("near", 1)]


@promise("knowledge:prerequisites:depth")
async def test_prerequisites_reach_three_deep_unless_said_otherwise(client: KnowledgeClient) -> None:
    """The largest depth is five."""
    ids = [await client.file(f"c{number}") for number in range(7)]
    for number in range(6):
        await client.link(ids[number + 1], ids[number])
    assert await client.prerequisites(ids[0]) == [(f"c{depth}", depth) for depth in range(1, 4)]
    assert await client.prerequisites(ids[0], depth=5) == [(f"c{depth}", depth) for depth in range(1, 6)]


@promise("knowledge:chain:length", "knowledge:chain:types")
async def test_a_chain_counts_its_relationships(client: KnowledgeClient) -> None:
    """Three concepts have length two; each has the type of the edge to the next, the last one null."""
    a, b, c = await client.file("a"), await client.file("b"), await client.file("c")
    await client.link(a, b)
    await client.link(b, c, "includes")
    assert await client.chain(a, c) == [("a", "PREREQUISITE"), ("b", "INCLUDES"), ("c", None)]
    assert await client.chain(a, a) == [("a", None)]


@promise("knowledge:chain:direction")
async def test_a_chain_ignores_direction_but_prefers_to_go_forward(client: KnowledgeClient) -> None:
    """Among shortest paths, the one with the most forward edges is returned."""
    a, z = await client.file("a"), await client.file("z")
    against, forward = await client.file("against"), await client.file("forward")
    await client.link(against, a)
    await client.link(z, against)
    assert [name for name, _ in await client.chain(a, z)] == ["a", "against", "z"]
    await client.link(a, forward)
    await client.link(forward, z)
    assert [name for name, _ in await client.chain(a, z)] == ["a", "forward", "z"]
    assert [name for name, _ in await client.chain(z, a)] == ["z", "against", "a"]


@promise("knowledge:chain:none", "knowledge:errors:path-not-found")
async def test_no_path_within_the_depth_is_an_error(client: KnowledgeClient) -> None:
    """The default depth is 5, the largest 10."""
    ids = [await client.file(f"c{number:02}") for number in range(12)]
    for one, two in pairwise(ids):
        await client.link(one, two, "relates_to")
    lonely = await client.file("lonely")
    assert len(await client.chain(ids[0], ids[5])) == 6
    assert len(await client.chain(ids[0], ids[10], max_depth=10)) == 11
    for end, more in ((ids[6], {}), (ids[2], {"max_depth": 1}), (ids[11], {"max_depth": 10}), (lonely, {})):
        arguments: dict[str, Json] = {"start_concept_id": ids[0], "end_concept_id": end, **more}
        assert (await client.refused("get_concept_chain", arguments)).error == "path_not_found"


@promise("knowledge:chain:ends")
async def test_a_chain_needs_both_of_its_ends(client: KnowledgeClient) -> None:
    """An unknown end is not found, also when both are the same."""
    a = await client.file("a")
    for start, end in ((a, UNKNOWN), (UNKNOWN, a), (UNKNOWN, UNKNOWN)):
        arguments: dict[str, Json] = {"start_concept_id": start, "end_concept_id": end}
        envelope = await client.refused("get_concept_chain", arguments)
        assert (envelope.error, envelope.details.resource_id) == ("concept_not_found", UNKNOWN)
