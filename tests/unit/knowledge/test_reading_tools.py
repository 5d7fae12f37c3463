"""Searching, following relationships, counting: filters, orders and messages."""

import pytest

from backends.ports.values import Json, JsonObject
from tests.unit.knowledge.running import Instance, rows

NOBODY = "00000000-0000-4000-8000-000000000000"


def column(reply: JsonObject, name: str, key: str = "results") -> list[Json]:
    return [row[name] for row in rows(reply, key)]


async def test_filters_combine_in_a_search_by_meaning(knowledge: Instance) -> None:
    await knowledge.create("low", explanation="Cats purr.", area="Animals", topic="Pets", certainty_score=10)
    right = await knowledge.create("right", explanation="Cats meow.", area="Animals", topic="Pets", certainty_score=80)
    await knowledge.create("area", explanation="Cats sleep.", area="Music", topic="Pets", certainty_score=80)
    await knowledge.create("topic", explanation="Cats eat.", area="Animals", topic="Wild", certainty_score=80)
    reply = await knowledge.ask(
        "search_concepts_semantic", query="cats", min_certainty=50, area="Animals", topic="Pets", limit=3
    )
    assert (column(reply, "concept_id"), reply["total"], reply["message"]) == ([right], 1, "Found")
    row = rows(reply)[0]
    assert set(row) == {"concept_id", "name", "similarity", "area", "topic", "certainty_score"}
    assert 0 <= float(str(row["similarity"])) <= 1


async def test_certainty_filters_before_the_limit(knowledge: Instance) -> None:
    for number in range(30):
        await knowledge.create(
            f"c{number}", explanation=f"Cats {number}.", certainty_score=90 if number % 10 == 0 else 1
        )
    reply = await knowledge.ask("search_concepts_semantic", query="cats", limit=3, min_certainty=50)
    assert reply["total"] == 3


async def test_the_names_of_missing_levels_find_what_misses_them(knowledge: Instance) -> None:
    await knowledge.create("none")
    await knowledge.create("placed", area="A", topic="T", subtopic="S")
    await knowledge.create("named", area="Uncategorized", topic="General", subtopic="General")
    for criteria in ({"area": "Uncategorized"}, {"topic": "General"}, {"subtopic": "General"}):
        assert sorted(await knowledge.names(**criteria)) == ["named", "none"]
    reply = await knowledge.ask("search_concepts_semantic", query="all", area="Uncategorized", topic="General")
    assert sorted(str(name) for name in column(reply, "name")) == ["named", "none"]


async def test_exact_search_ignores_case_in_names_only_and_lists_the_newest_first(knowledge: Instance) -> None:
    for name in ("Python For Loops", "LOOP basics", "other"):
        await knowledge.create(name, area="Programming")
    reply = await knowledge.ask("search_concepts_exact", name="loop", area="Programming")
    assert column(reply, "name") == ["LOOP basics", "Python For Loops"]
    assert reply["message"] == "Found 2 concepts matching criteria"
    assert await knowledge.names(area="programming") == []
    assert await knowledge.names() == ["other", "LOOP basics", "Python For Loops"]
    assert column(await knowledge.ask("get_recent_concepts", limit=2), "name") == ["other", "LOOP basics"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_concepts_semantic", {"query": "x", "limit": 51}),
        ("search_concepts_semantic", {"query": "  "}),
        ("search_concepts_exact", {"limit": 101}),
        ("search_concepts_exact", {"limit": 0}),
        ("search_concepts_exact", {"name": ""}),
        ("get_recent_concepts", {"limit": "5"}),
        ("get_recent_concepts", {"limit": True}),
        ("get_concepts_by_certainty", {"min_certainty": 60, "max_certainty": 50}),
        ("get_concepts_by_certainty", {"max_certainty": 101}),
        ("get_prerequisites", {"concept_id": NOBODY, "depth": 6}),
        ("get_concept_chain", {"start_concept_id": NOBODY, "end_concept_id": NOBODY, "max_depth": 11}),
        ("get_related_concepts", {"concept_id": NOBODY, "direction": "up"}),
        ("get_related_concepts", {"concept_id": NOBODY, "relationship_type": "knows"}),
        ("ping", {"verbose": True}),
    ],
)
async def test_what_is_out_of_range_is_refused(knowledge: Instance, tool: str, arguments: dict[str, Json]) -> None:
    reply = await knowledge.reply(tool, **arguments)
    assert reply.is_error
    assert reply.structured["error"] == "validation_error"


async def test_certainty_lists_the_weakest_first_with_both_bounds_inside(knowledge: Instance) -> None:
    for score in (50, 0, 100, 30):
        await knowledge.create(f"c{score}", certainty_score=score)
    reply = await knowledge.ask("get_concepts_by_certainty", max_certainty=50)
    assert column(reply, "certainty_score") == [0, 30, 50]
    assert reply["message"] == "Found 3 concepts with certainty between 0 and 50"
    assert column(await knowledge.ask("get_concepts_by_certainty"), "certainty_score") == [0, 30, 50, 100]


async def test_relationships_are_made_once_and_can_be_made_again(knowledge: Instance) -> None:
    a, b = await knowledge.create("A"), await knowledge.create("B")
    made = await knowledge.link(a, b)
    assert made["message"] == "Relationship created"
    assert str(made["relationship_id"]).startswith("rel-")
    assert len(str(made["relationship_id"])) == 16
    again = await knowledge.link(a, b)
    assert again["error"] == "validation_error"
    edge: dict[str, Json] = {"source_id": a, "target_id": b, "relationship_type": "PREREQUISITE"}
    removed = await knowledge.ask("delete_relationship", **edge)
    assert removed == {**made, "message": "Relationship deleted"}
    assert (await knowledge.ask("delete_relationship", **edge))["error"] == "relationship_not_found"
    assert (await knowledge.link(a, b))["relationship_id"] == made["relationship_id"]
    assert (await knowledge.ask("get_related_concepts", concept_id=a))["total"] == 1


async def test_relationships_need_two_different_live_ends_and_a_known_type(knowledge: Instance) -> None:
    a, b = await knowledge.create("A"), await knowledge.create("B")
    assert (await knowledge.link(a, a))["error"] == "validation_error"
    assert (await knowledge.link(a, NOBODY))["error"] == "concept_not_found"
    assert (await knowledge.link("nobody", b))["error"] == "concept_not_found"
    assert (await knowledge.link(a, b, "knows"))["error"] == "validation_error"
    assert (await knowledge.link(a, b, strength=1.01))["error"] == "validation_error"
    await knowledge.link(a, b)
    await knowledge.ask("delete_concept", concept_id=b)
    assert (await knowledge.link(a, b, "includes"))["error"] == "concept_not_found"
    reply = await knowledge.ask("delete_relationship", source_id=a, target_id=b, relationship_type="prerequisite")
    assert reply["error"] == "relationship_not_found"


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


async def test_a_chain_is_a_shortest_way_whatever_the_directions(knowledge: Instance) -> None:
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


async def test_the_hierarchy_follows_every_write(knowledge: Instance) -> None:
    id_ = await knowledge.create("A", area="X", topic="T")
    await knowledge.create("B")
    reply = await knowledge.ask("list_hierarchy")
    assert reply["message"] == "Hierarchy contains 2 areas with 2 concepts"
    assert column(reply, "name", "areas") == ["Uncategorized", "X"]
    await knowledge.ask("update_concept", concept_id=id_, area="Y")
    assert column(await knowledge.ask("list_hierarchy"), "name", "areas") == ["Uncategorized", "Y"]
    await knowledge.ask("delete_concept", concept_id=id_)
    assert (await knowledge.ask("list_hierarchy"))["total_concepts"] == 1


async def test_the_counters_count_pairs_of_event_and_store(knowledge: Instance) -> None:
    assert await knowledge.outbox() == (0, 0, 0)
    a, b = await knowledge.create("A"), await knowledge.create("B")
    await knowledge.link(a, b)
    await knowledge.ask("update_concept", concept_id=a, name="C")
    stats = await knowledge.ask("get_server_stats")
    assert stats == {
        "success": True,
        "event_store": {"total_events": 4, "concept_events": 3},
        "outbox": {"pending": 0, "processed": 7, "failed": 0},
        "status": "healthy",
    }


async def test_all_tools_are_available_and_sorted(knowledge: Instance) -> None:
    reply = await knowledge.ask("get_tool_availability")
    assert reply["available"] == sorted(knowledge.tools)
    assert (reply["unavailable"], reply["total_tools"], reply["success"]) == ([], 17, True)


async def test_ping_answers_in_its_own_form(knowledge: Instance) -> None:
    reply = await knowledge.ask("ping")
    assert reply == {
        "status": "ok",
        "message": "MCP Knowledge Server is running",
        "server_name": "knowledge-server",
        "timestamp": reply["timestamp"],
    }
    assert len(str(reply["timestamp"])) == 26
