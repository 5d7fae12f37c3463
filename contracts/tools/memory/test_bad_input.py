"""Bad input: refused in the documented envelope, naming the parameter, and nothing is written."""

import json
from collections.abc import Mapping

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.memory.client import MemoryClient
from contracts.tools.memory.replies import ErrorEnvelope

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
_DATABASE: list[Json] = [value for value in _TEXT if value != ""]
_NAME: list[Json] = [*_TEXT, "x" * 501]
_SHARE: list[Json] = ["0.5", True, [], {}, -0.001, 1.001, 5, -1]
_LIST: list[Json] = [5, True, "text", {}, [5], [None], [""], ["  "], [["text"]]]


def _count(high: int) -> list[Json]:
    return ["5", True, 1.5, [], {}, 0, -1, high + 1, 10**18]


BAD: Mapping[tuple[str, str], list[Json]] = {
    ("create_entity", "database"): [*_DATABASE],
    ("create_entity", "name"): [*_NAME],
    ("create_entity", "entity_type"): [*_NAME],
    ("create_entity", "observations"): [*_LIST],
    ("create_relationship", "database"): [*_DATABASE],
    ("create_relationship", "from_entity"): [*_NAME],
    ("create_relationship", "to_entity"): [*_NAME],
    ("create_relationship", "relationship_type"): [*_NAME],
    ("create_relationship", "confidence"): [*_SHARE],
    ("add_observations", "database"): [*_DATABASE],
    ("add_observations", "entity_name"): [*_NAME],
    ("add_observations", "observations"): [*_LIST],
    ("search_entities", "database"): [*_DATABASE],
    ("search_entities", "query"): [*_TEXT],
    ("search_entities", "limit"): _count(1_000),
    ("semantic_search", "database"): [*_DATABASE],
    ("semantic_search", "query"): [*_TEXT],
    ("semantic_search", "limit"): _count(1_000),
    ("semantic_search", "threshold"): [*_SHARE],
    ("get_related_entities", "database"): [*_DATABASE],
    ("get_related_entities", "entity_name"): [*_NAME],
    ("get_related_entities", "max_depth"): _count(5),
    ("get_related_entities", "limit"): _count(1_000),
    ("get_graph_summary", "database"): [*_DATABASE],
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "create_entity": ("name", "entity_type"),
    "create_relationship": ("from_entity", "to_entity", "relationship_type"),
    "add_observations": ("entity_name", "observations"),
    "search_entities": ("query",),
    "semantic_search": ("query",),
    "get_related_entities": ("entity_name",),
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
async def test_a_value_that_breaks_its_rule_is_refused(client: MemoryClient, tool: str, field: str) -> None:
    """The value has a wrong type, or is out of range, blank or too long; the message names the parameter."""
    values = BAD[tool, field]
    messages = await client.refusals(tool, *({**GOOD[tool], field: value} for value in values))
    for value, message in zip(values, messages, strict=True):
        assert message.startswith(f"Invalid parameter: {field}"), (value, message)
        assert not PROGRAMMERS_WORDS.search(message)


@promise("memory:errors:range")
@pytest.mark.parametrize(("tool", "field"), [("semantic_search", "threshold"), ("create_relationship", "confidence")])
async def test_a_share_out_of_range_is_refused_in_the_documented_words(
    client: MemoryClient, tool: str, field: str
) -> None:
    """It may be below or above the range."""
    values: tuple[Json, ...] = (-0.001, 1.001, 7, -(10**9))
    for message in await client.refusals(tool, *({**GOOD[tool], field: value} for value in values)):
        assert message == f"Invalid parameter: {field} must be between 0.0 and 1.0"


@promise("memory:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(client: MemoryClient, tool: str) -> None:
    """A misspelt option is never ignored, whatever its value."""
    values: tuple[Json, ...] = (1, None, "x" * 10_000)
    for message in await client.refusals(tool, *({**GOOD[tool], "no_such_argument": value} for value in values)):
        assert "no_such_argument" in message
        assert len(message) < 500


@promise("memory:input:required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(client: MemoryClient, tool: str) -> None:
    """Null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        absent, null = await client.refusals(tool, rest, {**rest, field: None})
        assert absent == f"Invalid parameter: {field} is required"
        assert null.startswith(f"Invalid parameter: {field}")


@promise("memory:input:unstorable")
@pytest.mark.parametrize(("tool", "field"), TEXT_ARGUMENTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(client: MemoryClient, tool: str, field: str) -> None:
    """NUL and a megabyte are refused with a short message that does not repeat the text."""
    for message in await client.refusals(tool, *({**GOOD[tool], field: text} for text in ("nul\x00inside", HUGE))):
        assert message.startswith(f"Invalid parameter: {field}")
        assert len(message) < 500


@promise("memory:input:unstorable")
async def test_an_observation_that_no_store_keeps_is_refused(client: MemoryClient) -> None:
    """Observations that are too large together are refused, too."""
    await client.store(client.name("full"))
    arguments: JsonObject = {"database": "memory", "entity_name": client.name("full")}
    for texts in (["nul\x00inside"], [HUGE], ["x" * 200_000, "y" * 100_000]):
        message = await client.refused("add_observations", {**arguments, "observations": texts})
        assert message.startswith("Invalid parameter: observations")


@promise("memory:input:unstorable", "memory:input:not-a-number")
async def test_what_json_cannot_say_is_never_taken_for_a_value(client: MemoryClient) -> None:
    """A lone surrogate or a value that is not a number is refused by the protocol or the tool."""
    before = await client.summaries()
    start = '{"database": "memory", "from_entity": "a", "to_entity": "b", "relationship_type": "KNOWS", "confidence": '
    calls = [WireCall("create_relationship", f"{start}{number}}}") for number in ("NaN", "Infinity", "1e999")]
    lone = WireCall("create_entity", '{"database": "memory", "name": "lone \\ud800", "entity_type": "thing"}')
    for answer in await client.connection.wire([*calls, lone]):
        assert "error" in answer or _message(answer).startswith("Invalid parameter: ")
    assert await client.summaries() == before


def _message(answer: JsonObject) -> str:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return ErrorEnvelope.model_validate_json(json.dumps(result["structuredContent"])).message


@promise("memory:errors:database")
@pytest.mark.parametrize("tool", GOOD)
async def test_a_database_that_is_not_there_is_not_found_and_never_made(client: MemoryClient, tool: str) -> None:
    """Names are matched exactly; a name that looks like a path is an unknown name."""
    envelopes = await client.envelopes(tool, *({**GOOD[tool], "database": name} for name in NOT_NAMES))
    for name, envelope in zip(NOT_NAMES, envelopes, strict=True):
        assert envelope.message == f"Database '{name}' not found"
        assert envelope.details == {"databases": ["memory", "prompt_engineer", "research_papers"]}


@promise("memory:errors:entity")
@pytest.mark.parametrize("tool", ["add_observations", "get_related_entities"])
async def test_an_entity_that_is_not_there_is_named(client: MemoryClient, tool: str) -> None:
    """A name that differs in case is unknown, too."""
    await client.store(client.name("here"))
    for name in (client.name("nobody"), client.name("Here")):
        message = await client.refused(tool, {**GOOD[tool], "entity_name": name})
        assert message == f"Entity '{name}' not found"


@promise("memory:errors:ends")
async def test_an_edge_between_entities_that_are_not_there_is_not_made(client: MemoryClient) -> None:
    """The message names both ends, the details only the missing ones."""
    here, nobody = client.name("here"), client.name("nobody")
    await client.store(here)
    for ends in ((here, nobody), (nobody, here), (nobody, nobody)):
        arguments: JsonObject = {**GOOD["create_relationship"], "from_entity": ends[0], "to_entity": ends[1]}
        [envelope] = await client.envelopes("create_relationship", arguments)
        assert envelope.message == f"One or both entities not found: {ends[0]}, {ends[1]}"
        assert envelope.details == {"missing": [nobody]}
    assert await client.related(here) == []


@promise("memory:input:whole-numbers", "memory:input:null")
async def test_whole_numbers_may_have_a_fraction_of_zero_and_null_counts_as_not_sent(client: MemoryClient) -> None:
    """JSON has one kind of number, and clients send null for optional arguments."""
    name = client.name("one")
    await client.store(name, observations=[client.mark])
    assert len(await client.search(client.mark, limit=1.0)) == 1
    assert len(await client.search(client.mark, limit=None)) == 1
    assert (await client.related(name, max_depth=2.0, limit=None)) == []
    assert (await client.connection.call("get_graph_summary", {"database": None})).structured[
        "scope"
    ] == "all_databases"
