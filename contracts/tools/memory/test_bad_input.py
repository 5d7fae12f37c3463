"""Bad input: refused in the documented envelope, naming the parameter, and nothing is written."""

import json
from collections.abc import Mapping

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.memory.desk import Desk
from contracts.tools.memory.replies import Envelope

GOOD: Mapping[str, JsonObject] = {
    "create_entity": {"database": "memory", "name": "never written", "entity_type": "thing"},
    "create_relationship": {"database": "memory", "from_entity": "a", "to_entity": "b", "relationship_type": "KNOWS"},
    "add_observations": {"database": "memory", "entity_name": "never written", "observations": ["text"]},
    "search_entities": {"database": "memory", "query": "text"},
    "semantic_search": {"database": "memory", "query": "text"},
    "get_related_entities": {"database": "memory", "entity_name": "never written"},
    "get_graph_summary": {},
}
"""Arguments of each tool that break no rule of form."""

_TEXT: list[Json] = [5, True, 1.5, [], {}, ["text"], "", "   ", "\t\n", "\u3000"]
_NAME: list[Json] = [*_TEXT, "x" * 501]
_SHARE: list[Json] = ["0.5", True, [], {}, -0.001, 1.001, 5, -1]
_LIST: list[Json] = [5, True, "text", {}, [5], [None], [""], ["  "], [["text"]]]


def _count(high: int) -> list[Json]:
    return ["5", True, 1.5, [], {}, 0, -1, high + 1, 10**18]


BAD: Mapping[tuple[str, str], list[Json]] = {
    ("create_entity", "database"): [*_TEXT],
    ("create_entity", "name"): [*_NAME],
    ("create_entity", "entity_type"): [*_NAME],
    ("create_entity", "observations"): [*_LIST],
    ("create_relationship", "database"): [*_TEXT],
    ("create_relationship", "from_entity"): [*_NAME],
    ("create_relationship", "to_entity"): [*_NAME],
    ("create_relationship", "relationship_type"): [*_NAME],
    ("create_relationship", "confidence"): [*_SHARE],
    ("add_observations", "database"): [*_TEXT],
    ("add_observations", "entity_name"): [*_NAME],
    ("add_observations", "observations"): [*_LIST],
    ("search_entities", "database"): [*_TEXT],
    ("search_entities", "query"): [*_TEXT],
    ("search_entities", "limit"): _count(1_000),
    ("semantic_search", "database"): [*_TEXT],
    ("semantic_search", "query"): [*_TEXT],
    ("semantic_search", "limit"): _count(1_000),
    ("semantic_search", "threshold"): [*_SHARE],
    ("get_related_entities", "database"): [*_TEXT],
    ("get_related_entities", "entity_name"): [*_NAME],
    ("get_related_entities", "max_depth"): _count(5),
    ("get_related_entities", "limit"): _count(1_000),
    ("get_graph_summary", "database"): [*_TEXT],
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "create_entity": ("database", "name", "entity_type"),
    "create_relationship": ("database", "from_entity", "to_entity", "relationship_type"),
    "add_observations": ("database", "entity_name", "observations"),
    "search_entities": ("database", "query"),
    "semantic_search": ("database", "query"),
    "get_related_entities": ("database", "entity_name"),
}
TEXT_ARGUMENTS = sorted(pair for pair, values in BAD.items() if 5 in values and "   " in values)
HUGE = "x" * 1_000_000
NOT_NAMES = (
    "nowhere",
    "Memory",
    "../memory",
    "/etc/passwd",
    "memory/",
    "..",
    "a b",
    "x" * 65,
    "C:\\memory",
    "' OR 1=1",
)


@promise("memory:input:rules", "memory:errors:parameter")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_value_that_breaks_its_rule_is_refused(desk: Desk, tool: str, field: str) -> None:
    """Wrong type, out of range, blank or too long: never coerced, never clamped; the message names the parameter."""
    values = BAD[tool, field]
    messages = await desk.refusals(tool, *({**GOOD[tool], field: value} for value in values))
    for value, message in zip(values, messages, strict=True):
        assert message.startswith(f"Invalid parameter: {field}"), (value, message)
        assert not PROGRAMMERS_WORDS.search(message)


@promise("memory:errors:range")
@pytest.mark.parametrize(("tool", "field"), [("semantic_search", "threshold"), ("create_relationship", "confidence")])
async def test_a_share_out_of_range_is_refused_in_the_documented_words(desk: Desk, tool: str, field: str) -> None:
    """Whichever side it lies on."""
    values: tuple[Json, ...] = (-0.001, 1.001, 7, -(10**9))
    for message in await desk.refusals(tool, *({**GOOD[tool], field: value} for value in values)):
        assert message == f"Invalid parameter: {field} must be between 0.0 and 1.0"


@promise("memory:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(desk: Desk, tool: str) -> None:
    """A misspelt option never passes silently, whatever its value."""
    values: tuple[Json, ...] = (1, None, "x" * 10_000)
    for message in await desk.refusals(tool, *({**GOOD[tool], "no_such_argument": value} for value in values)):
        assert "no_such_argument" in message
        assert len(message) < 500


@promise("memory:input:required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(desk: Desk, tool: str) -> None:
    """Null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        absent, null = await desk.refusals(tool, rest, {**rest, field: None})
        assert absent == f"Invalid parameter: {field} is required"
        assert null.startswith(f"Invalid parameter: {field}")


@promise("memory:input:unstorable")
@pytest.mark.parametrize(("tool", "field"), TEXT_ARGUMENTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(desk: Desk, tool: str, field: str) -> None:
    """NUL and a megabyte: an error of a few words, not an echo of what was sent."""
    for message in await desk.refusals(tool, *({**GOOD[tool], field: text} for text in ("nul\x00inside", HUGE))):
        assert message.startswith(f"Invalid parameter: {field}")
        assert len(message) < 500


@promise("memory:input:unstorable")
async def test_an_observation_that_no_store_keeps_is_refused(desk: Desk) -> None:
    """And so are observations that are too much for one entity in all."""
    await desk.store(desk.name("full"))
    arguments: JsonObject = {"database": "memory", "entity_name": desk.name("full")}
    for texts in (["nul\x00inside"], [HUGE], ["x" * 200_000, "y" * 100_000]):
        message = await desk.refused("add_observations", {**arguments, "observations": texts})
        assert message.startswith("Invalid parameter: observations")


@promise("memory:input:unstorable", "memory:input:not-a-number")
async def test_what_json_cannot_say_is_never_taken_for_a_value(desk: Desk) -> None:
    """A lone surrogate, and what is no number: the protocol refuses them, or the tool does."""
    before = await desk.summaries()
    start = '{"database": "memory", "from_entity": "a", "to_entity": "b", "relationship_type": "KNOWS", "confidence": '
    calls = [WireCall("create_relationship", f"{start}{number}}}") for number in ("NaN", "Infinity", "1e999")]
    lone = WireCall("create_entity", '{"database": "memory", "name": "lone \\ud800", "entity_type": "thing"}')
    for answer in await desk.door.wire([*calls, lone]):
        assert "error" in answer or _message(answer).startswith("Invalid parameter: ")
    assert await desk.summaries() == before


def _message(answer: JsonObject) -> str:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return Envelope.model_validate_json(json.dumps(result["structuredContent"])).message


@promise("memory:errors:database")
@pytest.mark.parametrize("tool", GOOD)
async def test_a_database_that_is_not_there_is_not_found_and_never_made(desk: Desk, tool: str) -> None:
    """Names are matched exactly; one that looks like a path is no more than a name that nobody has."""
    messages = await desk.refusals(tool, *({**GOOD[tool], "database": name} for name in NOT_NAMES))
    for name, message in zip(NOT_NAMES, messages, strict=True):
        assert message == f"Database '{name}' not found"


@promise("memory:errors:entity")
@pytest.mark.parametrize("tool", ["add_observations", "get_related_entities"])
async def test_an_entity_that_is_not_there_is_named(desk: Desk, tool: str) -> None:
    """Also one that differs in case."""
    await desk.store(desk.name("here"))
    for name in (desk.name("nobody"), desk.name("Here")):
        message = await desk.refused(tool, {**GOOD[tool], "entity_name": name})
        assert message == f"Entity '{name}' not found"


@promise("memory:errors:ends")
async def test_an_edge_between_entities_that_are_not_there_is_not_made(desk: Desk) -> None:
    """The message names both ends, whichever is missing."""
    here, nobody = desk.name("here"), desk.name("nobody")
    await desk.store(here)
    for ends in ((here, nobody), (nobody, here), (nobody, nobody)):
        arguments: JsonObject = {**GOOD["create_relationship"], "from_entity": ends[0], "to_entity": ends[1]}
        message = await desk.refused("create_relationship", arguments)
        assert message == f"One or both entities not found: {ends[0]}, {ends[1]}"
    assert await desk.related(here) == []


@promise("memory:input:whole-numbers", "memory:input:null")
async def test_whole_numbers_may_have_a_fraction_of_zero_and_null_counts_as_not_sent(desk: Desk) -> None:
    """As JSON has one kind of number, and as clients send optional arguments."""
    name = desk.name("one")
    await desk.store(name, observations=[desk.mark])
    assert len(await desk.search(desk.mark, limit=1.0)) == 1
    assert len(await desk.search(desk.mark, limit=None)) == 1
    assert (await desk.related(name, max_depth=2.0, limit=None)) == []
    assert (await desk.door.call("get_graph_summary", {"database": None})).structured["scope"] == "all_databases"
