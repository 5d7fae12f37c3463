"""The running toolset, on real stores."""

import pytest

from backends.ports.errors import Unavailable
from tests.support.toolsets.skills import Instance, chat
from toolsets.ids import is_uuid
from toolsets.skills.extraction.offline import redacted_transcript
from toolsets.skills.projections import passage_of
from toolsets.skills.runtime import Skills
from toolsets.skills.skill import UnknownSkill
from toolsets.sourcing.claims import digest_of

NOBODY = "00000000-0000-4000-8000-000000000000"
PROBLEM, ANSWER = "The bell is mute.", "Turn the wheel."


@pytest.fixture
async def running(skills: Instance) -> Skills:
    """What the handlers and commands of the toolset share."""
    found = skills.running.commands[0].obj
    assert isinstance(found, Skills)
    return found


async def learned(skills: Instance) -> str:
    return str((await skills.learn(PROBLEM, ANSWER))["skill_id"])


async def test_ids_are_new(running: Skills) -> None:
    ids = {running.new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(map(is_uuid, ids))


async def test_rows_of_vectors_have_unit_norm(running: Skills) -> None:
    rows = await running.embed(["a", "b c"])
    assert rows.shape[0] == 2
    assert [float(row @ row) for row in rows] == pytest.approx([1.0, 1.0], abs=1e-5)


async def test_a_stored_skill_with_the_same_meaning_is_a_duplicate(skills: Instance, running: Skills) -> None:
    id_ = await learned(skills)
    same = passage_of((await running.skills([id_]))[id_])
    found = [await running.duplicate_of(vector) for vector in await running.embed([same, "Pancakes need milk."])]
    assert found == [id_, None]


async def test_only_the_skills_that_exist_are_found(skills: Instance, running: Skills) -> None:
    id_ = await learned(skills)
    assert (await running.skills([id_, NOBODY])).keys() == {id_}
    assert await running.skills([]) == {}


async def test_a_skill_is_read_from_its_events(skills: Instance, running: Skills) -> None:
    id_ = await learned(skills)
    skill = await running.skill(id_)
    assert (skill.skill_id, skill.version) == (id_, 1)
    assert len(await running.history(id_)) == 1


@pytest.mark.parametrize("id_", [NOBODY, "no id", ""])
async def test_an_unknown_skill_has_no_history(running: Skills, id_: str) -> None:
    with pytest.raises(UnknownSkill):
        await running.history(id_)
    with pytest.raises(UnknownSkill):
        await running.skill(id_)


async def test_an_equal_conversation_leads_to_the_skill_it_taught(skills: Instance, running: Skills) -> None:
    key = (digest_of((redacted_transcript(chat(PROBLEM, ANSWER)).text,)),)
    assert await running.taught_by(key) is None
    id_ = await learned(skills)
    assert await running.taught_by(key) == id_


async def test_stores_that_answer_are_not_named_and_one_that_fails_is(
    running: Skills, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await running.unanswered(within_s=10) == ()

    async def away() -> None:
        raise Unavailable("host 10.0.0.1")

    monkeypatch.setattr(running.live_stores, "log", away)
    [sentence] = await running.unanswered(within_s=10)
    assert sentence.startswith("The event log ")
    assert "10.0.0.1" not in sentence
    await running.close()
