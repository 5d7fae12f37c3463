"""The page on moving, carried out: from the embedded profile to the one under test, with servers running."""

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import JsonObject
from contracts.servers import Combination
from tests.profiles.conftest import TOOLSETS
from tests.profiles.families import FAMILIES
from tests.support import memory
from tests.support.commands import entrepot
from tests.support.servers import Running, ours_http

PAGE = Path(__file__).parents[2] / "docs" / "moving.md"
FORMER, NEXT = "embedded", "kuzu-lance"
"""The profiles in the page."""
GROUP = "moving"
PATIENCE_S = 30.0
COMMAND_S = 240.0
"""After which a command is ended: many small requests to an object store take long where the processor is shared."""


def commands() -> list[list[str]]:
    """Return the words of the page's commands, in their order, without the name of the program."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line.split()[1:] for block in blocks for line in block.splitlines()]


@pytest.fixture
def to(engines: Combination) -> str:
    if engines.profile == FORMER:
        pytest.skip("the profile in use cannot be moved to")
    return str(engines.profile)


@pytest.fixture
def variables(variables: Mapping[str, str], on_its_log: Mapping[str, str]) -> Mapping[str, str]:
    """Both profiles have one log: the server's where the profile under test has it there."""
    return on_its_log or variables


async def shown(server: Running, *names: str) -> None:
    """Wait until a server lists exactly these facts in every toolset."""
    async with asyncio.timeout(PATIENCE_S):
        for family in FAMILIES:
            caller = server.caller(f"/mcp/{family.toolset}")
            while sorted(await family.listed(caller, GROUP)) != sorted(names):
                await asyncio.sleep(0.1)


async def write(server: Running, name: str) -> None:
    for family in FAMILIES:
        assert family.stands(await family.write(server.caller(f"/mcp/{family.toolset}"), GROUP, name))


async def test_the_page_leads_from_one_profile_to_the_other_and_back(
    to: str, variables: Mapping[str, str], tmp_path: Path
) -> None:
    """In the end one record is changed: the comparison exits with 1, and its sentence says which record it is."""
    serve_old, rebuild, verify, serve_new = commands()

    def words(command: list[str]) -> list[str]:
        return [to if word == NEXT else word for word in command]

    async def run(command: list[str]) -> tuple[int, str]:
        done = await entrepot(*words(command), "--data-dir", str(tmp_path), variables=variables, patience_s=COMMAND_S)
        return done.returncode, done.stdout + done.stderr

    @asynccontextmanager
    async def served(command: list[str]) -> AsyncGenerator[Running]:
        assert words(command)[0] == "serve"
        profile = words(command)[words(command).index("--profile") + 1]
        async with ours_http(tmp_path, "--profile", profile, toolsets=TOOLSETS, variables=variables) as server:
            yield server

    place = ("--data-dir", str(tmp_path), "--profile", FORMER)
    async with served(serve_old) as old:
        await write(old, "before")
        created = await entrepot("databases", "create", "notes", *place, variables=variables)
        assert created.returncode == 0, created.stderr
        assert (await memory.store(old.caller("/mcp/memory"), "notes", "Alice"))["status"] == "created"
        code, said = await run(verify)
        assert code == 1, "nothing was filled yet"
        assert "run `entrepot rebuild --to` first" in said
        code, said = await run(rebuild)
        assert code == 0, said
        await write(old, "after the filling")
        code, said = await run([*verify, "--json"])
        assert code == 0, said
        reports = cast("dict[str, JsonObject]", json.loads(said[said.index("{") :].splitlines()[0]))
        assert {*reports} >= {family.toolset for family in FAMILIES}
        for report in reports.values():
            assert report["equal"]
            assert report["digest"] == report["other_digest"]
        async with served(serve_new) as new:
            await shown(new, "before", "after the filling")
            await write(new, "by the new one")
            await write(old, "by the old one")
            for server in (old, new):
                await shown(server, "before", "after the filling", "by the new one", "by the old one")
            purged = await entrepot("databases", "delete", "notes", "--yes", "--purge", *place, variables=variables)
            assert purged.returncode == 0, purged.stderr
    async with served(serve_new) as new:
        await write(new, "alone")
        assert "notes" not in await memory.totals(new.caller("/mcp/memory"))
    async with served(serve_old) as old:
        await shown(old, "before", "after the filling", "by the new one", "by the old one", "alone")
    identity = change_a_record(tmp_path, "alone")
    code, said = await run([*verify, "--toolset", "knowledge"])
    assert code == 1, said
    assert f"node concept {identity}: different there" in said


def change_a_record(directory: Path, name: str) -> str:
    """Change the name of a concept in the former stores, behind the back of the log; return its id."""
    with closing(sqlite3.connect(directory / "graph.db")) as connection, connection:
        [identity] = connection.execute(
            "SELECT id FROM nodes WHERE kind = 'concept' AND dead = 0 AND instr(fields, ?)", (name,)
        ).fetchone()
        connection.execute(
            "UPDATE nodes SET c0 = 'changed', fields = replace(fields, ?, 'changed') WHERE id = ?", (name, identity)
        )
    return str(identity)
