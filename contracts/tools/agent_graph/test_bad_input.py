"""Bad input: refused in the documented envelope, with the tool's payload empty, and nothing is written."""

import json
from collections.abc import Mapping

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.agent_graph.client import UNKNOWN, AgentGraphClient
from contracts.tools.agent_graph.replies import ErrorEnvelope

EDGE: JsonObject = {"fromEntityId": UNKNOWN, "toEntityId": UNKNOWN[:-1] + "1", "type": "USES"}
GOOD: Mapping[str, JsonObject] = {
    "kg_get_entity": {"entityId": UNKNOWN},
    "kg_find_entity": {"name": "never written"},
    "kg_get_neighbors": {"entityId": UNKNOWN},
    "kg_find_path": {"fromEntityId": UNKNOWN, "toEntityId": UNKNOWN},
    "kg_get_high_utility_entities": {},
    "kg_get_context": {},
    "kg_get_phase_context": {"phase": "action"},
    "kg_create_entity": {"name": "never written", "type": "person"},
    "kg_create_relationship": EDGE,
    "kg_extract_from_text": {"text": "Ada uses Python."},
    "kg_extract_from_memory": {"memoryId": "m", "memoryContent": "Ada uses Python."},
    "kg_find_duplicates": {},
    "kg_merge_entities": {"targetEntityId": UNKNOWN, "sourceEntityIds": [UNKNOWN[:-1] + "1"]},
}
"""Arguments of each tool that break no rule of form."""

_ID: list[Json] = [5, True, 1.5, [], {}, "", "  "]
_NAME: list[Json] = [*_ID, "\t\n", "\u3000", "x" * 501]
_TEXT: list[Json] = [*_ID, "\t\n"]
_OPTIONAL_NAME: list[Json] = [value for value in _NAME if value != ""]
_OPTIONAL_TEXT: list[Json] = [value for value in _TEXT if value != ""]
_NAMES: list[Json] = ["x", 5, {}, [5], [""], [" "], ["ok", None], ["x" * 501]]
_FRACTION: list[Json] = ["0.5", True, [], {}, -0.001, 1.001, 1e300]


def _count(high: int) -> list[Json]:
    return ["5", True, 1.5, [], {}, 0, high + 1, -(10**9), 10**18]


BAD: Mapping[tuple[str, str], list[Json]] = {
    ("kg_get_entity", "entityId"): _ID,
    ("kg_find_entity", "channelId"): _OPTIONAL_NAME,
    ("kg_find_entity", "name"): _NAME,
    ("kg_find_entity", "exact"): ["true", 1, 0, [], {}],
    ("kg_find_entity", "limit"): _count(50),
    ("kg_get_neighbors", "entityId"): _ID,
    ("kg_get_neighbors", "direction"): [5, True, [], {}, "up", "Both"],
    ("kg_get_neighbors", "relationshipType"): [5, True, [], {}],
    ("kg_get_neighbors", "limit"): _count(100),
    ("kg_find_path", "fromEntityId"): _ID,
    ("kg_find_path", "toEntityId"): _ID,
    ("kg_find_path", "maxHops"): _count(10),
    ("kg_get_high_utility_entities", "channelId"): _OPTIONAL_NAME,
    ("kg_get_high_utility_entities", "limit"): _count(50),
    ("kg_get_context", "channelId"): _OPTIONAL_NAME,
    ("kg_get_context", "taskId"): _OPTIONAL_NAME,
    ("kg_get_context", "keywords"): [*_NAMES, ["x"] * 51],
    ("kg_get_phase_context", "channelId"): _OPTIONAL_NAME,
    ("kg_get_phase_context", "phase"): [5, True, [], {}, "", "dreaming", "Action"],
    ("kg_get_phase_context", "taskContent"): _OPTIONAL_TEXT,
    ("kg_get_phase_context", "entityIds"): ["x", 5, {}, [5], [""], [UNKNOWN] * 51],
    ("kg_create_entity", "channelId"): _OPTIONAL_NAME,
    ("kg_create_entity", "name"): _NAME,
    ("kg_create_entity", "type"): [5, True, [], {}, "", "animal", "Person"],
    ("kg_create_entity", "aliases"): [*_NAMES, ["x"] * 101],
    ("kg_create_entity", "description"): _OPTIONAL_TEXT,
    ("kg_create_entity", "confidence"): _FRACTION,
    ("kg_create_relationship", "channelId"): _OPTIONAL_NAME,
    ("kg_create_relationship", "fromEntityId"): _ID,
    ("kg_create_relationship", "toEntityId"): _ID,
    ("kg_create_relationship", "type"): [5, True, [], {}, "", "KNOWS", "uses"],
    ("kg_create_relationship", "label"): _OPTIONAL_NAME,
    ("kg_create_relationship", "confidence"): _FRACTION,
    ("kg_extract_from_text", "channelId"): _OPTIONAL_NAME,
    ("kg_extract_from_text", "text"): _TEXT,
    ("kg_extract_from_text", "sourceId"): _OPTIONAL_NAME,
    ("kg_extract_from_memory", "channelId"): _OPTIONAL_NAME,
    ("kg_extract_from_memory", "memoryId"): _NAME,
    ("kg_extract_from_memory", "memoryContent"): _TEXT,
    ("kg_find_duplicates", "channelId"): _OPTIONAL_NAME,
    ("kg_find_duplicates", "threshold"): _FRACTION,
    ("kg_merge_entities", "targetEntityId"): _ID,
    ("kg_merge_entities", "sourceEntityIds"): ["x", 5, {}, [], [5], [""], [UNKNOWN] * 101],
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "kg_get_entity": ("entityId",),
    "kg_find_entity": ("name",),
    "kg_get_neighbors": ("entityId",),
    "kg_find_path": ("fromEntityId", "toEntityId"),
    "kg_get_phase_context": ("phase",),
    "kg_create_entity": ("name", "type"),
    "kg_create_relationship": ("fromEntityId", "toEntityId", "type"),
    "kg_extract_from_text": ("text",),
    "kg_extract_from_memory": ("memoryId", "memoryContent"),
    "kg_merge_entities": ("targetEntityId", "sourceEntityIds"),
}
PAYLOADS: Mapping[str, JsonObject] = {
    "kg_get_entity": {"entity": None},
    "kg_find_entity": {"entities": []},
    "kg_get_neighbors": {"entities": [], "relationships": []},
    "kg_find_path": {"path": None},
    "kg_get_high_utility_entities": {"entities": []},
    "kg_get_context": {"context": None},
    "kg_get_phase_context": {"phaseContext": None},
    "kg_create_entity": {"entity": None},
    "kg_create_relationship": {"relationship": None},
    "kg_extract_from_text": {"result": None},
    "kg_extract_from_memory": {"result": None},
    "kg_find_duplicates": {"duplicates": []},
    "kg_merge_entities": {"result": None},
}
TEXT_ARGUMENTS = sorted(pair for pair, values in BAD.items() if 5 in values and "5" not in values)
HUGE = "x" * 1_000_000


async def refused(client: AgentGraphClient, tool: str, arguments: JsonObject) -> ErrorEnvelope:
    """Call a tool with bad arguments; the error carries the tool's payload, empty, and nothing else."""
    refusal = await client.refused(tool, arguments)
    assert refusal.error == "Invalid arguments", arguments
    assert not PROGRAMMERS_WORDS.search(refusal.message)
    assert refusal.model_dump() == {
        "success": False,
        "error": refusal.error,
        "message": refusal.message,
        **PAYLOADS[tool],
    }
    return refusal


@promise("agent_graph:input:rules", "agent_graph:errors:envelope")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_value_that_breaks_its_rule_is_refused(client: AgentGraphClient, tool: str, field: str) -> None:
    """The value has a wrong type, or is out of range, blank or too long; the error names the field."""
    for value in BAD[tool, field]:
        refusal = await refused(client, tool, {**GOOD[tool], field: value})
        assert field in refusal.message, value
    assert (await client.find("never written")).total_found == 0


@promise("agent_graph:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(client: AgentGraphClient, tool: str) -> None:
    """A misspelt option is never ignored, whatever its value."""
    for name, value in (("no_such_argument", 1), ("no_such_argument", None), ("entity_id", UNKNOWN)):
        assert name in (await refused(client, tool, {**GOOD[tool], name: value})).message


@promise("agent_graph:input:required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(client: AgentGraphClient, tool: str) -> None:
    """Null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        for arguments in (rest, {**rest, field: None}):
            assert field in (await refused(client, tool, arguments)).message


@promise("agent_graph:input:null")
@pytest.mark.parametrize("tool", GOOD)
async def test_null_for_an_optional_argument_counts_as_not_sent(client: AgentGraphClient, tool: str) -> None:
    """Clients send null for arguments that are left out."""
    optional = [field for name, field in BAD if name == tool and field not in REQUIRED.get(tool, ())]
    nulls: dict[str, Json] = {field: None for field in optional if field != "channelId"}
    with_nulls = await client.connection.call(tool, client.with_channel(tool, {**GOOD[tool], **nulls}))
    without = await client.connection.call(tool, client.with_channel(tool, GOOD[tool]))
    assert with_nulls.is_error == without.is_error
    assert with_nulls.structured.get("error") == without.structured.get("error")


@promise("agent_graph:input:empty")
async def test_an_optional_text_that_is_empty_counts_as_not_sent(client: AgentGraphClient) -> None:
    """This holds for a description, a label, a task, a source, a relationship type and a direction."""
    one, other = await client.entity("One", description=""), await client.entity("Other")
    assert one.description is None
    assert (await client.link(one.id, other.id, label="")).label is None
    assert (await client.neighbors(one.id, relationshipType="", direction="")).entity_count == 1
    assert (await client.context(taskId="", keywords=["other"])).stats.entity_count == 1
    assert (await client.phase("observation", taskContent="")).phase == "observation"
    extracted = await client.extract("Grace Hopper works on COBOL.", sourceId="")
    assert {entity.source for entity in extracted.result.entities} == {"kg_extract_from_text"}


@promise("agent_graph:input:unstorable")
@pytest.mark.parametrize(("tool", "field"), TEXT_ARGUMENTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(client: AgentGraphClient, tool: str, field: str) -> None:
    """NUL and a megabyte are refused with a short message that does not repeat the text."""
    for text in ("nul\x00inside", HUGE):
        refusal = await refused(client, tool, {**GOOD[tool], field: text})
        assert field in refusal.message
        assert len(json.dumps(refusal.model_dump())) < 2_000


@promise("agent_graph:input:unstorable")
async def test_a_lone_surrogate_is_refused(client: AgentGraphClient) -> None:
    """No client library sends one, but a raw message can."""
    [answer] = await client.connection.wire(
        [WireCall("kg_create_entity", '{"name": "lone \\ud800", "type": "person"}')]
    )
    assert "name" in _refusal(answer).message


@promise("agent_graph:input:not-a-number")
async def test_what_is_no_number_is_never_accepted_as_one(client: AgentGraphClient) -> None:
    """JSON has no such numbers; the protocol or the tool refuses them."""
    calls = [
        WireCall("kg_create_entity", f'{{"name": "n", "type": "person", "confidence": {value}}}')
        for value in ("NaN", "Infinity", "-Infinity", "1e999")
    ]
    for answer in await client.connection.wire(calls):
        assert "error" in answer or _refusal(answer).error == "Invalid arguments"


@promise("agent_graph:input:whole-numbers")
async def test_a_whole_number_may_be_written_with_a_fraction_of_zero(client: AgentGraphClient) -> None:
    """JSON has one kind of number."""
    await client.make("one more")
    await client.make("one less")
    assert len(await client.found("one", limit=1.0)) == 1


def _refusal(answer: JsonObject) -> ErrorEnvelope:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return ErrorEnvelope.model_validate_json(json.dumps(result["structuredContent"]))
