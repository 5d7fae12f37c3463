"""Concepts: creating, reading, changing and deleting them, their history, and names that are unique."""

import json
import uuid

import anyio
import pytest

from backends.ports.values import Json
from contracts.client import ToolReply
from contracts.promises import promise
from contracts.tools.knowledge.desk import UNKNOWN, Desk
from contracts.tools.knowledge.replies import Concept, Written

EVERYTHING: dict[str, Json] = {"topic": "Python", "subtopic": "Control Flow", "certainty_score": 90}


@promise("knowledge:create:reply", "knowledge:get:reply")
async def test_a_concept_is_read_as_it_was_created(desk: Desk) -> None:
    """With an id of the server's making, every field, and times in UTC."""
    created = await desk.door.ask(
        Written, "create_concept", name="For loops", explanation="They iterate.", area=desk.area, **EVERYTHING
    )
    assert created.message == "Created"
    assert uuid.UUID(created.concept_id).version == 4
    got = await desk.read(created.concept_id)
    assert got.created_at == got.last_modified
    assert got == Concept(
        concept_id=created.concept_id,
        name="For loops",
        explanation="They iterate.",
        area=desk.area,
        topic="Python",
        subtopic="Control Flow",
        certainty_score=90,
        created_at=got.created_at,
        last_modified=got.last_modified,
    )


@promise("knowledge:create:optional")
async def test_what_is_not_sent_or_null_is_null(desk: Desk) -> None:
    """Placement is printed as null, the score is a number."""
    one = await desk.file("not sent")
    other = await desk.file("null", topic=None, subtopic=None, certainty_score=None)
    for concept in (await desk.read(one), await desk.read(other)):
        assert (concept.topic, concept.subtopic) == (None, None)
        assert 0 <= concept.certainty_score <= 100


@promise("knowledge:create:confidence")
async def test_a_score_left_out_is_worked_out_and_one_set_by_hand_stays(desk: Desk) -> None:
    """More substance never scores less; an update without a score leaves a score set by hand alone."""
    thin = await desk.read(await desk.file("thin", "Short."))
    rich_id = await desk.file("rich", "A long explanation with much substance. " * 30, topic="t", subtopic="s")
    rich = await desk.read(rich_id)
    assert 0 <= thin.certainty_score < rich.certainty_score <= 100
    by_hand = await desk.file("by hand", certainty_score=7.5)
    await desk.door.ask(Written, "update_concept", concept_id=by_hand, explanation="Much more to say. " * 40)
    assert (await desk.read(by_hand)).certainty_score == 7.5


@promise("knowledge:create:limits")
@pytest.mark.parametrize("score", [0, 100, 0.5, 99.99])
async def test_values_at_their_limits_are_accepted(desk: Desk, score: float) -> None:
    """200 characters of name, 100 of a level, 0 and 100 of certainty; characters are counted, not bytes."""
    name, level = "日" * 199 + str(len(str(score))), "é" * 100
    got = await desk.read(await desk.file(f"{score}{name}"[:200], topic=level, subtopic=level, certainty_score=score))
    assert (len(got.name), got.topic, got.certainty_score) == (200, level, score)


@promise("knowledge:get:history", "knowledge:update:reply")
async def test_the_history_holds_every_explanation_oldest_first(desk: Desk) -> None:
    """It is told only when asked for, and the current explanation is its last entry."""
    concept_id = await desk.file("history", "first")
    for text in ("second", "third"):
        reply = await desk.door.ask(Written, "update_concept", concept_id=concept_id, explanation=text)
        assert (reply.concept_id, reply.message) == (concept_id, "Updated")
    got = await desk.read(concept_id, include_history=True)
    history = got.explanation_history or []
    assert [entry.explanation for entry in history] == ["first", "second", "third"]
    assert history[0].timestamp == got.created_at
    assert [entry.timestamp for entry in history] == sorted(entry.timestamp for entry in history)
    assert (await desk.read(concept_id)).explanation_history is None


@promise("knowledge:get:history")
async def test_a_concept_never_edited_has_one_explanation_in_its_history(desk: Desk) -> None:
    """And an update of something else adds none."""
    concept_id = await desk.file("once", "only")
    await desk.door.ask(Written, "update_concept", concept_id=concept_id, certainty_score=1)
    history = (await desk.read(concept_id, include_history=True)).explanation_history or []
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
async def test_an_update_changes_only_what_is_sent(desk: Desk, field: str, value: Json) -> None:
    """Everything else stays, null included, and the time of change moves on."""
    concept_id = await desk.file(f"before {field}", **EVERYTHING)
    before = await desk.read(concept_id)
    nulls: dict[str, Json] = dict.fromkeys(("name", "explanation", "area", "topic", "subtopic", "certainty_score"))
    await desk.door.ask(Written, "update_concept", concept_id=concept_id, **{**nulls, field: value})
    after = await desk.read(concept_id)
    assert after.last_modified >= before.last_modified
    assert after == before.model_copy(update={field: value, "last_modified": after.last_modified})


@promise("knowledge:update:area")
async def test_a_concept_can_move_to_another_area(desk: Desk) -> None:
    """It is then found there."""
    concept_id = await desk.file("mover")
    await desk.door.ask(Written, "update_concept", concept_id=concept_id, area=f"{desk.area} two")
    assert await desk.exact() == []
    assert [row.concept_id for row in await desk.exact(area=f"{desk.area} two")] == [concept_id]


@promise("knowledge:update:nothing")
async def test_an_update_without_a_field_is_refused(desk: Desk) -> None:
    """Null counts as not sent."""
    concept_id = await desk.file("untouched")
    for more in ({}, {"name": None, "certainty_score": None}):
        envelope = await desk.refused("update_concept", {"concept_id": concept_id, **more})
        assert envelope.error == "validation_error"


@promise("knowledge:delete:reply", "knowledge:delete:hidden", "knowledge:errors:concept-not-found")
async def test_a_deleted_concept_is_not_found_by_any_tool(desk: Desk) -> None:
    """Deleting it again, changing it and linking it say so too."""
    concept_id, other = await desk.file("doomed", certainty_score=3), await desk.file("other")
    await desk.link(other, concept_id)
    reply = await desk.door.ask(Written, "delete_concept", concept_id=concept_id)
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
        envelope = await desk.refused(tool, arguments)
        assert envelope.error == "concept_not_found"
        assert envelope.details.resource_id == concept_id
    assert [row.concept_id for row in await desk.exact()] == [other]
    assert await desk.related(other) == []


@promise("knowledge:errors:concept-not-found")
@pytest.mark.parametrize("unknown", [UNKNOWN, "no-uuid", "' OR 1=1 --", "日本", "x" * 3_000])
@pytest.mark.parametrize("tool", ["get_concept", "update_concept", "delete_concept", "get_related_concepts"])
async def test_any_text_may_be_asked_for_as_an_id(desk: Desk, tool: str, unknown: str) -> None:
    """What is no id of ours is not found, not an internal error."""
    more: dict[str, Json] = {"name": "x"} if tool == "update_concept" else {}
    envelope = await desk.refused(tool, {"concept_id": unknown, **more})
    assert envelope.error == "concept_not_found"


@promise("knowledge:names:unique")
async def test_a_live_concept_with_the_same_name_area_and_topic_is_refused(desk: Desk) -> None:
    """The error names the field and the concept that has it; a repeated create never doubles."""
    concept_id = await desk.file("taken", topic="t")
    envelope = await desk.refused(
        "create_concept", {"name": "taken", "explanation": "again", "area": desk.area, "topic": "t"}
    )
    assert envelope.error == "validation_error"
    assert (envelope.details.field, envelope.details.resource_id) == ("name", concept_id)
    elsewhere = f"{desk.area} two"
    near_by: list[dict[str, Json]] = [{"topic": "T"}, {"topic": "other"}, {}, {"topic": "t", "area": elsewhere}]
    for near in near_by:
        await desk.file("taken", **near)
    await desk.file("Taken", topic="t")


@promise("knowledge:names:released")
async def test_a_name_is_free_again_after_deleting_or_renaming(desk: Desk) -> None:
    """And a rename takes the new one."""
    first = await desk.file("first")
    await desk.door.ask(Written, "update_concept", concept_id=first, name="second")
    again = await desk.file("first")
    envelope = await desk.refused("update_concept", {"concept_id": again, "name": "second"})
    assert (envelope.error, envelope.details.resource_id) == ("validation_error", first)
    assert (await desk.read(again)).name == "first"
    await desk.door.ask(Written, "delete_concept", concept_id=first)
    await desk.door.ask(Written, "update_concept", concept_id=again, name="second")


@promise("knowledge:names:race")
async def test_of_many_who_create_the_same_name_at_once_one_wins(desk: Desk) -> None:
    """All others learn who."""
    replies: list[ToolReply] = []

    async def create() -> None:
        arguments: dict[str, Json] = {"name": "contested", "explanation": "mine", "area": desk.area}
        replies.append(await desk.door.call("create_concept", arguments))

    async with anyio.create_task_group() as group:
        for _ in range(12):
            group.start_soon(create)
    [winner] = [reply for reply in replies if not reply.is_error]
    [row] = await desk.exact()
    assert row.concept_id == winner.structured["concept_id"]
    for reply in replies:
        if reply.is_error:
            assert json.loads(reply.text)["details"]["resource_id"] == row.concept_id


@promise("knowledge:update:concurrent")
async def test_no_update_is_lost_among_many_at_once(desk: Desk) -> None:
    """Each of them is in the history, or was refused with a database error."""
    concept_id = await desk.file("busy", "start")
    accepted: list[str] = []

    async def update(number: int) -> None:
        arguments: dict[str, Json] = {"concept_id": concept_id, "explanation": f"version {number}"}
        reply = await desk.door.call("update_concept", arguments)
        if reply.is_error:
            assert reply.structured["error"] == "database_error"
        else:
            accepted.append(f"version {number}")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(update, number)
    history = (await desk.read(concept_id, include_history=True)).explanation_history or []
    assert sorted(entry.explanation for entry in history[1:]) == sorted(accepted)
    assert accepted
