"""A log that is gone is not taken for one in which nothing happened yet, by no toolset and by no command."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.support import agent_graph, memory
from tests.support.commands import entrepot
from tests.support.folders import contents
from tests.support.knowledge import create, names_in
from tests.support.processes import Command, run
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

Use = Callable[[HttpCaller], Awaitable[object]]
WRITES: dict[str, Use] = {
    "knowledge": lambda caller: create(caller, "kept", area="log"),
    "memory": lambda caller: memory.store(caller, "memory", "kept"),
    "agent_graph": lambda caller: agent_graph.create(caller, "kept"),
}
READS: dict[str, Use] = {
    "knowledge": lambda caller: names_in(caller, "log"),
    "memory": lambda caller: memory.names(caller, "memory", "kept"),
    "agent_graph": lambda caller: agent_graph.found(caller, "kept"),
}


@pytest.mark.parametrize("toolset", WRITES)
async def test_a_lost_log_stops_start_and_rebuild_until_it_is_put_back(tmp_path: Path, toolset: str) -> None:
    """What was made from it is left as it is: it may be the last trace of the facts."""
    data, lost = tmp_path / "data", tmp_path / "lost"
    async with ours_http(data, toolsets=toolset) as server:
        await WRITES[toolset](server.caller())
        before = await READS[toolset](server.caller())
        assert before
        await server.caught_up()
    lost.mkdir()
    for file in data.glob("events.db*"):
        shutil.move(file, lost)
    place = ("--data-dir", str(data))
    begun = run(Command(["serve", "--transport", "stdio", "--toolsets", toolset, *place]))
    assert (begun.returncode, begun.stdout) == (1, "")
    assert "built from another event log" in begun.stderr
    built = await entrepot("rebuild", "--toolset", toolset, *place)
    assert built.returncode == 1
    assert "The log has no events to build it from" in built.stderr
    checked = await entrepot("check", *place)
    assert checked.returncode == 1
    for said in (built.stderr, checked.stdout):
        assert "built from another event log" in said
        assert "ut the right log back" in said
    for file in data.glob("events.db*"):
        file.unlink()
    shutil.copytree(lost, data, dirs_exist_ok=True)
    async with ours_http(data, toolsets=toolset) as server:
        assert await READS[toolset](server.caller()) == before


async def test_checking_does_not_create_a_lost_log(tmp_path: Path) -> None:
    """An empty log would know nothing of what the graph holds."""
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "kept", area="general")
    for file in tmp_path.glob("events.db*"):
        file.unlink()
    before = set(contents(tmp_path))
    done = run(Command(["check", "--data-dir", str(tmp_path)]))
    assert "graph.db" in done.stdout, done.stderr
    assert set(contents(tmp_path)) == before
