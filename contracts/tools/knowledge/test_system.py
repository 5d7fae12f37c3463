"""The server about itself: alive, what it counted, which tools it can serve, and how they are described."""

from datetime import UTC, datetime, timedelta

import pytest
from mcp import MCPError

from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.knowledge.client import KnowledgeClient
from contracts.tools.knowledge.replies import Availability, Ping, Stats, WriteReply

TOOLS = [
    "create_concept",
    "create_relationship",
    "delete_concept",
    "delete_relationship",
    "get_concept",
    "get_concept_chain",
    "get_concepts_by_certainty",
    "get_prerequisites",
    "get_recent_concepts",
    "get_related_concepts",
    "get_server_stats",
    "get_tool_availability",
    "list_hierarchy",
    "ping",
    "search_concepts_exact",
    "search_concepts_semantic",
    "update_concept",
]
WRITERS = {"create_concept", "update_concept", "delete_concept", "create_relationship", "delete_relationship"}


@promise("knowledge:ping:reply")
async def test_ping_answers_with_the_time(connection: McpConnection) -> None:
    """The time is in UTC, in a form that can be parsed."""
    reply = await connection.ask(Ping, "ping")
    assert (reply.status, reply.message) == ("ok", "MCP Knowledge Server is running")
    assert reply.server_name == "knowledge-server"
    told = datetime.fromisoformat(reply.timestamp)
    told = told if told.tzinfo else told.replace(tzinfo=UTC)
    assert abs(told - datetime.now(UTC)) < timedelta(minutes=1)


@promise("knowledge:stats:counts")
async def test_the_statistics_count_facts_and_projections(client: KnowledgeClient) -> None:
    """Every write adds events, reads and refusals add none, and nothing stays pending or failed."""
    before = await client.connection.ask(Stats, "get_server_stats")
    a, b = await client.file("a"), await client.file("b")
    await client.connection.ask(WriteReply, "update_concept", concept_id=a, explanation="new")
    await client.link(a, b)
    await client.related(a)
    after = await client.connection.ask(Stats, "get_server_stats")
    assert after.event_store.concept_events - before.event_store.concept_events == 3
    assert after.event_store.total_events - before.event_store.total_events >= 4
    assert after.event_store.total_events >= after.event_store.concept_events
    assert after.outbox.processed > before.outbox.processed
    assert (after.outbox.pending, after.outbox.failed) == (0, 0)
    assert after.status == "healthy"


@promise("knowledge:availability:all")
async def test_all_seventeen_tools_are_available(connection: McpConnection) -> None:
    """The list is sorted, includes the tool itself, and has the state of all four groups of services."""
    reply = await connection.ask(Availability, "get_tool_availability")
    assert reply.available == TOOLS
    assert (reply.unavailable, reply.total_tools) == ([], 17)
    status = reply.service_status
    assert status.concept_tools == {"repository": True, "confidence_service": True}
    assert status.search_tools == dict.fromkeys(("neo4j_service", "chromadb_service", "embedding_service"), True)
    assert status.relationship_tools == dict.fromkeys(("neo4j_service", "event_store", "outbox"), True)
    assert status.analytics_tools == {"neo4j_service": True}


@promise("knowledge:tools:listed")
async def test_the_tools_are_listed_in_the_same_order_each_time(connection: McpConnection) -> None:
    """All documented tools are listed by their documented names."""
    listed = [tool.name for tool in (await connection.client.list_tools()).tools]
    assert sorted(set(listed) & set(TOOLS)) == TOOLS
    assert listed == [tool.name for tool in (await connection.client.list_tools()).tools]


@promise("knowledge:tools:described")
@pytest.mark.parametrize("name", TOOLS)
async def test_each_tool_tells_a_model_what_it_does(connection: McpConnection, name: str) -> None:
    """It has a title, a description, effects in a closed world, and closed schemas for arguments and replies."""
    tool = connection.tools[name]
    assert tool.title
    assert tool.description
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is (name not in WRITERS)
    assert tool.annotations.open_world_hint is False
    if name in WRITERS:
        assert tool.annotations.destructive_hint is (not name.startswith("create"))
    assert tool.input_schema["type"] == "object"
    assert tool.input_schema["additionalProperties"] is False
    assert tool.output_schema is not None


@promise("knowledge:tools:unknown")
async def test_an_unknown_tool_is_a_protocol_error(connection: McpConnection) -> None:
    """The error is Invalid params, in the form of the protocol."""
    with pytest.raises(MCPError) as caught:
        await connection.client.call_tool("no_such_tool", {})
    assert caught.value.error.code == -32602
