"""Creating: a conversation becomes a skill, once."""

import json

import anyio
import pytest

from contracts.promises import promise
from contracts.tools.skills.client import SkillsClient, conversation, word
from contracts.tools.skills.replies import Created


@promise("skills:create:reply", "skills:create:document")
async def test_a_conversation_becomes_a_document(client: SkillsClient) -> None:
    """It has all its fields, and no vector."""
    rare = word()
    reply = await client.learned(
        f"Since version 4.2 the {rare} export to PDF fails with error E-207.",
        "Open Settings > Export and untick 'Embed fonts'. Then restart the program. If you are on Windows 10, also "
        "install the update KB5001.",
    )
    skill = reply.skill
    assert (skill.version, skill.confidence, skill.times_used, skill.times_confirmed) == (1, 0.5, 0, 0)
    assert rare in skill.problem
    assert skill.resolution.index("untick") < skill.resolution.index("estart")
    assert any("4.2" in condition for condition in skill.conditions)
    assert skill.created_at == skill.updated_at
    assert skill.keywords
    assert rare in reply.title


@promise("skills:create:formats")
@pytest.mark.parametrize("form", ["chat", "times", "mail", "markdown", "json"])
async def test_conversations_are_read_in_many_forms(client: SkillsClient, form: str) -> None:
    """The customer states the problem, and the agent resolves it."""
    rare = word()
    problem, answer, thanks = f"The {rare} mixer does not start.", f"Press the {rare} reset button.", "Great, it works!"
    turns = (("Customer", problem), ("Agent", answer), ("Customer", thanks))
    texts = {
        "chat": "\n".join(f"{who}: {said}" for who, said in turns),
        "times": "\n".join(f"[2024-05-01 10:0{at}:00] {who}: {said}" for at, (who, said) in enumerate(turns)),
        "mail": f"From: ann@example.com\nTo: support@example.com\nSubject: mixer\n\n{problem}\n\n"
        f"From: support@example.com\nTo: ann@example.com\nSubject: Re: mixer\n\n{answer}\n\n"
        f"From: ann@example.com\nTo: support@example.com\nSubject: Re: mixer\n\n{thanks}\n",
        "markdown": "\n\n".join(f"**{who}:** {said}" for who, said in turns),
        "json": json.dumps([{"role": who.lower(), "content": said} for who, said in turns]),
    }
    skill = (await client.create(texts[form])).skill
    assert problem.rstrip(".") in skill.problem
    assert f"{rare} reset button" in skill.resolution
    assert "does not start" not in skill.resolution


@promise("skills:create:duplicate", "skills:create:confirmed")
async def test_the_same_conversation_again_is_a_use_of_its_skill(client: SkillsClient) -> None:
    """It counts as used, and as confirmed if it is, but raises the confidence once; the document is the stored one."""
    text = conversation(f"The {word()} router forgets its settings.", f"Update the firmware to {word()}.")
    first = await client.create(text, resolution_confirmed=True)
    assert (first.created, first.skill.confidence, first.skill.times_confirmed) == (True, 0.6, 1)
    again = await client.create(text)
    assert (again.created, again.skill_id, again.title) == (False, first.skill_id, first.title)
    assert (again.skill.times_used, again.skill.times_confirmed, again.skill.confidence) == (1, 1, 0.6)
    confirmed = await client.create(text, resolution_confirmed=True)
    assert (confirmed.skill.times_used, confirmed.skill.times_confirmed, confirmed.skill.confidence) == (2, 2, 0.6)
    assert (confirmed.skill.version, confirmed.skill.resolution) == (1, first.skill.resolution)


@promise("skills:create:alike")
async def test_what_means_the_same_is_one_skill_and_another_matter_is_another(client: SkillsClient) -> None:
    """An additional greeting makes no difference."""
    rare = word()
    problem, answer = f"My {rare} watch loses an hour each day.", f"Replace the battery of the {rare} watch."
    mine = await client.learned(problem, answer)
    alike = await client.create(
        conversation(f"Hello! {problem}", f"Good morning. {answer}", thanks="Thanks, works now.")
    )
    assert (alike.created, alike.skill_id) == (False, mine.skill_id)
    other = await client.create(
        conversation(f"My {rare} lease was billed twice in May.", "Cancel the second bill in the portal.")
    )
    assert other.created


@promise("skills:create:concurrent")
async def test_one_of_many_concurrent_creates_of_a_skill_creates_it(client: SkillsClient) -> None:
    """The other callers get the same skill, and each of them counts as a use."""
    text = conversation(f"The {word()} pump is loud at night.", f"Lower its speed to {word()}.")
    replies: list[Created] = []

    async def create() -> None:
        replies.append(await client.create(text))

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(create)
    assert sorted(reply.created for reply in replies) == [False] * 7 + [True]
    assert len({reply.skill_id for reply in replies}) == 1
    assert (await client.create(text)).skill.times_used == 8


@promise("skills:create:metadata")
async def test_what_the_caller_says_wins(client: SkillsClient) -> None:
    """Product area and issue type are kept; other metadata is ignored."""
    reply = await client.learned(
        f"The {word()} printer jams.",
        f"Clean the {word()} roller.",
        metadata={"product_area": "Branch office", "issue_type": "hardware", "segment": {"tier": [1, None]}},
    )
    assert (reply.skill.product_area, reply.skill.issue_type) == ("Branch office", "hardware")


@promise("skills:create:nothing")
async def test_a_conversation_without_a_lesson_is_refused(client: SkillsClient) -> None:
    """Without a problem or an answer nothing is stored."""
    for text in ("Customer: Hello!\nAgent: Hi!\nCustomer: Bye.", f"Customer: My {word()} is broken."):
        refused = await client.refused("create_skill", {"conversation": text})
        assert refused.error == "nothing_to_learn"


@promise("skills:create:long")
async def test_a_conversation_has_up_to_a_megabyte(client: SkillsClient) -> None:
    """A larger one is refused because of its size."""
    rare = word()
    start = f"Customer: The {rare} gate does not open.\nAgent: Charge the {rare} remote control.\nCustomer: It works!\n"
    filler = "Agent: Is there anything else?\nCustomer: No, thank you.\n"
    text = start + filler * ((1024 * 1024 - len(start)) // len(filler))
    text += " " * (1024 * 1024 - len(text))
    assert rare in (await client.create(text)).skill.problem
    refused = await client.refused("create_skill", {"conversation": f"{text}x"})
    assert refused.error == "invalid_request"
    assert "conversation" in refused.detail
