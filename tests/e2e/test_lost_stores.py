"""A graph or vectors that were moved away under a running server are missed by every toolset, and used again once back."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import agent_graph, memory
from tests.support.knowledge import create, result_of
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http

PATIENCE_S = 60.0
Calls = Mapping[str, Mapping[str, object]]
READS: Mapping[str, Calls] = {
    "graph.db": {
        "search_concepts_exact": {"area": "kept"},
        "search_entities": {"query": "kept"},
        "kg_find_entity": {"name": "kept"},
    },
    "vectors.db": {"search_concepts_semantic": {"query": "kept"}},
}


async def readiness(server: Running) -> tuple[int, str]:
    status, body = await server.caller().get("/readyz")
    return status, body.decode()


async def answers(caller: HttpCaller, calls: Calls) -> dict[str, str]:
    """Return what each call says, marked when it failed; a failure without the mark of MCP has it in its fields."""
    said: dict[str, str] = {}
    for tool, arguments in calls.items():
        reply = await result_of(caller, tool, arguments)
        said[tool] = ("failed: " if reply.get("isError") else "") + json.dumps(reply["structuredContent"])
    return said


async def well(server: Running) -> None:
    """Wait until the server says that it is ready."""
    async with asyncio.timeout(PATIENCE_S):
        while (await readiness(server))[0] != 200:
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("file", READS)
async def test_a_store_moved_away_in_use_is_missed_by_every_toolset_until_it_is_back(tmp_path: Path, file: str) -> None:
    data = tmp_path / "data"
    async with ours_http(data, toolsets="knowledge,memory,agent_graph") as server:
        caller = server.caller()
        await create(caller, "kept", area="kept")
        await memory.store(caller, "memory", "kept")
        await agent_graph.create(caller, "kept")
        await server.caught_up()
        before = await answers(caller, READS[file])
        assert all("kept" in said and not said.startswith("failed") for said in before.values()), before
        (data / file).rename(tmp_path / file)
        for _ in range(2):
            missed = await answers(caller, READS[file])
            assert all(said.startswith("failed") for said in missed.values()), missed
            status, problems = await readiness(server)
            assert (status, f"{file} was moved away while it was in use" in problems) == (503, True), problems
        assert not (data / file).exists(), "an empty one would answer with nothing"
        (tmp_path / file).rename(data / file)
        await well(server)
        assert await answers(caller, READS[file]) == before
