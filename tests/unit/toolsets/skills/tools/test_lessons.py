"""Learning: what is stored, what is not, and what happens when two do it at once."""

import json
from pathlib import Path

import anyio
import pytest

from backends.ports.values import Json, JsonObject
from tests.support.chat import Reply, chat, says
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.skills import TABLES, Instance, joined, stores_in
from tests.support.toolsets.skills import chat as talk
from toolsets.arguments import BadArguments, parse
from toolsets.skills import refinement
from toolsets.skills.streams import CONVERSATIONS, SKILLS
from toolsets.skills.tools.lessons import MAX_FEEDBACK, CreateSkill, UpdateSkill
from toolsets.skills.transcript import MAX_TRANSCRIPT_BYTES

SECRETS = ("ann@example.com", "hunter2zebra", "4111 1111 1111 1111")
TOLD = "My mail is ann@example.com, my password is hunter2zebra, my card 4111 1111 1111 1111."


async def test_nothing_of_a_conversation_is_stored_but_what_it_taught(skills: Instance, tmp_path: Path) -> None:
    small_talk = "The weather in Aberystwyth has been dreadful this week."
    mine = await skills.learn(
        f"The bell is mute. {TOLD}", f"Turn the wheel. {small_talk}", metadata={"note": SECRETS[0]}
    )
    more = talk(f"The bell is mute again, {TOLD}", "Oil the hammer.")
    await skills.ask("update_skill", skill_id=mine["skill_id"], conversation=more, feedback=f"Good, {TOLD}")
    everything = b"".join(file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file())
    for text in (*SECRETS, "That solved it"):
        assert text.encode() not in everything, text
    assert b"Turn the wheel" in everything


async def test_a_repeated_conversation_is_recognised_by_the_digest_of_its_redacted_text(skills: Instance) -> None:
    one = await skills.learn(f"The bell is mute. {TOLD}", "Turn the wheel.")
    again = await skills.learn(f"The bell is mute. {TOLD}", "Turn the wheel.")
    assert (again["created"], again["skill_id"]) == (False, one["skill_id"])
    log = await skills.stores.events()
    assert await log.count(SKILLS) == 2
    assert await log.count(str(CONVERSATIONS.stream(("x",)))[:-64]) == 1


async def test_repeated_creates_of_one_conversation_raise_the_confidence_once(skills: Instance) -> None:
    problem, answer = "The bell is mute.", "Turn the wheel."
    replies = [await skills.learn(problem, answer)]
    replies += [await skills.learn(problem, answer, resolution_confirmed=True) for _ in range(4)]
    confidences = [document["confidence"] for reply in replies if isinstance(document := reply["skill"], dict)]
    assert confidences == [0.5, 0.6, 0.6, 0.6, 0.6]


async def test_praise_raises_the_confidence_once_for_a_conversation_whatever_tool_counts_it(skills: Instance) -> None:
    problem, answer = "The bell is mute.", "Turn the wheel."
    skill = await skills.learn(problem, answer)
    conversation = talk(problem, answer)
    raised: list[bool] = []
    for feedback in ("", "This worked.", "This worked."):
        reply = await skills.ask(
            "update_skill", skill_id=skill["skill_id"], conversation=conversation, feedback=feedback
        )
        raised.append("Raised the confidence from 0.5 to 0.6." in str(reply["changes"]))
    again = await skills.learn(problem, answer, resolution_confirmed=True)
    assert raised == [False, True, False]
    assert isinstance(again["skill"], dict)
    assert again["skill"]["confidence"] == 0.6


async def test_one_of_many_concurrent_similar_conversations_creates_the_skill(skills: Instance) -> None:
    replies: list[JsonObject] = []

    async def learn(greeting: str) -> None:
        replies.append(await skills.learn(f"{greeting} My watch loses an hour each day.", "Replace its battery."))

    async with anyio.create_task_group() as group:
        for greeting in ("Hello!", "Good morning!", "Hi,", "Dear all,"):
            group.start_soon(learn, greeting)
    assert len({str(reply["skill_id"]) for reply in replies}) == 1
    assert sum(bool(reply["created"]) for reply in replies) == 1


async def test_two_processes_make_one_skill_and_count_versions_together(tmp_path: Path) -> None:
    async with (
        stores_in(tmp_path) as one_house,
        stores_in(tmp_path) as other_house,
        joined(one_house) as one,
        joined(other_house) as other,
    ):
        replies: list[JsonObject] = []
        versions: list[Json] = []

        async def learn(instance: Instance) -> None:
            replies.append(await instance.learn("The pump is loud.", "Lower its speed to 3."))

        async def update(instance: Instance, number: int) -> None:
            text = talk("The pump is loud.", f"Press the key P{number} for {number} seconds.")
            reply = await instance.ask("update_skill", skill_id=replies[0]["skill_id"], conversation=text)
            versions.append(reply["version"])

        async with anyio.create_task_group() as group:
            for instance in (one, other):
                group.start_soon(learn, instance)
        assert sorted(bool(reply["created"]) for reply in replies) == [False, True]
        assert replies[0]["skill_id"] == replies[1]["skill_id"]
        async with anyio.create_task_group() as group:
            for number in range(6):
                group.start_soon(update, (one, other)[number % 2], number)
        assert sorted(str(version) for version in versions) == [str(number) for number in range(2, 8)]
        found = await other.ask("search_skills", query="loud pump")
        assert all(f"P{number}" in str(found) for number in range(6))


GOOD: JsonObject = {
    "resolved": True,
    "title": "Mute bell",
    "problem": "The bell is mute.",
    "steps": ["Turn the wheel."],
    "conditions": [],
    "keywords": ["bell"],
    "product_area": "bells",
    "issue_type": "bug",
}


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (says(json.dumps(GOOD)), "Mute bell"),
        (says("no JSON at all"), "The bell is mute"),
        (says(json.dumps({**GOOD, "steps": 5})), "The bell is mute"),
    ],
    ids=["an answer", "nonsense", "another shape"],
)
async def test_a_language_model_is_asked_first_and_the_conversation_is_read_without_it_when_it_fails(
    tmp_path: Path, said: Reply, title: str
) -> None:
    with chat(lambda _: said) as endpoint:
        llm: dict[str, Json] = {"kind": "openai_compatible", "base_url": endpoint.base_url, "model": "m"}
        async with stores_in(tmp_path, {**TABLES, "llm": llm}, "llm") as stores, joined(stores) as instance:
            reply = await instance.learn(f"The bell is mute. {TOLD}", "Turn the wheel.")
            assert (reply["created"], reply["title"]) == (True, title)
            asked = str(endpoint.asked)
            assert "bell is mute" in asked
            assert not any(secret in asked for secret in SECRETS)
            before = len(endpoint.asked)
            again = await instance.learn(f"The bell is mute. {TOLD}", "Turn the wheel.")
            assert (again["created"], len(endpoint.asked)) == (False, before), "what is known costs no call"


@pytest.mark.parametrize(
    ("conversation", "change"),
    [
        ("Customer: Hello!\nAgent: Hi!", "Changed nothing"),
        ("Customer: I followed it, and it still does not work.", "Lowered the confidence"),
    ],
)
async def test_an_update_from_a_conversation_without_a_lesson_is_judged_by_its_end(
    skills: Instance, conversation: str, change: str
) -> None:
    mine = await skills.learn("The heater ticks.", "Bleed the radiator.")
    reply = await skills.ask("update_skill", skill_id=mine["skill_id"], conversation=conversation)
    assert reply["version"] == 2
    assert change in str(reply["changes"])


async def test_an_equal_update_makes_another_version(skills: Instance) -> None:
    mine = await skills.learn("The heater ticks.", "Bleed the radiator.")
    more: JsonObject = {"skill_id": mine["skill_id"], "conversation": talk("The heater ticks.", "Oil the valve.")}
    first = await skills.ask("update_skill", **more)
    again = await skills.ask("update_skill", **more)
    assert (first["version"], again["version"], again["title"]) == (2, 3, first["title"])
    assert again["changes"] == ["Left the confidence as it is: the same conversation was counted before."]
    log = await skills.stores.events()
    assert await log.count(SKILLS) == 3


async def test_many_concurrent_equal_updates_make_a_version_each(skills: Instance) -> None:
    mine = await skills.learn("The heater ticks.", "Bleed the radiator.")
    text = talk("The heater ticks.", "Oil the valve.")
    versions: list[Json] = []

    async def update() -> None:
        versions.append((await skills.ask("update_skill", skill_id=mine["skill_id"], conversation=text))["version"])

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(update)
    assert sorted(map(str, versions)) == ["2", "3", "4", "5"]


@pytest.mark.parametrize(("sign", "size"), [("a", 1), ("\u00fc", 2), ("\u20ac", 3), ("\U0001f600", 4)])
def test_a_conversation_is_measured_in_bytes(sign: str, size: int) -> None:
    """A megabyte of UTF-8 is taken, whatever its signs; a byte more is refused, and so is what the schema refuses."""
    room, rest = divmod(MAX_TRANSCRIPT_BYTES, size)
    fits = sign * room + "a" * rest
    assert parse(CreateSkill, {"conversation": fits}).conversation == fits
    with pytest.raises(BadArguments):
        parse(CreateSkill, {"conversation": fits + "a"})


@pytest.mark.parametrize("sign", ["a", "\u00fc", "\U0001f600"])
def test_feedback_is_measured_in_characters(sign: str) -> None:
    sent = {"skill_id": "x", "conversation": "text"}
    assert len(parse(UpdateSkill, {**sent, "feedback": sign * MAX_FEEDBACK}).feedback) == MAX_FEEDBACK
    with pytest.raises(BadArguments):
        parse(UpdateSkill, {**sent, "feedback": sign * (MAX_FEEDBACK + 1)})


async def test_empty_feedback_counts_as_not_sent_and_an_empty_id_is_unknown(skills: Instance) -> None:
    mine = await skills.learn("The bell is mute.", "Turn the wheel.")
    same = {"skill_id": mine["skill_id"], "conversation": talk("The bell is mute again.", "Oil the hammer.")}
    assert (await skills.ask("update_skill", **same, feedback=""))["version"] == 2
    assert (await skills.ask("update_skill", **same))["version"] == 3
    assert (await skills.ask("update_skill", **{**same, "conversation": ""}))["error"] == "invalid_request"
    for unknown in ("", " ", "\u3000"):
        assert (await skills.ask("update_skill", **{**same, "skill_id": unknown}))["error"] == "skill_not_found"


async def test_long_feedback_is_judged_beside_the_event_loop(skills: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = await skills.learn("The bell is mute.", "Turn the wheel.")
    more = talk("The bell is mute.", "Oil the hammer.")
    judged, redacted = (threads_of(monkeypatch, refinement, name) for name in ("judge", "redact"))
    await skills.ask("update_skill", skill_id=mine["skill_id"], conversation=more, feedback="It works. " * 700)
    assert is_beside_loop(judged)
    assert is_beside_loop(redacted)
