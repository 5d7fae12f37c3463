"""Databases: listed, attached when they are first used, and separate from one another."""

import pytest
from mcp import MCPError

from contracts.client import McpConnection
from contracts.connections import Connections
from contracts.promises import promise
from contracts.tools.memory.client import LIST, MemoryClient
from contracts.tools.memory.conftest import SETTINGS
from contracts.tools.memory.replies import (
    EntityReply,
    FoundList,
    Observed,
    RelatedList,
    RelationshipReply,
    SimilarList,
    Summaries,
)

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
async def test_the_seven_tools_are_listed_with_what_they_do(connection: McpConnection) -> None:
    """They have their documented names, the same order each time, and closed arguments."""
    assert [tool.name for tool in (await connection.client.list_tools()).tools] == TOOLS
    for name, tool in connection.tools.items():
        assert tool.title
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (name not in WRITERS)


@promise("memory:tools:described")
async def test_the_summary_takes_null_for_all_databases(connection: McpConnection, client: MemoryClient) -> None:
    """Its schema says so; the document names null for no other argument."""
    nullable = [
        (name, argument)
        for name, tool in connection.tools.items()
        for argument, schema in tool.input_schema["properties"].items()
        if "null" in schema["type"]
    ]
    assert nullable == [("get_graph_summary", "database")]
    assert connection.tools["get_graph_summary"].input_schema["properties"]["database"]["type"] == ["string", "null"]
    assert await connection.ask(Summaries, "get_graph_summary", database=None) == await client.summaries()


@promise("memory:input:empty")
async def test_an_optional_text_that_is_empty_counts_as_not_sent(
    connection: McpConnection, client: MemoryClient
) -> None:
    """Without a database the summary is that of all databases."""
    assert await connection.ask(Summaries, "get_graph_summary", database="") == await client.summaries()


@promise("memory:tools:unknown")
async def test_an_unknown_tool_is_a_protocol_error(connection: McpConnection) -> None:
    """It is not an error reply of a tool."""
    with pytest.raises(MCPError):
        await connection.client.call_tool("drop_database", {})


@promise("memory:databases:listed", "memory:databases:attached")
async def test_the_list_shows_the_databases_and_which_are_attached(connections: Connections) -> None:
    """Configured databases exist from the start; only the primary one is attached before its first use."""
    client = MemoryClient(await connections.open("memory", SETTINGS), "")
    listed = await client.databases()
    assert [row.name for row in listed.databases] == ["memory", "prompt_engineer", "research_papers"]
    assert listed.databases[0].description == "Database: memory"
    assert (listed.count, listed.primary_database) == (3, "memory")
    assert [row.is_primary for row in listed.databases] == [True, False, False]
    assert [row.is_attached for row in listed.databases] == [True, False, False]
    await MemoryClient(client.connection, "", "research_papers").search("anything")
    assert [row.is_attached for row in (await client.databases()).databases] == [True, False, True]


@promise("memory:databases:primary")
async def test_a_call_that_names_no_database_works_in_the_primary_one(
    connection: McpConnection, client: MemoryClient
) -> None:
    """Every tool except the summary does so; an empty or null name counts as none."""
    one, other = client.name("one"), client.name("other")
    for name in (one, other):
        stored = await connection.ask(EntityReply, "create_entity", name=name, entity_type="thing", database="")
        assert (stored.status, stored.database) == ("created", "memory")
    linked = await connection.ask(
        RelationshipReply, "create_relationship", from_entity=one, to_entity=other, relationship_type="KNOWS"
    )
    observed = await connection.ask(Observed, "add_observations", entity_name=one, observations=["new"], database=None)
    found = await connection.ask(FoundList, "search_entities", query=one)
    similar = await connection.ask(SimilarList, "semantic_search", query=one, threshold=0)
    related = await connection.ask(RelatedList, "get_related_entities", entity_name=one)
    assert {reply.database for reply in (linked, observed, found, similar, related)} == {"memory"}
    assert [row.observations for row in await client.search(one)] == [["new"]]


@promise("memory:databases:resource")
async def test_the_list_is_a_resource_at_its_documented_address(connection: McpConnection) -> None:
    """This holds whatever engine stores the databases."""
    assert [str(resource.uri) for resource in (await connection.client.list_resources()).resources] == [LIST]
    with pytest.raises(MCPError):
        await connection.client.read_resource("kuzu://databases/other")


@promise("memory:databases:isolated")
async def test_equal_names_in_two_databases_are_two_entities(connection: McpConnection, client: MemoryClient) -> None:
    """They stay apart when they are created, searched, linked and counted."""
    other = MemoryClient(connection, client.mark, "prompt_engineer")
    name, friend = client.name("shared"), client.name("friend")
    before = await client.summaries()
    assert (await client.store(name, ["here"], kind="one")).status == "created"
    assert (await other.store(name, ["there"], kind="two")).status == "created"
    await other.store(friend)
    await other.link(name, friend)
    assert [row.observations for row in await client.search(name)] == [["here"]]
    assert [row.observations for row in await other.search(name)] == [["there"]]
    assert [row.type for row in await client.similar(name, limit=1)] == ["one"]
    assert await client.related(name) == []
    assert [row.name for row in await other.related(name)] == [friend]
    await client.refused(
        "create_relationship",
        {"database": "memory", "from_entity": name, "to_entity": friend, "relationship_type": "KNOWS"},
    )
    after = await client.summaries()
    grown = {
        key: (after.databases[key].entities - was.entities, after.databases[key].relationships - was.relationships)
        for key, was in before.databases.items()
    }
    assert grown == {"memory": (1, 0), "prompt_engineer": (2, 1), "research_papers": (0, 0)}


@promise("memory:summary:fresh")
async def test_a_summary_shows_every_write_at_once(connection: McpConnection, client: MemoryClient) -> None:
    """The summary is cached while nothing changes."""
    client = MemoryClient(connection, client.mark, "research_papers")
    for number in range(3):
        before = await client.summary()
        assert await client.summary() == before
        await client.store(client.name(str(number)), kind=client.mark)
        after = await client.summary()
        assert after.stats.entities == before.stats.entities + 1
        assert (client.mark, number + 1) in [(row.type, row.count) for row in after.entity_types]
        assert sum(row.count for row in after.entity_types) == after.stats.entities
        assert len(after.entity_types) == after.stats.entity_types
