"""The header X-Channel-Id binds a connection to a channel, and the switch of the documents switches."""

from pathlib import Path

import pytest

from contracts.promises import promise
from tests.support.agent_graph import create, found, succeeded
from tests.support.knowledge import ask, part
from tests.support.servers import ours_http


@promise("agent_graph:channels:bound")
async def test_the_header_binds_and_its_absence_does_not(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        red, blue = server.caller(x_channel_id="red"), server.caller("/mcp/agent_graph", X_Channel_ID="blue")
        free = server.caller()
        mine = await create(red, "Shared")
        theirs = await create(blue, "Shared")
        assert mine != theirs
        assert (await ask(blue, "kg_get_entity", {"entityId": mine}))["error"] == "Entity not found"
        assert part(await succeeded(free, "kg_get_entity", entityId=mine), "entity")["channelId"] == "red"
        assert await found(red, "shared") == ["Shared"]
        assert await found(free, "shared") == []
        assert (await ask(server.caller(x_channel_id=""), "kg_find_entity", {"name": "x"}))[
            "error"
        ] == "channelId is required"


@promise("agent_graph:switch:off", "agent_graph:tools:outcome")
async def test_the_environment_switches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_TOOLSETS__AGENT_GRAPH__EXTENSIONS", "true")
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        entity = await create(caller, "helpful")
        await succeeded(caller, "kg_record_outcome", entityIds=[entity], reward=1)
        assert part(await succeeded(caller, "kg_get_entity", entityId=entity), "entity")["qValue"] == 0.55
    monkeypatch.setenv("KNOWLEDGE_GRAPH_ENABLED", "false")
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        reply = await ask(server.caller(), "kg_get_entity", {"entityId": entity})
        assert reply == {
            "success": False,
            "entity": None,
            "error": "Knowledge Graph is disabled",
            "message": "Knowledge Graph is disabled",
        }


@promise("agent_graph:reads:recorded")
async def test_reads_are_recorded_at_a_clean_stop(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        caller = server.caller()
        entity = await create(caller, "read")
        for _ in range(4):
            await succeeded(caller, "kg_get_entity", entityId=entity)
    async with ours_http(tmp_path, toolsets="agent_graph") as server:
        kept = part(await succeeded(server.caller(), "kg_get_entity", entityId=entity), "entity")
        assert kept["accessCount"] == 5


@promise("agent_graph:channels:required")
async def test_without_a_configured_channel_one_is_asked_for(tmp_path: Path) -> None:
    settings = tmp_path / "entrepot.toml"
    settings.write_text('[toolsets.agent_graph]\nchannel = ""\n', encoding="utf-8")
    async with ours_http(tmp_path / "data", "--config", str(settings), toolsets="agent_graph") as server:
        caller = server.caller()
        assert (await ask(caller, "kg_get_context"))["error"] == "channelId is required"
        entity = await create(caller, "named", channelId="red")
        assert part(await succeeded(caller, "kg_get_entity", entityId=entity), "entity")["channelId"] == "red"
        assert await found(server.caller(x_channel_id="red"), "named") == ["named"]
