"""`entrepot skills` beside a running server: every version can be read, and a wrong word is told."""

import json
from pathlib import Path

from contracts.promises import promise
from tests.support.commands import entrepot
from tests.support.knowledge import ask
from tests.support.servers import ours_http
from tests.support.skills import learned, talk


@promise("skills:versions:command")
async def test_skills_are_listed_and_every_version_is_shown(tmp_path: Path) -> None:
    data = tmp_path / "data"
    place = ("--data-dir", str(data))
    async with ours_http(data, toolsets="skills") as server:
        caller = server.caller()
        first, second = await learned(caller, "one", "first"), await learned(caller, "one", "second")
        more = {"skill_id": first, "conversation": talk("two", "later"), "feedback": "It helped."}
        assert (await ask(caller, "update_skill", more))["version"] == 2

        listed = await entrepot("skills", "list", *place)
        assert listed.returncode == 0, listed.stderr
        lines = listed.stdout.splitlines()
        assert [line.split()[:2] for line in lines] == [[first, "v2"], [second, "v1"]]
        documents = [
            json.loads(line) for line in (await entrepot("skills", "list", "--json", *place)).stdout.splitlines()
        ]
        assert [(each["skill_id"], each["version"]) for each in documents] == [(first, 2), (second, 1)]

        shown = await entrepot("skills", "show", first, *place)
        assert "version 2 of 2" in shown.stdout
        assert "`look two later`" in shown.stdout
        former = json.loads((await entrepot("skills", "show", first, "--version", "1", "--json", *place)).stdout)
        assert (former["version"], former["skill"]["version"]) == (1, 1)
        assert "look two later" not in former["skill"]["resolution"]
        unknown = await entrepot("skills", "show", "nobody", *place)
        assert (unknown.returncode, unknown.stdout, "no skill" in unknown.stderr) == (1, "", True)
        beyond = await entrepot("skills", "show", first, "--version", "3", *place)
        assert (beyond.returncode, beyond.stdout, "latest is 2" in beyond.stderr) == (1, "", True)
