"""What a client is told before it calls: 17 tools, small, closed and always the same."""

import json
import random
from pathlib import Path

from jsonschema import Draft202012Validator

from backends.stores import OpenStores
from toolsets.clock import system_now
from toolsets.knowledge.plugin import entrepot_toolset
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.knowledge.tools.system import REQUIRED
from toolsets.spec import Services, ToolSpec


async def listed(directory: Path) -> tuple[ToolSpec, ...]:
    stores = OpenStores({}, directory).stores()
    services = Services(stores, system_now, random.Random(), KnowledgeSettings())
    async with entrepot_toolset().assemble(services) as running:
        return running.tools


async def test_all_tools_are_listed_without_opening_a_store(tmp_path: Path) -> None:
    tools = await listed(tmp_path)
    assert {tool.name for tool in tools} == REQUIRED.keys()
    assert len(tools) == 17
    assert [*tmp_path.iterdir()] == []


async def test_schemas_are_valid_closed_and_deterministic(tmp_path: Path) -> None:
    tools = await listed(tmp_path)
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
        assert tool.title
        assert tool.description
    again = await listed(tmp_path)
    for one, other in zip(tools, again, strict=True):
        assert json.dumps([one.input_schema, one.output_schema]) == json.dumps(
            [other.input_schema, other.output_schema]
        )


async def test_the_listing_stays_small(tmp_path: Path) -> None:
    listing = [
        {"name": t.name, "title": t.title, "description": t.description, "in": t.input_schema, "out": t.output_schema}
        for t in await listed(tmp_path)
    ]
    assert len(json.dumps(listing, separators=(",", ":"))) < 16_200, "about 4,500 tokens"


async def test_only_what_removes_or_replaces_is_marked_destructive(tmp_path: Path) -> None:
    tools = await listed(tmp_path)
    assert {tool.name for tool in tools if tool.effects.destructive} == {
        "update_concept",
        "delete_concept",
        "delete_relationship",
    }
    assert {tool.name for tool in tools if not tool.effects.read_only} == {
        "create_concept",
        "update_concept",
        "delete_concept",
        "create_relationship",
        "delete_relationship",
    }
