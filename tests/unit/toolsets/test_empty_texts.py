"""In every tool, an optional text that is empty counts as not sent, also one that is an enumeration."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from toolsets.arguments import Arguments, BadArguments, parse
from toolsets.schemas import input_schema
from toolsets.tools import Tool

TOOLSETS = ("agent_graph", "concept_rag", "knowledge", "memory", "skills")


def tools_of(toolset: str) -> Iterator[type[Arguments]]:
    """Yield the argument model of each tool."""
    package = importlib.import_module(f"toolsets.{toolset}.tools")
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for tool in getattr(importlib.import_module(module.name), "TOOLS", ()):
            assert isinstance(tool, Tool)
            yield cast("type[Arguments]", tool.arguments)


def optional_texts(schema: JsonObject) -> list[str]:
    """Return the names of the optional texts of a published schema."""
    parts = cast("Mapping[str, JsonObject]", schema["properties"])
    required = cast("list[str]", schema.get("required", []))
    assert not any("properties" in part for part in parts.values()), "a nested model would need the same"
    return [name for name, part in parts.items() if part.get("type") == "string" and name not in required]


def outcome(model: type[Arguments], arguments: Mapping[str, Json]) -> Arguments | tuple[str, ...]:
    try:
        return parse(model, arguments)
    except BadArguments as bad:
        return tuple(problem.sentence for problem in bad.problems)


def test_all_tools_are_walked() -> None:
    assert sum(len([*tools_of(toolset)]) for toolset in TOOLSETS) == 52


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_an_optional_text_that_is_empty_counts_as_not_sent(toolset: str) -> None:
    for model in tools_of(toolset):
        for name in optional_texts(input_schema(model)):
            assert outcome(model, {name: ""}) == outcome(model, {}), (model, name)
