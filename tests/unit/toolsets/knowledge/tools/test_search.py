"""Searching by meaning and exactly: filters, orders and limits."""

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.toolsets.knowledge import Instance, rows

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
        ("search_concepts_exact", {"name": " "}),
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


async def test_concepts_of_one_meaning_come_by_name(knowledge: Instance) -> None:
    for name in ("d", "b", "a", "c"):
        await knowledge.ask("create_concept", name=name, explanation="Molten rock that erupts from a mountain.")
    reply = await knowledge.ask("search_concepts_semantic", query="lava", limit=3)
    assert [row["name"] for row in rows(reply)] == ["a", "b", "c"]
