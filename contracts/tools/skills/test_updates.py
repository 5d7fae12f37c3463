"""Updating: another conversation adds to a skill, and every version stays."""

import anyio
import pytest
from mcp import MCPError

from contracts.promises import promise
from contracts.tools.skills.client import SkillsClient, conversation, word

STEPS = (
    "Replace the battery of the remote control",
    "Install the firmware called",
    "Clean the rails with the spray",
    "Ask the electrician about cable",
    "Open the cover and remove the leaves from gear",
    "Set the wind sensor to level",
    "Order new cords at the shop",
    "Switch the timer to summer time in menu",
)
"""Steps with eight different meanings."""


@promise("skills:update:reply", "skills:update:additive", "skills:update:found", "skills:loop:learned")
async def test_the_learning_loop(client: SkillsClient) -> None:
    """Search, miss, create, hit, update: the second version is found by its new words."""
    rare, later = word(), word()
    question = f"Why does the {rare} oven stay cold?"
    assert await client.ids(question, min_score=0.9) == []
    mine = await client.learned(f"The {rare} oven stays cold.", f"Switch the {rare} fuse back on.")
    assert (await client.ids(question))[0] == mine.skill_id

    more = conversation(f"The {rare} oven stays cold again.", f"Order a thermostat from {later} and exchange it.")
    updated = await client.update(mine.skill_id, more, "It helped.")
    assert (updated.version, updated.title) == (2, mine.title)
    assert any(later in change for change in updated.changes)
    [first, *_] = (await client.search(f"order a thermostat from {later}")).matches
    assert first.skill_id == mine.skill_id
    assert f"{rare} fuse" in first.resolution
    assert later in first.resolution


@promise("skills:update:feedback", "skills:update:nothing")
async def test_feedback_moves_the_confidence(client: SkillsClient) -> None:
    """It moves by 0.1 up or 0.2 down; a conversation without news also makes a version."""
    mine = await client.learned(f"The {word()} heater ticks.", f"Bleed the {word()} radiator.")
    idle = "Customer: Hello!\nAgent: Hi!"
    praised = await client.update(mine.skill_id, idle, "This worked perfectly, thank you.")
    assert praised.changes == ["Raised the confidence from 0.5 to 0.6."]
    blamed = await client.update(mine.skill_id, idle, "This is wrong and outdated.")
    assert blamed.changes == ["Lowered the confidence from 0.6 to 0.4."]
    neither = await client.update(mine.skill_id, idle)
    assert (neither.version, len(neither.changes)) == (4, 1)
    assert neither.changes[0].startswith("Changed nothing")
    again = await client.update(mine.skill_id, idle, "This is wrong and outdated.")
    assert (again.version, again.changes) == (5, ["Lowered the confidence from 0.4 to 0.2."])


@promise("skills:update:concurrent", "skills:versions:resource")
async def test_many_updates_at_once_make_a_version_each(client: SkillsClient) -> None:
    """There are no gaps, and no addition is lost."""
    mine = await client.learned(f"The {word()} blinds do not close.", f"Reset the {word()} motor.")
    added = [word() for _ in range(8)]
    versions: list[int] = []

    async def update(rare: str) -> None:
        text = conversation("The blinds do not close.", f"{STEPS[added.index(rare)]} {rare}.")
        versions.append((await client.update(mine.skill_id, text)).version)

    async with anyio.create_task_group() as group:
        for rare in added:
            group.start_soon(update, rare)
    assert sorted(versions) == list(range(2, 10))
    found = await client.versions(mine.skill_id)
    assert [version.version for version in found.versions] == list(range(9, 0, -1))
    assert found.total_versions == 9
    assert found.skill == found.versions[0].skill
    assert all(rare in found.skill.resolution for rare in added)
    assert found.versions[-1].skill.resolution == mine.skill.resolution
    for later, earlier in zip(found.versions, found.versions[1:], strict=False):
        assert all(step in later.skill.resolution for step in added if step in earlier.skill.resolution)


@promise("skills:update:unknown")
async def test_an_unknown_skill_is_not_found(client: SkillsClient) -> None:
    """This holds for ids of any form."""
    text = conversation("It is broken.", "Restart it.")
    for skill_id in ("00000000-0000-4000-8000-000000000000", "nobody", "../../etc/passwd", "x" * 300, "'; --", "", " "):
        refused = await client.refused("update_skill", {"skill_id": skill_id, "conversation": text})
        assert refused.error == "skill_not_found"
        assert len(refused.detail) < 300


@promise("skills:versions:unknown")
async def test_the_resource_of_an_unknown_skill_is_not_found(client: SkillsClient) -> None:
    """It is a protocol error, as for every resource."""
    for skill_id in ("00000000-0000-4000-8000-000000000000", "nobody"):
        with pytest.raises(MCPError):
            await client.versions(skill_id)


@promise("skills:secrets:removed")
async def test_secrets_are_nowhere(client: SkillsClient) -> None:
    """Replies, versions and changes have none; the rest of a step stays."""
    rare = word()
    secrets = ("ann.lee@example.org", "4111 1111 1111 1111", "hunter2zebra", "+44 20 7946 0958")
    told = f"My mail is {secrets[0]}, my card {secrets[1]}, my password is {secrets[2]}. Call me at {secrets[3]}."
    mine = await client.learned(
        f"The {rare} account is locked. {told}", f"I unlocked the {rare} account; your password: {secrets[2]}."
    )
    more = conversation(
        f"The {rare} account is locked again, {secrets[0]} here.", f"Open port 8443 for {rare}. Your PIN is 4711."
    )
    await client.update(mine.skill_id, more, f"It worked, mail {secrets[0]} about it.")
    everything = (await client.versions(mine.skill_id)).model_dump_json()
    assert not any(secret in everything for secret in secrets)
    assert rare in everything
