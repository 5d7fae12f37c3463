"""Concepts: creating, reading, changing and deleting them, their history, and names that are unique."""

import json
import uuid

import anyio
import pytest

from backends.ports.values import Json
from contracts.client import ToolReply
from contracts.promises import promise
from contracts.tools.knowledge.client import UNKNOWN, KnowledgeClient
from contracts.tools.knowledge.replies import Concept, WriteReply

EVERYTHING: dict[str, Json] = {"topic": "Python", "subtopic": "Control Flow", "certainty_score": 90}


@promise("knowledge:create:reply", "knowledge:get:reply")
async def test_a_concept_is_read_as_it_was_created(client: KnowledgeClient) -> None:
    """It has an id from the server, every field, and times in UTC."""
    created = await client.connection.ask(
        WriteReply, "create_concept", name="For loops", explanation="They iterate.", area=client.area, **EVERYTHING
    )
    assert created.message == "Created"
    assert uuid.UUID(created.concept_id).version == 4
    got = await client.read(created.concept_id)
    assert got.created_at == got.last_modified
    assert got == Concept(
        concept_id=created.concept_id,
        name="For loops",
        explanation="They iterate.",
        area=client.area,
        topic="Python",
        subtopic="Control Flow",
        certainty_score=90,
        created_at=got.created_at,
        last_modified=got.last_modified,
    )


@promise("knowledge:create:optional")
async def test_what_is_not_sent_or_null_is_null(client: KnowledgeClient) -> None:
    """Missing placement is null, the score is a number."""
    one = await client.file("not sent")
    other = await client.file("null", topic=None, subtopic=None, certainty_score=None)
    for concept in (await client.read(one), await client.read(other)):
        assert (concept.topic, concept.subtopic) == (None, None)
        assert 0 <= concept.certainty_score <= 100


@promise("knowledge:create:confidence")
async def test_a_score_left_out_is_worked_out_and_one_set_by_hand_stays(client: KnowledgeClient) -> None:
    """A richer concept never scores less; an update without a score keeps a score set by hand."""
    thin = await client.read(await client.file("thin", "Short."))
    rich_id = await client.file("rich", "A long explanation with much substance. " * 30, topic="t", subtopic="s")
    rich = await client.read(rich_id)
    assert 0 <= thin.certainty_score < rich.certainty_score <= 100
    by_hand = await client.file("by hand", certainty_score=7.5)
    await client.connection.ask(WriteReply, "update_concept", concept_id=by_hand, explanation="Much more to say. " * 40)
    assert (await client.read(by_hand)).certainty_score == 7.5


@promise("knowledge:create:limits")
@pytest.mark.parametrize("score", [0, 100, 0.5, 99.99])
async def test_values_at_their_limits_are_accepted(client: KnowledgeClient, score: float) -> None:
    """Names have 200 characters, levels 100, certainty 0 to 100; characters are counted, not bytes."""
    name, level = "日" * 199 + str(len(str(score))), "é" * 100
    got = await client.read(
        await client.file(f"{score}{name}"[:200], topic=level, subtopic=level, certainty_score=score)
    )
    assert (len(got.name), got.topic, got.certainty_score) == (200, level, score)


@promise("knowledge:get:history", "knowledge:update:reply")
async def test_the_history_holds_every_explanation_oldest_first(client: KnowledgeClient) -> None:
    """It is returned only on request, and the current explanation is its last entry."""
    concept_id = await client.file("history", "first")
    for text in ("second", "third"):
        reply = await client.connection.ask(WriteReply, "update_concept", concept_id=concept_id, explanation=text)
        assert (reply.concept_id, reply.message) == (concept_id, "Updated")
    got = await client.read(concept_id, include_history=True)
    history = got.explanation_history or []
    assert [entry.explanation for entry in history] == ["first", "second", "third"]
    assert history[0].timestamp == got.created_at
    assert [entry.timestamp for entry in history] == sorted(entry.timestamp for entry in history)
    assert (await client.read(concept_id)).explanation_history is None


@promise("knowledge:get:history")
async def test_a_concept_never_edited_has_one_explanation_in_its_history(client: KnowledgeClient) -> None:
    """An update of another field adds none."""
    concept_id = await client.file("once", "only")
    await client.connection.ask(WriteReply, "update_concept", concept_id=concept_id, certainty_score=1)
    history = (await client.read(concept_id, include_history=True)).explanation_history or []
    assert [entry.explanation for entry in history] == ["only"]


@promise("knowledge:update:partial")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "renamed"),
        ("explanation", "explained anew"),
        ("topic", "other topic"),
        ("subtopic", "other subtopic"),
        ("certainty_score", 12.5),
    ],
)
async def test_an_update_changes_only_what_is_sent(client: KnowledgeClient, field: str, value: Json) -> None:
    """Every other field is unchanged, nulls included, and the time of change advances."""
    concept_id = await client.file(f"before {field}", **EVERYTHING)
    before = await client.read(concept_id)
    nulls: dict[str, Json] = dict.fromkeys(("name", "explanation", "area", "topic", "subtopic", "certainty_score"))
    await client.connection.ask(WriteReply, "update_concept", concept_id=concept_id, **{**nulls, field: value})
    after = await client.read(concept_id)
    assert after.last_modified >= before.last_modified
    assert after == before.model_copy(update={field: value, "last_modified": after.last_modified})


@promise("knowledge:update:area")
async def test_a_concept_can_move_to_another_area(client: KnowledgeClient) -> None:
    """It is then found in that area."""
    concept_id = await client.file("mover")
    await client.connection.ask(WriteReply, "update_concept", concept_id=concept_id, area=f"{client.area} two")
    assert await client.exact() == []
    assert [row.concept_id for row in await client.exact(area=f"{client.area} two")] == [concept_id]


@promise("knowledge:update:nothing")
async def test_an_update_without_a_field_is_refused(client: KnowledgeClient) -> None:
    """Null counts as not sent."""
    concept_id = await client.file("untouched")
    for more in ({}, {"name": None, "certainty_score": None}):
        envelope = await client.refused("update_concept", {"concept_id": concept_id, **more})
        assert envelope.error == "validation_error"


@promise("knowledge:delete:reply", "knowledge:delete:hidden", "knowledge:errors:concept-not-found")
async def test_a_deleted_concept_is_not_found_by_any_tool(client: KnowledgeClient) -> None:
    """Deleting, changing and linking it are refused in the same way."""
    concept_id, other = await client.file("doomed", certainty_score=3), await client.file("other")
    await client.link(other, concept_id)
    reply = await client.connection.ask(WriteReply, "delete_concept", concept_id=concept_id)
    assert (reply.concept_id, reply.message) == (concept_id, "Deleted")
    for tool, arguments in (
        ("get_concept", {"concept_id": concept_id}),
        ("update_concept", {"concept_id": concept_id, "name": "x"}),
        ("delete_concept", {"concept_id": concept_id}),
        ("get_related_concepts", {"concept_id": concept_id}),
        ("get_prerequisites", {"concept_id": concept_id}),
        ("get_concept_chain", {"start_concept_id": other, "end_concept_id": concept_id}),
        ("get_concept_chain", {"start_concept_id": concept_id, "end_concept_id": other}),
        ("create_relationship", {"source_id": concept_id, "target_id": other, "relationship_type": "includes"}),
        ("create_relationship", {"source_id": other, "target_id": concept_id, "relationship_type": "includes"}),
    ):
        envelope = await client.refused(tool, arguments)
        assert envelope.error == "concept_not_found"
        assert envelope.details.resource_id == concept_id
    assert [row.concept_id for row in await client.exact()] == [other]
    assert await client.related(other) == []


@promise("knowledge:errors:concept-not-found")
@pytest.mark.parametrize("unknown", [UNKNOWN, "no-uuid", "' OR 1=1 --", "日本", "x" * 3_000])
@pytest.mark.parametrize("tool", ["get_concept", "update_concept", "delete_concept", "get_related_concepts"])
async def test_any_text_may_be_asked_for_as_an_id(client: KnowledgeClient, tool: str, unknown: str) -> None:
    """An id of another form is not found, without an internal error."""
    more: dict[str, Json] = {"name": "x"} if tool == "update_concept" else {}
    envelope = await client.refused(tool, {"concept_id": unknown, **more})
    assert envelope.error == "concept_not_found"


@promise("knowledge:names:unique")
async def test_a_live_concept_with_the_same_name_area_and_topic_is_refused(client: KnowledgeClient) -> None:
    """The error names the field and the existing concept, so a repeated create makes no duplicate."""
    concept_id = await client.file("taken", topic="t")
    envelope = await client.refused(
        "create_concept", {"name": "taken", "explanation": "again", "area": client.area, "topic": "t"}
    )
    assert envelope.error == "validation_error"
    assert (envelope.details.field, envelope.details.resource_id) == ("name", concept_id)
    elsewhere = f"{client.area} two"
    near_by: list[dict[str, Json]] = [{"topic": "T"}, {"topic": "other"}, {}, {"topic": "t", "area": elsewhere}]
    for near in near_by:
        await client.file("taken", **near)
    await client.file("Taken", topic="t")


@promise("knowledge:names:released")
async def test_a_name_is_free_again_after_deleting_or_renaming(client: KnowledgeClient) -> None:
    """A rename claims the new name."""
    first = await client.file("first")
    await client.connection.ask(WriteReply, "update_concept", concept_id=first, name="second")
    again = await client.file("first")
    envelope = await client.refused("update_concept", {"concept_id": again, "name": "second"})
    assert (envelope.error, envelope.details.resource_id) == ("validation_error", first)
    assert (await client.read(again)).name == "first"
    await client.connection.ask(WriteReply, "delete_concept", concept_id=first)
    await client.connection.ask(WriteReply, "update_concept", concept_id=again, name="second")


@promise("knowledge:names:race")
async def test_one_of_many_concurrent_creates_of_a_name_wins(client: KnowledgeClient) -> None:
    """All other callers learn the id of the winner."""
    replies: list[ToolReply] = []

    async def create() -> None:
        arguments: dict[str, Json] = {"name": "contested", "explanation": "mine", "area": client.area}
        replies.append(await client.connection.call("create_concept", arguments))

    async with anyio.create_task_group() as group:
        for _ in range(12):
            group.start_soon(create)
    [winner] = [reply for reply in replies if not reply.is_error]
    [row] = await client.exact()
    assert row.concept_id == winner.structured["concept_id"]
    for reply in replies:
        if reply.is_error:
            assert json.loads(reply.text)["details"]["resource_id"] == row.concept_id


@promise("knowledge:update:concurrent")
async def test_no_update_is_lost_among_many_at_once(client: KnowledgeClient) -> None:
    """Each update is in the history or was refused with a database error."""
    concept_id = await client.file("busy", "start")
    accepted: list[str] = []

    async def update(number: int) -> None:
        arguments: dict[str, Json] = {"concept_id": concept_id, "explanation": f"version {number}"}
        reply = await client.connection.call("update_concept", arguments)
        if reply.is_error:
            assert reply.structured["error"] == "database_error"
        else:
            accepted.append(f"version {number}")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(update, number)
    history = (await client.read(concept_id, include_history=True)).explanation_history or []
    assert sorted(entry.explanation for entry in history[1:]) == sorted(accepted)
    assert accepted
