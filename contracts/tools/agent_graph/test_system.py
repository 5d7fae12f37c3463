"""The tools about themselves: which there are, and how they are described."""

import pytest

from contracts.client import Door
from contracts.promises import promise

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
"""The others write, if only how often something was read."""
COUNTERS = {"kg_get_entity", "kg_get_context", "kg_get_phase_context"}
"""Each call counts as one read more; what the others do is not done twice."""


@promise("agent_graph:tools:listed")
async def test_the_thirteen_tools_are_listed_and_no_other(door: Door) -> None:
    """In the same order each time; what goes beyond the documents is not offered unasked."""
    listed = [tool.name for tool in (await door.client.list_tools()).tools]
    assert set(listed) == TOOLS
    assert listed == [tool.name for tool in (await door.client.list_tools()).tools]


@promise("agent_graph:tools:described")
@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_each_tool_tells_a_model_what_it_does(door: Door, name: str) -> None:
    """Title, description, effects in a closed world, and closed schemas for arguments."""
    tool = door.tools[name]
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
