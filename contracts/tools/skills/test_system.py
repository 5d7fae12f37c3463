"""The tools about themselves: which there are, and how they are described."""

import pytest
from mcp import MCPError

from contracts.client import McpConnection
from contracts.promises import promise

TOOLS = {"search_skills", "create_skill", "update_skill"}


@promise("skills:tools:listed")
async def test_the_three_tools_are_listed_and_no_other(connection: McpConnection) -> None:
    """The order is the same each time."""
    listed = [tool.name for tool in (await connection.client.list_tools()).tools]
    assert set(listed) == TOOLS
    assert listed == [tool.name for tool in (await connection.client.list_tools()).tools]


@promise("skills:tools:described")
@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_each_tool_tells_a_model_what_it_does(connection: McpConnection, name: str) -> None:
    """It has a title, a description, effects in a closed world, and a closed schema for arguments."""
    tool = connection.tools[name]
    assert tool.title
    assert tool.description
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is (name == "search_skills")
    assert tool.annotations.open_world_hint is False
    assert tool.annotations.destructive_hint is False
    assert tool.input_schema["additionalProperties"] is False


@promise("skills:tools:unknown")
async def test_an_unknown_tool_is_an_error_of_the_protocol(connection: McpConnection) -> None:
    """The tools have no code for this error."""
    with pytest.raises(MCPError):
        await connection.client.call_tool("delete_skill", {})
