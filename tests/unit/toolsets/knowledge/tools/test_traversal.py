"""Neighbours, prerequisites and chains: orders, depths and directions."""

from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.damage import table_gone
from tests.support.toolsets.knowledge import Instance, rows, toolset_in
from toolsets.knowledge.tools import traversal
from toolsets.replies import fitting_rows

NOBODY = "00000000-0000-4000-8000-000000000000"


def column(reply: JsonObject, name: str, key: str = "results") -> list[Json]:
    return [row[name] for row in rows(reply, key)]


async def test_neighbours_come_by_strength_and_then_by_name(knowledge: Instance) -> None:
    centre = await knowledge.create("Centre")
    ids = {name: await knowledge.create(name) for name in ("delta", "bravo", "alpha", "charlie")}
    await knowledge.link(centre, ids["delta"], "relates_to", 0.9)
    for name in ("bravo", "alpha"):
        await knowledge.link(centre, ids[name], "includes", 0.5)
    await knowledge.link(ids["charlie"], centre, "prerequisite", 0.5)
    reply = await knowledge.ask("get_related_concepts", concept_id=centre)
    assert column(reply, "name") == ["delta", "alpha", "bravo", "charlie"]
    assert reply["message"] == "Found 4 related concepts"
    assert rows(reply)[3] == {
        "concept_id": ids["charlie"],
        "name": "charlie",
        "relationship_type": "PREREQUISITE",
        "direction": "incoming",
        "strength": 0.5,
    }
    first_two = await knowledge.ask("get_related_concepts", concept_id=centre, limit=2)
    assert column(first_two, "name") == ["delta", "alpha"]
    outgoing = await knowledge.ask(
        "get_related_concepts", concept_id=centre, direction="outgoing", relationship_type="INCLUDES"
    )
    assert column(outgoing, "name") == ["alpha", "bravo"]


async def test_prerequisites_walk_against_the_edges_each_once_at_its_smallest_depth(knowledge: Instance) -> None:
    ids = {name: await knowledge.create(name) for name in ("goal", "near", "far", "farther", "child")}
    for source, target in (
        ("near", "goal"),
        ("far", "near"),
        ("far", "goal"),
        ("farther", "far"),
        ("goal", "farther"),
        ("goal", "child"),
    ):
        await knowledge.link(ids[source], ids[target])
    reply = await knowledge.ask("get_prerequisites", concept_id=ids["goal"])
    assert [(row["name"], row["depth"]) for row in rows(reply, "prerequisites")] == [
        ("far", 1),
        ("near", 1),
        ("farther", 2),
    ]
    assert reply["message"] == "Found 3 prerequisites"
    assert (await knowledge.ask("get_prerequisites", concept_id=ids["goal"], depth=1))["total"] == 2


async def test_a_chain_is_a_shortest_path_in_any_direction(knowledge: Instance) -> None:
    ids = {name: await knowledge.create(name) for name in ("Variables", "Functions", "Decorators", "Island")}
    await knowledge.link(ids["Variables"], ids["Functions"])
    await knowledge.link(ids["Decorators"], ids["Functions"], "relates_to")
    reply = await knowledge.ask(
        "get_concept_chain", start_concept_id=ids["Variables"], end_concept_id=ids["Decorators"]
    )
    steps = [(row["name"], row["relationship_to_next"]) for row in rows(reply, "path")]
    assert steps == [("Variables", "PREREQUISITE"), ("Functions", "RELATES_TO"), ("Decorators", None)]
    assert (reply["length"], reply["message"]) == (2, "Found path of length 2")

    async def chain(start: str, end: str, **more: Json) -> JsonObject:
        return await knowledge.ask("get_concept_chain", start_concept_id=start, end_concept_id=end, **more)

    assert (await chain(ids["Island"], ids["Island"]))["length"] == 0
    assert (await chain(ids["Variables"], ids["Island"]))["error"] == "path_not_found"
    assert (await chain(ids["Variables"], ids["Decorators"], max_depth=1))["error"] == "path_not_found"
    assert (await chain(ids["Variables"], NOBODY))["error"] == "concept_not_found"


async def test_a_concept_still_to_be_indexed_is_known_to_every_tool(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as instance:
        first = await instance.create("first")
        with table_gone(tmp_path / "graph.db", "nodes"):
            pending = await instance.create("pending")
        for tool in ("get_related_concepts", "get_prerequisites"):
            assert (await instance.ask(tool, concept_id=pending))["total"] == 0
        chain = {"start_concept_id": pending, "end_concept_id": pending}
        assert (await instance.ask("get_concept_chain", **chain))["length"] == 0
        assert (await instance.ask("get_concept_chain", **{**chain, "end_concept_id": first}))[
            "error"
        ] == "path_not_found"
        linked = await instance.link(first, pending)
        assert linked["message"] == "Relationship created; indexing is pending"
    async with toolset_in(tmp_path, relay=True) as instance:
        await instance.drained()
        assert (await instance.ask("get_prerequisites", concept_id=pending))["total"] == 1


async def test_a_list_of_prerequisites_stops_at_the_size_of_a_reply_with_the_nearest(
    knowledge: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real size takes thousands of concepts with the longest names; here it is one of three rows."""
    monkeypatch.setattr(traversal, "fitting_rows", partial(fitting_rows, room=400))
    chain = [await knowledge.create(f"step {number}") for number in range(6)]
    for later, earlier in pairwise(chain):
        await knowledge.link(earlier, later)
    reply = await knowledge.ask("get_prerequisites", concept_id=chain[0], depth=5)
    shown = column(reply, "name", "prerequisites")
    assert shown == [f"step {number}" for number in range(1, len(shown) + 1)]
    assert 0 < len(shown) < 5
    assert reply["total"] == len(shown)
    assert reply["message"] == f"Found 5 prerequisites; {len(shown)} of 5 shown, because a reply stops at about 8 MB"


async def test_the_message_says_that_there_are_more_prerequisites_than_are_considered(
    knowledge: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = await knowledge.create("Target")
    for name in ("a", "b", "c"):
        await knowledge.link(await knowledge.create(name), target)
    for most, message in ((3, "Found 3 prerequisites"), (2, "Found more than 2 prerequisites; 2 considered")):
        monkeypatch.setattr(traversal, "MAX_PREREQUISITES", most)
        reply = await knowledge.ask("get_prerequisites", concept_id=target)
        assert (reply["total"], reply["message"]) == (most, message)
