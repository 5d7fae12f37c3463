"""A connection that is bound to a channel cannot see another one's entities, whichever tool it asks."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from tests.support.toolsets.agent_graph import Instance, part, rows, toolset_in
from toolsets.agent_graph.settings import AgentGraphSettings

GONE = {"success", "error", "message"}


async def a_pair(kg: Instance) -> tuple[str, str]:
    a, b = await kg.create("Alpha"), await kg.create("Beta")
    await kg.link(a, b)
    return a, b


@promise("agent_graph:channels:bound")
async def test_ids_of_another_channel_are_not_found_by_any_tool(kg: Instance) -> None:
    red, blue = kg.bound("red"), kg.bound("blue")
    a, b = await a_pair(red)
    mine, other = await a_pair(blue)
    theirs: Mapping[str, list[dict[str, Json]]] = {
        "kg_get_entity": [{"entityId": a}],
        "kg_get_neighbors": [{"entityId": a}],
        "kg_find_path": [
            {"fromEntityId": a, "toEntityId": b},
            {"fromEntityId": mine, "toEntityId": a},
            {"fromEntityId": a, "toEntityId": mine},
        ],
        "kg_get_phase_context": [{"phase": "reasoning", "entityIds": [mine, a]}],
        "kg_create_relationship": [
            {"fromEntityId": a, "toEntityId": b, "type": "USES"},
            {"fromEntityId": mine, "toEntityId": a, "type": "USES"},
        ],
        "kg_record_outcome": [{"entityIds": [mine, a], "reward": 1}],
    }
    for tool, calls in theirs.items():
        for arguments in calls:
            reply = await blue.reply(tool, **arguments)
            unknown = await blue.reply(tool, **_with(arguments, a, f"ent_{0:032x}", b))
            assert reply.structured["error"] == "Entity not found", (tool, arguments)
            assert set(reply.structured) == set(unknown.structured)
    for merge in ((mine, [a]), (a, [mine]), (a, [b]), (mine, [other, b])):
        refused = await blue.reply("kg_merge_entities", targetEntityId=merge[0], sourceEntityIds=merge[1])
        assert refused.structured["error"] == "Merge failed"
        assert "Entity not found" in str(refused.structured["message"])
    for untouched in (a, b):
        assert part(await red.ask("kg_get_entity", entityId=untouched), "entity")["qValue"] == 0.5
    assert len(rows(await red.ask("kg_get_neighbors", entityId=a), "relationships")) == 1
    assert len(rows(await blue.ask("kg_get_neighbors", entityId=mine), "relationships")) == 1


@promise("agent_graph:channels:bound")
async def test_what_is_listed_is_of_the_connections_channel(kg: Instance) -> None:
    red, blue = kg.bound("red"), kg.bound("blue")
    a, b = await a_pair(red)
    await red.create("Alpha.js")
    await red.entity(a)
    mine, _ = await a_pair(blue)
    assert mine not in (a, b)
    assert await blue.names("kg_find_entity", name="alpha") == ["Alpha"]
    assert set(await blue.names("kg_get_high_utility_entities")) == {"Alpha", "Beta"}
    context = part(await blue.ask("kg_get_context", keywords=["alpha"]), "context")
    assert {str(row["id"]) for row in rows(context, "entities")} == {mine}
    for phase in ("observation", "reasoning", "planning", "action", "reflection"):
        found = part(await blue.ask("kg_get_phase_context", phase=phase, taskContent="alpha beta"), "phaseContext")
        assert {str(row["channelId"]) for row in rows(found, "entities")} <= {"blue"}
    assert (await blue.ask("kg_find_duplicates"))["duplicates"] == []
    extracted = part(await blue.ask("kg_extract_from_text", text="Ada Lovelace uses Python."), "result")
    assert {str(row["channelId"]) for row in rows(extracted, "entities")} == {"blue"}


async def test_a_bound_connection_cannot_name_another_channel(kg: Instance) -> None:
    blue = kg.bound("blue")
    assert await blue.refused("kg_find_entity", name="x", channelId="red") == "Invalid arguments"
    assert await blue.refused("kg_create_entity", name="x", type="task", channelId="red") == "Invalid arguments"
    created = part(await blue.ask("kg_create_entity", name="x", type="task", channelId="blue"), "entity")
    assert created["channelId"] == "blue"
    for unusable in ("", "   ", "x" * 501):
        assert await kg.bound(unusable).refused("kg_find_entity", name="x") == "channelId is required"
        assert await kg.bound(unusable).refused("kg_get_entity", entityId="x") == "channelId is required"


async def test_the_default_channel_binds_nothing(kg: Instance) -> None:
    a, b = await kg.create("a", channelId="red"), await kg.create("b", channelId="red")
    made = part(await kg.ask("kg_create_relationship", fromEntityId=a, toEntityId=b, type="USES"), "relationship")
    assert made["channelId"] == "red"
    assert (await kg.entity(a))["channelId"] == "red"
    abroad = await kg.create("c", channelId="blue")
    ends: dict[str, Json] = {"fromEntityId": a, "toEntityId": abroad}
    assert await kg.refused("kg_create_relationship", type="USES", **ends) == "Entity not found"
    assert (await kg.ask("kg_find_path", **ends))["found"] is False
    ends["toEntityId"] = b
    assert await kg.refused("kg_create_relationship", type="USES", channelId="blue", **ends) == "Entity not found"


async def test_blanks_around_a_channel_make_no_other_channel(kg: Instance) -> None:
    a = await kg.create("a", channelId=" red\t")
    assert (await kg.entity(a))["channelId"] == "red"
    assert await kg.create("a", channelId="red") == a
    assert await kg.names("kg_find_entity", name="a", channelId="\u3000red") == ["a"]
    assert await kg.bound("red").names("kg_find_entity", name="a", channelId=" red ") == ["a"]


@promise("agent_graph:channels:required")
async def test_without_any_channel_one_is_asked_for(tmp_path: Path) -> None:
    async with toolset_in(tmp_path, settings=AgentGraphSettings()) as kg:
        entity = await kg.create("a", channelId="red")
        for tool, arguments in CHANNELLED.items():
            assert await kg.refused(tool, **arguments) == "channelId is required", tool
        assert (await kg.entity(entity))["name"] == "a"


@promise("agent_graph:switch:off")
async def test_switched_off_every_tool_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWLEDGE_GRAPH_ENABLED", "false")
    async with toolset_in(tmp_path, settings=AgentGraphSettings(channel="x", extensions=True)) as kg:
        for tool in kg.tools:
            reply = await kg.reply(tool)
            assert reply.structured["error"] == reply.structured["message"] == "Knowledge Graph is disabled"
            assert set(reply.structured) > GONE


CHANNELLED: Mapping[str, dict[str, Json]] = {
    "kg_find_entity": {"name": "x"},
    "kg_get_high_utility_entities": {},
    "kg_get_context": {},
    "kg_get_phase_context": {"phase": "action"},
    "kg_create_entity": {"name": "x", "type": "task"},
    "kg_create_relationship": {"fromEntityId": f"ent_{0:032x}", "toEntityId": f"ent_{1:032x}", "type": "USES"},
    "kg_extract_from_text": {"text": "x"},
    "kg_extract_from_memory": {"memoryId": "m", "memoryContent": "x"},
    "kg_find_duplicates": {},
}


def _with(arguments: Mapping[str, Json], *replaced: str) -> dict[str, Json]:
    """Return arguments with each of two ids replaced by one that nobody has."""
    a, unknown, b = replaced

    def other(value: Json) -> Json:
        if isinstance(value, list):
            return [other(part) for part in value]
        return unknown if value in (a, b) else value

    return {name: other(value) for name, value in arguments.items() if name != "toEntityId"} | {
        name: f"ent_{1:032x}" if value in (a, b) else value for name, value in arguments.items() if name == "toEntityId"
    }
