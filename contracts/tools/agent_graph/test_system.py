"""The tools about themselves: which there are, and how they are described."""

from collections.abc import Mapping

import pytest

from backends.ports.values import Json
from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.agent_graph.client import AgentGraphClient

TOOLS = {
    "kg_get_entity",
    "kg_find_entity",
    "kg_get_neighbors",
    "kg_find_path",
    "kg_get_high_utility_entities",
    "kg_get_context",
    "kg_get_phase_context",
    "kg_create_entity",
    "kg_create_relationship",
    "kg_extract_from_text",
    "kg_extract_from_memory",
    "kg_find_duplicates",
    "kg_merge_entities",
}
READERS = {
    "kg_find_entity",
    "kg_get_neighbors",
    "kg_find_path",
    "kg_get_high_utility_entities",
    "kg_find_duplicates",
}
"""The other tools write, if only read counts."""
COUNTERS = {"kg_get_entity", "kg_get_context", "kg_get_phase_context"}
"""Repeating such a call counts another read; repeating any other tool changes nothing."""


@promise("agent_graph:tools:listed")
async def test_the_thirteen_tools_are_listed_and_no_other(connection: McpConnection) -> None:
    """The order is the same each time; tools beyond the documents are not offered by default."""
    listed = [tool.name for tool in (await connection.client.list_tools()).tools]
    assert set(listed) == TOOLS
    assert listed == [tool.name for tool in (await connection.client.list_tools()).tools]


@promise("agent_graph:tools:described")
@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_each_tool_tells_a_model_what_it_does(connection: McpConnection, name: str) -> None:
    """It has a title, a description, effects in a closed world, and a closed schema for arguments."""
    tool = connection.tools[name]
    assert tool.title
    assert tool.description
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is (name in READERS)
    assert tool.annotations.open_world_hint is False
    assert tool.annotations.idempotent_hint is (name not in COUNTERS)
    if name not in READERS:
        assert tool.annotations.destructive_hint is (name == "kg_merge_entities")
    assert tool.input_schema["type"] == "object"
    assert tool.input_schema["additionalProperties"] is False
    assert tool.output_schema is not None


ORDERS: Mapping[str, tuple[str, ...]] = {
    "kg_get_entity": ("success", "entity", "message"),
    "kg_find_entity": ("success", "entities", "count", "totalFound", "message"),
    "kg_get_neighbors": ("success", "entities", "relationships", "entityCount", "relationshipCount", "message"),
    "kg_find_path": ("success", "path", "found", "hopCount", "message"),
    "kg_get_high_utility_entities": ("success", "entities", "count", "message"),
    "kg_get_context": ("success", "context", "stats", "message"),
    "kg_get_phase_context": (
        "success",
        "phaseContext",
        "entityCount",
        "relationshipCount",
        "summary",
        "executionTimeMs",
        "message",
    ),
    "kg_create_entity": ("success", "entity", "message"),
    "kg_create_relationship": ("success", "relationship", "message"),
    "kg_extract_from_text": (
        "success",
        "result",
        "entitiesExtracted",
        "relationshipsExtracted",
        "executionTimeMs",
        "message",
    ),
    "kg_extract_from_memory": (
        "success",
        "result",
        "entitiesExtracted",
        "relationshipsExtracted",
        "executionTimeMs",
        "message",
    ),
    "kg_find_duplicates": ("success", "duplicates", "count", "message"),
    "kg_merge_entities": ("success", "result", "message"),
}
"""The documented order of the fields of each reply."""


@promise("agent_graph:replies:order")
async def test_replies_have_their_fields_in_the_documented_order(client: AgentGraphClient) -> None:
    """In errors the payload comes first, then message and error."""
    one, other, third = [await client.make(name) for name in ("one", "other", "third")]
    ends: dict[str, Json] = {"fromEntityId": one, "toEntityId": other}
    calls: Mapping[str, dict[str, Json]] = {
        "kg_get_entity": {"entityId": one},
        "kg_find_entity": {"name": "one"},
        "kg_get_neighbors": {"entityId": one},
        "kg_find_path": ends,
        "kg_get_high_utility_entities": {},
        "kg_get_context": {},
        "kg_get_phase_context": {"phase": "planning"},
        "kg_create_entity": {"name": "one", "type": "person"},
        "kg_create_relationship": {**ends, "type": "USES"},
        "kg_extract_from_text": {"text": "Ada uses Python."},
        "kg_extract_from_memory": {"memoryId": "m", "memoryContent": "Ada uses Python."},
        "kg_find_duplicates": {},
        "kg_merge_entities": {"targetEntityId": other, "sourceEntityIds": [third]},
    }
    for tool, order in ORDERS.items():
        reply = await client.connection.call(tool, client.with_channel(tool, calls[tool]))
        assert tuple(reply.structured) == order, tool
        refused = tuple((await client.connection.call(tool, {"no": 1})).structured)
        payload = tuple(name for name in order[1:-1] if name in refused)
        assert refused == ("success", *payload, "message", "error"), tool
