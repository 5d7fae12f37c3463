"""A log put back from a backup in which some toolsets had no events yet: the steps that the message names restore it."""

import re
import shlex
import shutil
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.e2e.knowledge.test_restored_logs import back_up
from tests.support import agent_graph, memory
from tests.support.commands import entrepot
from tests.support.knowledge import create, names_in
from tests.support.processes import Command, run
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

TOOLSETS = ("knowledge", "memory", "agent_graph")


async def write(caller: HttpCaller, toolsets: Collection[str], name: str) -> None:
    """Write one fact with each of the toolsets."""
    if "knowledge" in toolsets:
        await create(caller, name, area="log")
    if "memory" in toolsets:
        await memory.store(caller, "memory", name)
    if "agent_graph" in toolsets:
        await agent_graph.create(caller, name)


async def read(caller: HttpCaller, name: str) -> dict[str, bool]:
    """Return for each toolset whether it finds a fact."""
    return {
        "knowledge": name in await names_in(caller, "log"),
        "memory": name in await memory.names(caller, "memory", name),
        "agent_graph": name in str(await agent_graph.found(caller, name)),
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"knowledge"}, {"memory"}),
        ({"memory"}, {"memory", "agent_graph"}),
        ({"agent_graph"}, set(TOOLSETS)),
    ],
    ids=lambda toolsets: "-".join(sorted(toolsets)),
)
async def test_toolsets_empty_in_the_backup_are_restored_with_the_others(
    tmp_path: Path, before: set[str], after: set[str]
) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    served = ",".join(TOOLSETS)
    async with ours_http(data, toolsets=served) as server:
        await write(server.caller(), before, "early")
        await server.caught_up()
    back_up(data, copy)
    async with ours_http(data, toolsets=served) as server:
        await write(server.caller(), after, "late")
        await server.caught_up()
    for file in data.glob("events.db*"):
        file.unlink()
    shutil.copy(copy, data / "events.db")
    place = ("--data-dir", str(data))
    refused = run(Command(["serve", "--transport", "stdio", "--toolsets", served, *place]))
    assert (refused.returncode, refused.stdout) == (1, "")
    steps = re.findall(r"`entrepot ([^`]+)`", refused.stderr)
    assert steps, refused.stderr
    for step in dict.fromkeys(steps):
        done = await entrepot(*shlex.split(step), *place)
        assert done.returncode == 0, (step, done.stderr)
    async with ours_http(data, toolsets=served) as server:
        await server.caught_up()
        caller = server.caller()
        assert await read(caller, "early") == {toolset: toolset in before for toolset in TOOLSETS}
        assert await read(caller, "late") == dict.fromkeys(TOOLSETS, False)
        await write(caller, TOOLSETS, "again")
        await server.caught_up()
        assert await read(caller, "again") == dict.fromkeys(TOOLSETS, True)
