"""Bad input: refused in the documented envelope, with the field, and nothing is written."""

import json
from collections.abc import Mapping

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.knowledge.client import UNKNOWN, KnowledgeClient
from contracts.tools.knowledge.replies import ErrorEnvelope

EDGE: JsonObject = {"source_id": UNKNOWN, "target_id": UNKNOWN[:-1] + "1", "relationship_type": "includes"}
GOOD: Mapping[str, JsonObject] = {
    "ping": {},
    "get_server_stats": {},
    "get_tool_availability": {},
    "list_hierarchy": {},
    "create_concept": {"name": "never written", "explanation": "text"},
    "get_concept": {"concept_id": UNKNOWN},
    "update_concept": {"concept_id": UNKNOWN, "name": "x"},
    "delete_concept": {"concept_id": UNKNOWN},
    "search_concepts_semantic": {"query": "text"},
    "search_concepts_exact": {},
    "get_recent_concepts": {},
    "create_relationship": EDGE,
    "delete_relationship": EDGE,
    "get_related_concepts": {"concept_id": UNKNOWN},
    "get_prerequisites": {"concept_id": UNKNOWN},
    "get_concept_chain": {"start_concept_id": UNKNOWN, "end_concept_id": UNKNOWN},
    "get_concepts_by_certainty": {},
}
"""Arguments of each tool that break no rule of form."""

_SCORE: list[Json] = ["50", True, [], {}, -0.001, 100.001, -1, 101, 1e300]
_TEXT: list[Json] = [5, True, 1.5, [], {}, ["text"], "", "   ", "\t\n", "\u3000"]
_OPTIONAL: list[Json] = [value for value in _TEXT if value != ""]
_LEVEL: list[Json] = [*_OPTIONAL, "x" * 101]
_ID: list[Json] = [5, True, 1.5, [], {}, "", "  "]
_KIND: list[Json] = [5, True, [], {}, " ", "knows", "prerequisite "]


def _count(low: int, high: int) -> list[Json]:
    return ["5", True, 1.5, [], {}, low - 1, high + 1, -(10**9), 10**18]


BAD: Mapping[tuple[str, str], list[Json]] = {
    ("create_concept", "name"): [*_TEXT, "x" * 201],
    ("create_concept", "explanation"): [*_TEXT],
    ("create_concept", "area"): [*_LEVEL],
    ("create_concept", "topic"): [*_LEVEL],
    ("create_concept", "subtopic"): [*_LEVEL],
    ("create_concept", "certainty_score"): [*_SCORE],
    ("get_concept", "concept_id"): [*_ID],
    ("get_concept", "include_history"): ["true", 1, 0, [], {}],
    ("update_concept", "concept_id"): [*_ID],
    ("update_concept", "name"): [*_OPTIONAL, "x" * 201],
    ("update_concept", "explanation"): [*_OPTIONAL],
    ("update_concept", "area"): [*_LEVEL],
    ("update_concept", "topic"): [*_LEVEL],
    ("update_concept", "subtopic"): [*_LEVEL],
    ("update_concept", "certainty_score"): [*_SCORE],
    ("delete_concept", "concept_id"): [*_ID],
    ("search_concepts_semantic", "query"): [*_TEXT],
    ("search_concepts_semantic", "limit"): _count(1, 50),
    ("search_concepts_semantic", "min_certainty"): [*_SCORE],
    ("search_concepts_semantic", "area"): [5, True, [], {}],
    ("search_concepts_semantic", "topic"): [5, True, [], {}],
    ("search_concepts_exact", "name"): [5, True, [], {}],
    ("search_concepts_exact", "area"): [5, True, [], {}],
    ("search_concepts_exact", "topic"): [5, True, [], {}],
    ("search_concepts_exact", "subtopic"): [5, True, [], {}],
    ("search_concepts_exact", "min_certainty"): [*_SCORE],
    ("search_concepts_exact", "limit"): _count(1, 100),
    ("get_recent_concepts", "limit"): _count(1, 50),
    ("create_relationship", "source_id"): [*_ID],
    ("create_relationship", "target_id"): [*_ID],
    ("create_relationship", "relationship_type"): [*_KIND, ""],
    ("create_relationship", "strength"): ["0.5", True, [], {}, -0.001, 1.001],
    ("create_relationship", "notes"): [5, True, [], {}],
    ("delete_relationship", "source_id"): [*_ID],
    ("delete_relationship", "target_id"): [*_ID],
    ("delete_relationship", "relationship_type"): [*_KIND, ""],
    ("get_related_concepts", "concept_id"): [*_ID],
    ("get_related_concepts", "direction"): [5, True, [], {}, "out", "OUTGOING", "sideways"],
    ("get_related_concepts", "relationship_type"): [*_KIND],
    ("get_related_concepts", "limit"): _count(1, 50),
    ("get_prerequisites", "concept_id"): [*_ID],
    ("get_prerequisites", "depth"): _count(1, 5),
    ("get_concept_chain", "start_concept_id"): [*_ID],
    ("get_concept_chain", "end_concept_id"): [*_ID],
    ("get_concept_chain", "max_depth"): _count(1, 10),
    ("get_concepts_by_certainty", "min_certainty"): [*_SCORE],
    ("get_concepts_by_certainty", "max_certainty"): [*_SCORE],
    ("get_concepts_by_certainty", "limit"): _count(1, 50),
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "create_concept": ("name", "explanation"),
    "get_concept": ("concept_id",),
    "update_concept": ("concept_id",),
    "delete_concept": ("concept_id",),
    "search_concepts_semantic": ("query",),
    "create_relationship": ("source_id", "target_id", "relationship_type"),
    "delete_relationship": ("source_id", "target_id", "relationship_type"),
    "get_related_concepts": ("concept_id",),
    "get_prerequisites": ("concept_id",),
    "get_concept_chain": ("start_concept_id", "end_concept_id"),
}
TEXT_ARGUMENTS = sorted(pair for pair, values in BAD.items() if 5 in values and "5" not in values)
HUGE = "x" * 1_000_000


@promise("knowledge:input:rules", "knowledge:errors:validation-error")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_value_that_breaks_its_rule_is_refused(client: KnowledgeClient, tool: str, field: str) -> None:
    """The value has a wrong type, or is out of range, blank or too long; the error names the field."""
    values = BAD[tool, field]
    envelopes = await client.refusals(tool, *({**GOOD[tool], field: value} for value in values))
    for value, envelope in zip(values, envelopes, strict=True):
        assert envelope.error == "validation_error", value
        assert envelope.details.field == field, value
        assert field in envelope.message
        assert not PROGRAMMERS_WORDS.search(envelope.message)
        assert envelope.details.invalid_value in (value, None) or isinstance(value, str | float | int)


@promise("knowledge:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(client: KnowledgeClient, tool: str) -> None:
    """A misspelt option is never ignored, whatever its value."""
    values: tuple[Json, ...] = (1, None, "x" * 10_000)
    for envelope in await client.refusals(tool, *({**GOOD[tool], "no_such_argument": value} for value in values)):
        assert (envelope.error, envelope.details.field) == ("validation_error", "no_such_argument")
        assert len(json.dumps(envelope.model_dump())) < 2_000


@promise("knowledge:input:required", "knowledge:errors:missing-required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(client: KnowledgeClient, tool: str) -> None:
    """A missing argument has a code of its own; null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        absent, null = await client.refusals(tool, rest, {**rest, field: None})
        assert (absent.error, absent.details.field) == ("missing_required", field)
        assert null.error in ("missing_required", "validation_error")
        assert null.details.field == field


@promise("knowledge:input:empty")
async def test_an_optional_text_that_is_empty_counts_as_not_sent(client: KnowledgeClient) -> None:
    """This holds in filters, enumerations, new concepts and updates; an update with only empty texts changes nothing."""
    concept = await client.file("placed", topic="", subtopic="")
    assert await client.related(concept, relationship_type="", direction="") == []
    found = await client.read(concept)
    assert (found.topic, found.subtopic) == (None, None)
    assert [row.name for row in await client.exact(name="", topic="")] == ["placed"]
    refusal = await client.refused("update_concept", {"concept_id": concept, "name": "", "explanation": ""})
    assert (refusal.error, refusal.message.startswith("Nothing to update")) == ("validation_error", True)


@promise("knowledge:input:unstorable", "knowledge:errors:invalid-input")
@pytest.mark.parametrize(("tool", "field"), TEXT_ARGUMENTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(client: KnowledgeClient, tool: str, field: str) -> None:
    """NUL and a megabyte are refused with a short message that does not repeat the text."""
    for envelope in await client.refusals(tool, *({**GOOD[tool], field: text} for text in ("nul\x00inside", HUGE))):
        assert (envelope.error, envelope.details.field) == ("invalid_input", field)
        assert len(json.dumps(envelope.model_dump())) < 2_000


@promise("knowledge:input:unstorable", "knowledge:errors:invalid-input")
async def test_a_lone_surrogate_is_refused(client: KnowledgeClient) -> None:
    """No client library sends one, but a raw message can."""
    before = await client.events()
    arguments = f'{{"name": "lone \\ud800", "explanation": "text", "area": "{client.area}"}}'
    [answer] = await client.connection.wire([WireCall("create_concept", arguments)])
    envelope = _error_envelope(answer)
    assert (envelope.error, envelope.details.field) == ("invalid_input", "name")
    assert await client.events() == before


@promise("knowledge:input:not-a-number")
async def test_what_is_no_number_is_never_accepted_as_one(client: KnowledgeClient) -> None:
    """JSON has no such numbers; the protocol or the tool refuses them."""
    before = await client.events()
    calls = [
        WireCall("create_concept", f'{{"name": "n", "explanation": "text", "certainty_score": {score}}}')
        for score in ("NaN", "Infinity", "-Infinity", "1e999")
    ]
    for answer in await client.connection.wire(calls):
        assert "error" in answer or _error_envelope(answer).error == "validation_error"
    assert await client.events() == before


def _error_envelope(answer: JsonObject) -> ErrorEnvelope:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return ErrorEnvelope.model_validate_json(json.dumps(result["structuredContent"]))


@promise("knowledge:input:whole-numbers")
async def test_a_whole_number_may_be_written_with_a_fraction_of_zero(client: KnowledgeClient) -> None:
    """JSON has one kind of number."""
    await client.file("one")
    await client.file("two")
    assert len(await client.exact(limit=1.0)) == 1
