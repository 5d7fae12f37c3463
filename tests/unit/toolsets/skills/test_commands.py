"""The commands of the skills toolset."""

import json
from collections.abc import Awaitable
from typing import cast

import pytest

from tests.support.toolsets.skills import Instance
from toolsets.skills import commands


async def run(skills: Instance, name: str, *words: str) -> object:
    """Run a command as the gateway does; return its exit code."""
    spec = next(each for each in skills.running.commands if each.command.name == name)
    with spec.command.make_context(name, list(words), obj=spec.obj) as ctx:
        return await cast("Awaitable[object]", spec.command.invoke(ctx))


async def test_the_skills_are_listed_oldest_first_over_several_pages(
    skills: Instance, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_PAGE", 2)
    await run(skills, "list")
    assert capsys.readouterr() == ("", "There are no skills.\n")
    await run(skills, "list", "--json")
    assert capsys.readouterr() == ("", "")
    problems = ["The bell is mute.", "The lamp flickers at night.", "The printer eats paper."]
    ids = [(await skills.learn(problem, "Turn the big wheel."))["skill_id"] for problem in problems]
    await run(skills, "list")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ids
    assert all("  v1  0." in line for line in lines)
    await run(skills, "list", "--json")
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [document["skill_id"] for document in documents] == ids


async def test_a_skill_is_shown_with_the_changes_of_a_version(
    skills: Instance, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = str((await skills.learn("The bell is mute.", "Turn the wheel."))["skill_id"])
    assert await run(skills, "show", id_) == 0
    shown = capsys.readouterr().out
    for part in (
        f"{id_}, version 1 of 1",
        "\nProblem\n",
        "\nResolution\n",
        "Turn the wheel.",
        "\nChanges in this version\n- ",
    ):
        assert part in shown
    assert await run(skills, "show", id_, "--version", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1


@pytest.mark.parametrize("id_", ["00000000-0000-4000-8000-000000000000", "no id", "x" * 500])
async def test_an_unknown_skill_is_an_error(skills: Instance, capsys: pytest.CaptureFixture[str], id_: str) -> None:
    assert await run(skills, "show", id_) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("There is no skill with the id ")
    assert len(captured.err) < 200


async def test_an_unknown_version_is_an_error_that_names_the_latest(
    skills: Instance, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = str((await skills.learn("The bell is mute.", "Turn the wheel."))["skill_id"])
    assert await run(skills, "show", id_, "--version", "2") == 1
    assert capsys.readouterr().err == "There is no version 2; the latest is 1.\n"
