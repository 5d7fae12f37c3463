"""The hierarchy of all concepts, and concepts by certainty."""

import pytest

from backends.ports.values import Json
from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import Area, Hierarchy, Row, Rows, WriteReply


async def _area(connection: McpConnection, name: str) -> Area | None:
    """Return an area of the hierarchy, which must add up as a whole."""
    reply = await connection.ask(Hierarchy, "list_hierarchy")
    assert reply.total_concepts == sum(area.concept_count for area in reply.areas)
    assert reply.message == f"Hierarchy contains {len(reply.areas)} areas with {reply.total_concepts} concepts"
    assert [area.name for area in reply.areas] == sorted(area.name for area in reply.areas)
    for area in reply.areas:
        assert area.concept_count == sum(topic.concept_count for topic in area.topics)
        for topic in area.topics:
            assert topic.concept_count == sum(subtopic.concept_count for subtopic in topic.subtopics)
    return next((area for area in reply.areas if area.name == name), None)


def _shape(area: Area) -> dict[str, dict[str, int]]:
    return {topic.name: {each.name: each.concept_count for each in topic.subtopics} for topic in area.topics}


@promise("knowledge:hierarchy:counts", "knowledge:hierarchy:order", "knowledge:hierarchy:unplaced")
async def test_the_hierarchy_counts_every_concept_in_its_place(client: KnowledgeClient) -> None:
    """Names ascend; concepts without a topic or a subtopic are counted under `General`."""
    placements: list[dict[str, Json]] = [
        {"topic": "b", "subtopic": "y"},
        {"topic": "b", "subtopic": "x"},
        {"topic": "b", "subtopic": "x"},
        {"topic": "a"},
        {},
        {"subtopic": "alone"},
    ]
    for number, placement in enumerate(placements):
        await client.file(f"c{number}", **placement)
    area = await _area(client.connection, client.area)
    assert area is not None
    assert area.concept_count == 6
    assert _shape(area) == {"General": {"General": 1, "alone": 1}, "a": {"General": 1}, "b": {"x": 2, "y": 1}}
    assert [topic.name for topic in area.topics] == ["General", "a", "b"]


@promise("knowledge:hierarchy:unplaced")
async def test_concepts_without_an_area_are_uncategorized(client: KnowledgeClient) -> None:
    """They are counted like all others."""
    before = await _area(client.connection, "Uncategorized")
    await client.file(client.area, area=None)
    after = await _area(client.connection, "Uncategorized")
    assert after is not None
    assert after.concept_count == (before.concept_count if before else 0) + 1


@promise("knowledge:hierarchy:fresh", "knowledge:delete:hidden")
async def test_the_hierarchy_follows_every_write(client: KnowledgeClient) -> None:
    """No cache outlives a change."""
    assert await _area(client.connection, client.area) is None
    concept_id = await client.file("c")
    assert (await _area(client.connection, client.area)) is not None
    await client.connection.ask(WriteReply, "update_concept", concept_id=concept_id, topic="t")
    area = await _area(client.connection, client.area)
    assert area is not None
    assert _shape(area) == {"t": {"General": 1}}
    await client.connection.ask(WriteReply, "delete_concept", concept_id=concept_id)
    assert await _area(client.connection, client.area) is None


async def _between(connection: McpConnection, low: float | None, high: float | None, **more: Json) -> list[Row]:
    bounds: dict[str, Json] = {"min_certainty": low, "max_certainty": high}
    reply = await connection.ask(Rows, "get_concepts_by_certainty", **bounds, **more)
    said_low, said_high = (f"{bound:g}" for bound in (low or 0, 100 if high is None else high))
    assert reply.message == f"Found {reply.total} concepts with certainty between {said_low} and {said_high}"
    assert reply.total == len(reply.results)
    return reply.results


@promise("knowledge:certainty:bounds", "knowledge:certainty:order", "knowledge:certainty:reply")
async def test_concepts_are_listed_by_certainty_with_both_bounds_inclusive(client: KnowledgeClient) -> None:
    """The least certain come first."""
    scores = {"a": 61.125, "b": 61.25, "c": 61.375, "d": 61.5}
    ids = {name: await client.file(name, certainty_score=score) for name, score in reversed(scores.items())}
    for low, high, names in (
        (61.125, 61.5, "abcd"),
        (61.25, 61.375, "bc"),
        (61.25, 61.25, "b"),
        (61.3, 61.37, ""),
    ):
        rows = await _between(client.connection, low, high, limit=50)
        assert [row.concept_id for row in rows if row.area == client.area] == [ids[name] for name in names]
        assert [row.certainty_score for row in rows] == sorted(row.certainty_score for row in rows)


@promise("knowledge:certainty:defaults")
async def test_all_certainties_are_listed_unless_said_otherwise(client: KnowledgeClient) -> None:
    """The default range is 0 to 100, the default limit twenty."""
    for number in range(21):
        await client.file(f"c{number:02}", certainty_score=0)
    rows = await _between(client.connection, None, None)
    assert (len(rows), {row.certainty_score for row in rows}) == (20, {0})
    assert len(await _between(client.connection, 0, None, limit=50)) >= 21


@promise("knowledge:certainty:empty-range")
@pytest.mark.parametrize(("low", "high"), [(51, 50), (100, 0), (0.2, 0.1)])
async def test_a_range_that_ends_before_it_begins_is_refused(client: KnowledgeClient, low: float, high: float) -> None:
    """An empty list would hide the mistake."""
    envelope = await client.refused("get_concepts_by_certainty", {"min_certainty": low, "max_certainty": high})
    assert envelope.error == "validation_error"
