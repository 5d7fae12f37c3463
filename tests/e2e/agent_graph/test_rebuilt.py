"""A rebuild answers as before, with equal digests, and brings lost stores back."""

import random
from pathlib import Path

import pytest

from contracts.promises import promise
from tests.e2e.knowledge.test_rebuilt import Session, replies
from tests.support.agent_graph import create, found, link, succeeded
from tests.support.commands import rebuild
from tests.support.knowledge import ask, part
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

CHANNELS = ("red", "blue")


async def fill(caller: HttpCaller) -> list[str]:
    """Store entities, edges, a text and merges in two channels; return the ids that are left."""
    rng = random.Random(3)
    left: list[str] = []
    for channel in CHANNELS:
        ids = [await create(caller, f"entity {number}", channelId=channel) for number in range(20)]
        for _ in range(40):
            source, target = rng.sample(ids, 2)
            kind = rng.choice(["USES", "BLOCKS", "DEPENDS_ON"])
            await link(caller, source, target, kind, confidence=round(rng.random(), 2))
        text = "Sarah Chen from Google is leading the TensorFlow migration project. The team uses Python."
        await succeeded(caller, "kg_extract_from_memory", channelId=channel, memoryId="m1", memoryContent=text)
        for source, target in zip(ids[:4], ids[4:8], strict=True):
            await succeeded(caller, "kg_merge_entities", targetEntityId=target, sourceEntityIds=[source])
        left += ids[4:]
    return left


def session(ids: list[str]) -> Session:
    """Return calls that read everything and count nothing."""
    calls: Session = [("kg_get_neighbors", {"entityId": entity, "limit": 100}) for entity in ids]
    calls += [("kg_find_path", {"fromEntityId": ids[0], "toEntityId": entity, "maxHops": 10}) for entity in ids]
    for channel in CHANNELS:
        calls.append(("kg_find_entity", {"channelId": channel, "name": "e", "limit": 50}))
        calls.append(("kg_get_high_utility_entities", {"channelId": channel, "limit": 50}))
    return calls


@promise("agent_graph:rebuild:equal")
async def test_replies_and_digests_are_equal_after_a_rebuild_under_a_running_server(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        calls = session(await fill(caller))
        before = await replies(caller, calls)
        report = part(await rebuild(tmp_path, "--toolset", "agent_graph"), "agent_graph")
        caller = server.caller()  # the former connection may have been idle for too long
        assert report["digest"] == report["former_digest"]
        assert (report["vectors"], report["embedded"]) == (0, 0)
        assert await replies(caller, calls) == before
        await create(caller, "written after the switch", channelId="red")
        assert await found(caller, "after the switch", channelId="red") == ["written after the switch"]


@promise("agent_graph:rebuild:lost")
@pytest.mark.parametrize("rebuilt", [False, True])
async def test_a_lost_graph_comes_back_from_the_events(tmp_path: Path, *, rebuilt: bool) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        ids = await fill(caller)
        for entity in ids:
            await ask(caller, "kg_get_entity", {"entityId": entity})
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        before = await replies(server.caller(), session(ids))
    for file in tmp_path.glob("graph.db*"):
        file.unlink()
    if rebuilt:
        await rebuild(tmp_path, "--toolset", "agent_graph")
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        assert await replies(server.caller(), session(ids)) == before
