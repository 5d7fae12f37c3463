"""Finding concepts: by meaning, by criteria, and the latest."""

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import RecentRows, Rows, SemanticHits, WriteReply

CONCEPTS = {
    "Python For Loops": "For loops iterate over sequences like lists, tuples and strings in Python.",
    "Python While Loops": "While loops in Python repeat as long as a condition is true.",
    "Photosynthesis": "Plants turn sunlight, water and carbon dioxide into sugar and oxygen.",
    "Sourdough": "Bread that rises by a culture of wild yeast and bacteria.",
}


async def _search(client: KnowledgeClient, query: str, **more: Json) -> SemanticHits:
    arguments: dict[str, Json] = {"query": query, "area": client.area, **more}
    reply = await client.connection.ask(SemanticHits, "search_concepts_semantic", **arguments)
    assert (reply.total, reply.message) == (len(reply.results), "Found")
    return reply


@promise("knowledge:semantic:order", "knowledge:semantic:reply")
async def test_a_semantic_search_ranks_by_meaning(client: KnowledgeClient) -> None:
    """The best come first, with similarities from 0 to 1 of at most four decimals."""
    for name, text in CONCEPTS.items():
        await client.file(name, text, topic="t", certainty_score=50)
    reply = await _search(client, "How do I loop through items in Python?")
    assert [hit.name for hit in reply.results[:2]] == ["Python For Loops", "Python While Loops"]
    similarities = [hit.similarity for hit in reply.results]
    assert similarities == sorted(similarities, reverse=True)
    assert similarities == [round(similarity, 4) for similarity in similarities]
    assert {(hit.area, hit.topic, hit.certainty_score) for hit in reply.results} == {(client.area, "t", 50)}
    assert (await _search(client, "bread from wild yeast")).results[0].name == "Sourdough"


@promise("knowledge:semantic:explanation")
async def test_a_concept_is_found_by_its_own_explanation_with_similarity_one(client: KnowledgeClient) -> None:
    """The vector is made from the explanation only, and a new explanation changes it."""
    concept_id = await client.file("Bees", "Bees dance to tell where flowers are.")
    [hit] = (await _search(client, "Bees dance to tell where flowers are.")).results
    assert (hit.concept_id, hit.similarity) == (concept_id, 1.0)
    await client.connection.ask(
        WriteReply, "update_concept", concept_id=concept_id, explanation="Glaciers carve valleys."
    )
    [hit] = (await _search(client, "Glaciers carve valleys.")).results
    assert hit.similarity == 1.0
    [hit] = (await _search(client, "Bees dance to tell where flowers are.")).results
    assert hit.similarity < 0.9


@promise("knowledge:semantic:filters")
async def test_a_semantic_search_keeps_to_area_topic_and_certainty(client: KnowledgeClient) -> None:
    """The filters combine; the lower bound of certainty is inclusive."""
    for number in range(6):
        await client.file(
            f"c{number}", f"Concept number {number}.", topic=f"t{number % 2}", certainty_score=number * 10
        )
    everything = (await _search(client, "concept")).results
    assert {hit.name for hit in everything} == {f"c{number}" for number in range(6)}
    assert {hit.name for hit in (await _search(client, "concept", topic="t1")).results} == {"c1", "c3", "c5"}
    assert {hit.name for hit in (await _search(client, "concept", min_certainty=30)).results} == {"c3", "c4", "c5"}
    both = await _search(client, "concept", topic="t1", min_certainty=30)
    assert {hit.name for hit in both.results} == {"c3", "c5"}
    assert (await _search(client, "concept", area="no such area")).results == []


@promise("knowledge:semantic:limit")
async def test_a_semantic_search_fills_its_limit_although_certainty_is_filtered_late(client: KnowledgeClient) -> None:
    """The default limit is 10; concepts that are too uncertain take no places."""
    for number in range(24):
        await client.file(
            f"c{number}", f"A note about rivers, part {number}.", certainty_score=90 if number % 4 == 0 else 10
        )
    assert len((await _search(client, "rivers")).results) == 10
    assert len((await _search(client, "rivers", limit=24)).results) == 24
    certain = (await _search(client, "rivers", limit=6, min_certainty=90)).results
    assert len(certain) == 6


@promise("knowledge:semantic:fresh")
async def test_a_semantic_search_sees_what_was_just_written(client: KnowledgeClient) -> None:
    """Renamed, moved, rescored and deleted concepts are found in their present state."""
    concept_id = await client.file("before", "Volcanoes erupt molten rock.", certainty_score=10)
    await client.connection.ask(
        WriteReply, "update_concept", concept_id=concept_id, name="after", topic="new", certainty_score=80
    )
    [hit] = (await _search(client, "volcano", topic="new", min_certainty=80)).results
    assert (hit.name, hit.topic, hit.certainty_score) == ("after", "new", 80)
    await client.connection.ask(WriteReply, "delete_concept", concept_id=concept_id)
    assert (await _search(client, "volcano")).results == []


@promise("knowledge:exact:name")
@pytest.mark.parametrize("needle", ["loop", "LOOP", "python f", "n F", "Python For Loops", "s"])
async def test_a_name_is_searched_by_substring_whatever_its_case(client: KnowledgeClient, needle: str) -> None:
    """The substring may be anywhere in the name."""
    await client.file("Python For Loops")
    await client.file("Quark")
    assert [row.name for row in await client.exact(name=needle)] == ["Python For Loops"]


@promise("knowledge:exact:criteria", "knowledge:exact:reply")
async def test_exact_criteria_are_combined_and_equal_to_the_letter(client: KnowledgeClient) -> None:
    """Area, topic and subtopic must be equal, case included; certainty is a lower bound."""
    one = await client.file("one loop", topic="t", subtopic="s", certainty_score=50)
    await client.file("two loops", topic="T", subtopic="s", certainty_score=60)
    await client.file("three loops", topic="t", subtopic="S", certainty_score=70)
    assert [row.concept_id for row in await client.exact(name="loop", topic="t", subtopic="s", min_certainty=50)] == [
        one
    ]
    assert [row.name for row in await client.exact(topic="t")] == ["three loops", "one loop"]
    assert [row.name for row in await client.exact(min_certainty=60)] == ["three loops", "two loops"]
    assert await client.exact(name="loop", topic="t", subtopic="s", min_certainty=51) == []
    [row] = await client.exact(subtopic="s", topic="t")
    concept = await client.read(one)
    assert row.model_dump() == concept.model_dump(exclude={"explanation", "last_modified", "explanation_history"})


@promise("knowledge:exact:order", "knowledge:exact:limit")
async def test_exact_results_come_newest_first_up_to_the_limit(client: KnowledgeClient) -> None:
    """The default limit is 20, the largest 100."""
    for number in range(22):
        await client.file(f"c{number:02}")
    newest = [f"c{number:02}" for number in reversed(range(22))]
    assert [row.name for row in await client.exact()] == newest[:20]
    assert [row.name for row in await client.exact(limit=100)] == newest
    assert [row.name for row in await client.exact(limit=1)] == newest[:1]


@promise("knowledge:exact:unplaced")
async def test_the_names_of_missing_levels_find_concepts_without_them(client: KnowledgeClient) -> None:
    """`Uncategorized` stands for no area, `General` for no topic and no subtopic."""
    await client.file("placed", topic="t", subtopic="s")
    bare = await client.file("bare")
    assert [row.concept_id for row in await client.exact(topic="General")] == [bare]
    assert [row.concept_id for row in await client.exact(subtopic="General")] == [bare]
    unplaced = await client.file(f"unplaced {client.area}", area=None)
    found = await client.exact(area="Uncategorized", name=client.area)
    assert [(row.concept_id, row.area) for row in found] == [(unplaced, None)]
    hits = await _search(client, "A concept made for a test.", topic="General")
    assert [hit.concept_id for hit in hits.results] == [bare]


@promise("knowledge:exact:no-criteria", "knowledge:recent:order", "knowledge:recent:reply")
async def test_without_criteria_the_newest_concepts_are_listed(client: KnowledgeClient) -> None:
    """They come in the order of the recent concepts, newest first."""
    ids = [await client.file(f"c{number}", topic="t") for number in range(3)]
    recent = await client.connection.ask(RecentRows, "get_recent_concepts", limit=3)
    assert [row.concept_id for row in recent.results] == ids[::-1]
    assert {(row.area, row.topic) for row in recent.results} == {(client.area, "t")}
    assert (recent.total, recent.message) == (3, "Found")
    rows = await client.connection.ask(Rows, "search_concepts_exact", limit=3)
    assert [row.concept_id for row in rows.results] == ids[::-1]


@promise("knowledge:recent:limit")
async def test_twenty_recent_concepts_are_listed_unless_said_otherwise(client: KnowledgeClient) -> None:
    """Deleted concepts are not listed."""
    ids = [await client.file(f"c{number}") for number in range(21)]
    await client.connection.ask(WriteReply, "delete_concept", concept_id=ids[-1])
    recent = await client.connection.ask(RecentRows, "get_recent_concepts")
    assert [row.concept_id for row in recent.results] == ids[19::-1]
    assert len((await client.connection.ask(RecentRows, "get_recent_concepts", limit=1)).results) == 1
