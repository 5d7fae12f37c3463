"""Databases: listed, attached when they are first used, and apart from one another."""

import pytest
from mcp import MCPError

from contracts.client import Door
from contracts.doors import Doors
from contracts.promises import promise
from contracts.tools.memory.conftest import SETTINGS
from contracts.tools.memory.desk import LIST, Desk
from contracts.tools.memory.replies import Summaries

TOOLS = [
    "add_observations",
    "create_entity",
    "create_relationship",
    "get_graph_summary",
    "get_related_entities",
    "search_entities",
    "semantic_search",
]
WRITERS = {"add_observations", "create_entity", "create_relationship"}


@promise("memory:tools:listed", "memory:tools:described")
async def test_the_seven_tools_are_listed_with_what_they_do(door: Door) -> None:
    """By their documented names, in the same order each time, each with closed arguments."""
    assert [tool.name for tool in (await door.client.list_tools()).tools] == TOOLS
    for name, tool in door.tools.items():
        assert tool.title
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (name not in WRITERS)


@promise("memory:tools:described")
async def test_the_summary_takes_null_for_all_databases(door: Door, desk: Desk) -> None:
    """And says so; the document names null for no other argument."""
    nullable = [
        (name, argument)
        for name, tool in door.tools.items()
        for argument, schema in tool.input_schema["properties"].items()
        if "null" in schema["type"]
    ]
    assert nullable == [("get_graph_summary", "database")]
    assert door.tools["get_graph_summary"].input_schema["properties"]["database"]["type"] == ["string", "null"]
    assert await door.ask(Summaries, "get_graph_summary", database=None) == await desk.summaries()


@promise("memory:tools:unknown")
async def test_an_unknown_tool_is_a_protocol_error(door: Door) -> None:
    """Not an error reply."""
    with pytest.raises(MCPError):
        await door.client.call_tool("drop_database", {})


@promise("memory:databases:listed", "memory:databases:attached")
async def test_the_list_shows_the_databases_and_which_are_attached(doors: Doors) -> None:
    """Those of the settings exist from the start; only the primary one is attached before it is used."""
    desk = Desk(await doors.open("memory", SETTINGS), "")
    listed = await desk.databases()
    assert [row.name for row in listed.databases] == ["memory", "prompt_engineer", "research_papers"]
    assert listed.databases[0].description == "Database: memory"
    assert (listed.count, listed.primary_database) == (3, "memory")
    assert [row.is_primary for row in listed.databases] == [True, False, False]
    assert [row.is_attached for row in listed.databases] == [True, False, False]
    await Desk(desk.door, "", "research_papers").search("anything")
    assert [row.is_attached for row in (await desk.databases()).databases] == [True, False, True]


@promise("memory:databases:resource")
async def test_the_list_is_a_resource_at_its_documented_address(door: Door) -> None:
    """Whatever engine keeps the databases."""
    assert [str(resource.uri) for resource in (await door.client.list_resources()).resources] == [LIST]
    with pytest.raises(MCPError):
        await door.client.read_resource("kuzu://databases/other")


@promise("memory:databases:isolated")
async def test_the_same_name_in_two_databases_never_meets(door: Door, desk: Desk) -> None:
    """Not when it is created, searched, linked or counted."""
    other = Desk(door, desk.mark, "prompt_engineer")
    name, friend = desk.name("shared"), desk.name("friend")
    before = await desk.summaries()
    assert (await desk.store(name, ["here"], kind="one")).status == "created"
    assert (await other.store(name, ["there"], kind="two")).status == "created"
    await other.store(friend)
    await other.link(name, friend)
    assert [row.observations for row in await desk.search(name)] == [["here"]]
    assert [row.observations for row in await other.search(name)] == [["there"]]
    assert [row.type for row in await desk.similar(name, limit=1)] == ["one"]
    assert await desk.related(name) == []
    assert [row.name for row in await other.related(name)] == [friend]
    await desk.refused(
        "create_relationship",
        {"database": "memory", "from_entity": name, "to_entity": friend, "relationship_type": "KNOWS"},
    )
    after = await desk.summaries()
    grown = {
        key: (after.databases[key].entities - was.entities, after.databases[key].relationships - was.relationships)
        for key, was in before.databases.items()
    }
    assert grown == {"memory": (1, 0), "prompt_engineer": (2, 1), "research_papers": (0, 0)}


@promise("memory:summary:fresh")
async def test_a_summary_shows_every_write_at_once(door: Door, desk: Desk) -> None:
    """Though it is kept while nothing changes."""
    desk = Desk(door, desk.mark, "research_papers")
    for number in range(3):
        before = await desk.summary()
        assert await desk.summary() == before
        await desk.store(desk.name(str(number)), kind=desk.mark)
        after = await desk.summary()
        assert after.stats.entities == before.stats.entities + 1
        assert (desk.mark, number + 1) in [(row.type, row.count) for row in after.entity_types]
        assert sum(row.count for row in after.entity_types) == after.stats.entities
        assert len(after.entity_types) == after.stats.entity_types
