"""The tools about themselves: listed, described, and which one to use when."""

import pytest
from mcp import MCPError

from contracts.client import McpConnection
from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient

TOOLS = [
    "broad_chunks_search",
    "catalog_search",
    "category_search",
    "chunks_search",
    "concept_search",
    "concept_sources",
    "extract_concepts",
    "get_guidance",
    "get_visuals",
    "list_categories",
    "list_concepts_in_category",
    "source_concepts",
]


@promise("concept_rag:tools:listed")
async def test_the_tools_are_listed_in_the_same_order_each_time(connection: McpConnection) -> None:
    """All documented tools are listed by their documented names."""
    listed = [tool.name for tool in (await connection.client.list_tools()).tools]
    assert sorted(listed) == TOOLS
    assert listed == [tool.name for tool in (await connection.client.list_tools()).tools]


@promise("concept_rag:tools:described")
@pytest.mark.parametrize("name", TOOLS)
async def test_each_tool_tells_a_model_what_it_does(connection: McpConnection, name: str) -> None:
    """It has a title, a description, no effects, and a closed schema with a description of each argument."""
    tool = connection.tools[name]
    assert tool.title
    assert tool.description
    assert tool.annotations is not None
    assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
    assert tool.input_schema["type"] == "object"
    assert tool.input_schema["additionalProperties"] is False
    assert all(each.get("description") for each in tool.input_schema["properties"].values())
    assert tool.output_schema is not None


@promise("concept_rag:tools:unknown")
async def test_an_unknown_tool_is_a_protocol_error(connection: McpConnection) -> None:
    """The error is Invalid params, in the form of the protocol."""
    with pytest.raises(MCPError) as caught:
        await connection.client.call_tool("no_such_tool", {})
    assert caught.value.error.code == -32602


@promise("concept_rag:guidance:topics")
async def test_guidance_says_which_tool_to_use(client: ConceptRagClient) -> None:
    """The default topic is the rules; `all` includes both parts and names every tool."""
    rules, selection, everything = [
        str(await client.bare("get_guidance", topic=topic)) for topic in ("rules", "tool-selection", "all")
    ]
    assert await client.bare("get_guidance") == rules
    assert rules != selection
    assert rules.strip() in everything
    assert selection.strip() in everything
    assert all(tool in selection for tool in TOOLS if tool != "get_guidance")
    assert rules.startswith("#")
