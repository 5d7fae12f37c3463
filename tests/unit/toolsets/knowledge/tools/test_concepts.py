"""Creating, reading, changing and deleting concepts, as a caller sees it."""

import asyncio
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.toolsets.knowledge import Instance, rows, toolset_in
from toolsets.knowledge.concept import Placement
from toolsets.knowledge.confidence import Evidence, score

NOBODY = "00000000-0000-4000-8000-000000000000"


def details(reply: JsonObject) -> JsonObject:
    found = reply["details"]
    assert isinstance(found, dict)
    return found


def concept(reply: JsonObject) -> JsonObject:
    found = reply["concept"]
    assert isinstance(found, dict), reply
    return found


async def test_a_created_concept_is_read_as_it_was_filed(knowledge: Instance) -> None:
    reply = await knowledge.ask(
        "create_concept",
        name="Python For Loops",
        explanation="For loops iterate over sequences.",
        area="Programming",
        topic="Python",
        subtopic="Control Flow",
        certainty_score=90,
    )
    assert reply == {"success": True, "concept_id": reply["concept_id"], "message": "Created"}
    found = concept(await knowledge.ask("get_concept", concept_id=reply["concept_id"]))
    assert found == {
        "concept_id": reply["concept_id"],
        "name": "Python For Loops",
        "explanation": "For loops iterate over sequences.",
        "area": "Programming",
        "topic": "Python",
        "subtopic": "Control Flow",
        "certainty_score": 90,
        "created_at": found["created_at"],
        "last_modified": found["created_at"],
    }


async def test_a_missing_placement_is_null(knowledge: Instance) -> None:
    found = concept(await knowledge.ask("get_concept", concept_id=await knowledge.create("Alone")))
    assert [found[level] for level in ("area", "topic", "subtopic")] == [None, None, None]


async def test_the_history_has_every_explanation_the_present_one_last(knowledge: Instance) -> None:
    id_ = await knowledge.create("Loops")
    for text in ("Second.", "Third."):
        assert (await knowledge.ask("update_concept", concept_id=id_, explanation=text))["message"] == "Updated"
    found = concept(await knowledge.ask("get_concept", concept_id=id_, include_history=True))
    assert [past["explanation"] for past in rows(found, "explanation_history")] == [
        "All about Loops.",
        "Second.",
        "Third.",
    ]
    assert found["explanation"] == "Third."
    assert str(found["last_modified"]) >= str(found["created_at"])


async def test_an_update_changes_what_is_sent_and_nothing_else(knowledge: Instance) -> None:
    id_ = await knowledge.create("Loops", area="Programming", certainty_score=30)
    await knowledge.ask("update_concept", concept_id=id_, topic="Python", name=None)
    found = concept(await knowledge.ask("get_concept", concept_id=id_))
    assert (found["name"], found["area"], found["topic"], found["certainty_score"]) == (
        "Loops",
        "Programming",
        "Python",
        30,
    )


async def test_an_update_of_nothing_is_refused(knowledge: Instance) -> None:
    id_ = await knowledge.create("Loops")
    for arguments in ({}, {"name": None}):
        assert (await knowledge.ask("update_concept", concept_id=id_, **arguments))["error"] == "validation_error"


async def test_a_new_explanation_is_found_by_its_meaning(knowledge: Instance) -> None:
    id_ = await knowledge.create("A")
    await knowledge.create("B", explanation="Photosynthesis turns light into sugar.")
    await knowledge.ask("update_concept", concept_id=id_, explanation="Sailing boats need wind.")
    reply = await knowledge.ask("search_concepts_semantic", query="boats and wind", limit=1)
    assert [row["concept_id"] for row in rows(reply)] == [id_]


async def test_a_second_concept_of_the_same_name_is_refused_with_the_first_ones_id(knowledge: Instance) -> None:
    id_ = await knowledge.create("Loops", area="Programming")
    reply = await knowledge.reply("create_concept", name="Loops", explanation="Again.", area="Programming")
    assert reply.is_error
    assert reply.structured["error"] == reply.structured["error_type"] == "validation_error"
    assert details(reply.structured) == {"field": "name", "resource_id": id_}
    await knowledge.create("Loops", area="Music")


async def test_of_many_that_want_one_name_one_wins(knowledge: Instance) -> None:
    replies = await asyncio.gather(
        *(knowledge.ask("create_concept", name="Only", explanation=f"Attempt {n}.") for n in range(20))
    )
    assert sorted(str(reply.get("error", "won")) for reply in replies) == ["validation_error"] * 19 + ["won"]
    winner = next(reply["concept_id"] for reply in replies if reply["success"])
    losers = [reply for reply in replies if not reply["success"]]
    assert {str(details(reply)["resource_id"]) for reply in losers} == {str(winner)}
    assert await knowledge.names() == ["Only"]


async def test_the_computed_score_fits_the_concept_after_two_updates_at_once(knowledge: Instance) -> None:
    explanation = "This is a sentence about things that matter. " * 10
    placement = {"area": "Area", "topic": "Topic", "subtopic": "Subtopic"}
    id_ = await knowledge.create("Both")
    await asyncio.gather(
        knowledge.ask("update_concept", concept_id=id_, explanation=explanation),
        knowledge.ask("update_concept", concept_id=id_, **placement),
    )
    found = concept(await knowledge.ask("get_concept", concept_id=id_))
    evidence = Evidence(explanation, Placement("Area", "Topic", "Subtopic"), connections=0, age=0)
    assert (found["explanation"], found["subtopic"], found["certainty_score"]) == (
        explanation,
        "Subtopic",
        score(evidence),
    )


async def test_no_update_is_lost_when_many_come_at_once(knowledge: Instance) -> None:
    id_ = await knowledge.create("Busy")
    replies = await asyncio.gather(
        *(knowledge.ask("update_concept", concept_id=id_, explanation=f"Version {n}.") for n in range(12))
    )
    assert all(reply["success"] for reply in replies)
    found = concept(await knowledge.ask("get_concept", concept_id=id_, include_history=True))
    explanations = [str(past["explanation"]) for past in rows(found, "explanation_history")]
    assert sorted(explanations[1:]) == sorted(f"Version {n}." for n in range(12))


async def test_a_deleted_concept_leaves_every_answer(knowledge: Instance) -> None:
    gone, kept = await knowledge.create("Gone"), await knowledge.create("Kept")
    await knowledge.link(gone, kept)
    assert await knowledge.ask("delete_concept", concept_id=gone) == {
        "success": True,
        "concept_id": gone,
        "message": "Deleted",
    }
    for tool, more in (
        ("get_concept", {}),
        ("delete_concept", {}),
        ("update_concept", {"name": "x"}),
        ("get_related_concepts", {}),
        ("get_prerequisites", {}),
    ):
        assert (await knowledge.ask(tool, concept_id=gone, **more))["error"] == "concept_not_found", tool
    assert await knowledge.names() == ["Kept"]
    assert (await knowledge.ask("get_related_concepts", concept_id=kept))["total"] == 0
    assert (await knowledge.ask("search_concepts_semantic", query="Gone"))["total"] == 1
    assert (await knowledge.ask("list_hierarchy"))["total_concepts"] == 1
    assert (await knowledge.create("Gone")) != gone


@pytest.mark.parametrize("concept_id", [NOBODY, "d4e5f6a7-...", "no such thing", "x" * 5000, "\u202e🙂", "a/b"])
@pytest.mark.parametrize(
    "tool", ["get_concept", "update_concept", "delete_concept", "get_related_concepts", "get_prerequisites"]
)
async def test_any_text_is_an_id_and_an_unknown_one_is_not_found(
    knowledge: Instance, tool: str, concept_id: str
) -> None:
    more: dict[str, Json] = {"name": "x"} if tool == "update_concept" else {}
    reply = await knowledge.reply(tool, concept_id=concept_id, **more)
    assert reply.is_error
    assert reply.structured["error"] == "concept_not_found"


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"explanation": "x"}, "missing_required", "name"),
        ({"name": "x"}, "missing_required", "explanation"),
        ({"name": " ", "explanation": "x"}, "validation_error", "name"),
        ({"name": "n" * 201, "explanation": "x"}, "validation_error", "name"),
        ({"name": "x", "explanation": ""}, "validation_error", "explanation"),
        ({"name": "x", "explanation": "x", "area": " "}, "validation_error", "area"),
        ({"name": "x", "explanation": "x", "topic": "t" * 101}, "validation_error", "topic"),
        ({"name": "x", "explanation": "x", "certainty_score": 100.5}, "validation_error", "certainty_score"),
        ({"name": "x", "explanation": "x", "certainty_score": "5"}, "validation_error", "certainty_score"),
        ({"name": "x", "explanation": "x", "certainty_score": float("nan")}, "validation_error", "certainty_score"),
        ({"name": "x", "explanation": "x", "colour": "red"}, "validation_error", "colour"),
        ({"name": "x\x00", "explanation": "x"}, "invalid_input", "name"),
        ({"name": "x", "explanation": "\ud800"}, "invalid_input", "explanation"),
        ({"name": "x", "explanation": "x" * 1_000_000}, "invalid_input", "explanation"),
        ({"name": None, "explanation": "x"}, "validation_error", "name"),
    ],
)
async def test_bad_arguments_write_nothing(
    knowledge: Instance, arguments: dict[str, Json], code: str, field: str
) -> None:
    reply = await knowledge.reply("create_concept", **arguments)
    assert reply.is_error
    assert (reply.structured["error"], details(reply.structured)["field"]) == (code, field)
    assert await (await knowledge.log()).head() == 0


async def test_hostile_texts_are_stored_unchanged_and_found(knowledge: Instance) -> None:
    texts = [
        "'; DROP TABLE nodes;--",
        'a" OR "1"="1',
        "NEAR(x y) AND *",
        "}) DETACH DELETE n //",
        "a\tb\x07",
        "🙂 عربى",
        "e\u0301",
        "é",
    ]
    for text in texts:
        id_ = await knowledge.create(text, explanation=text, area=text, topic=text)
        assert concept(await knowledge.ask("get_concept", concept_id=id_))["name"] == text
        assert text in await knowledge.names(name=text, area=text)
    assert sorted(await knowledge.names()) == sorted(texts)


async def test_a_score_is_worked_out_unless_given_or_switched_off(tmp_path: Path, knowledge: Instance) -> None:
    async def score_of(instance: Instance, id_: str) -> float:
        return float(str(concept(await instance.ask("get_concept", concept_id=id_))["certainty_score"]))

    id_ = await knowledge.create("A", explanation="Short.")
    first = await score_of(knowledge, id_)
    await knowledge.ask("update_concept", concept_id=id_, explanation="Much longer now. " * 30, area="Area")
    assert 0 < first < await score_of(knowledge, id_)
    await knowledge.ask("update_concept", concept_id=id_, certainty_score=1)
    await knowledge.ask("update_concept", concept_id=id_, explanation="Longer still. " * 60)
    assert await score_of(knowledge, id_) == 1
    async with toolset_in(tmp_path / "off", confidence=False) as off:
        assert await score_of(off, await off.create("A")) == 0


async def test_every_fact_says_who_caused_it(knowledge: Instance) -> None:
    await knowledge.create("A")
    events = await (await knowledge.log()).read_all("knowledge/concept/")
    assert [event.meta for event in events] == [
        {"tool": "create_concept", "principal": "tester", "client": "tests", "request": "r1"}
    ]


async def test_a_long_history_shows_its_newest_explanations(knowledge: Instance) -> None:
    id_ = await knowledge.create("Long")
    for number in range(18):
        await knowledge.ask("update_concept", concept_id=id_, explanation=f"{number} " + "x" * 250_000)
    reply = await knowledge.ask("get_concept", concept_id=id_, include_history=True)
    history = rows(concept(reply), "explanation_history")
    assert 10 < len(history) < 19
    assert str(history[-1]["explanation"]).startswith("17 ")
    assert reply["message"] == f"Found; {len(history)} of 19 shown, because a reply stops at about 8 MB"
    assert (await knowledge.ask("get_concept", concept_id=id_))["message"] == "Found"
