"""Bad input: refused in the documented envelope, naming the parameter."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import HOSTILE_TEXTS, PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.concept_rag.client import ConceptRagClient
from contracts.tools.concept_rag.replies import ErrorEnvelope

GOOD: Mapping[str, JsonObject] = {
    "catalog_search": {"text": "tide"},
    "broad_chunks_search": {"text": "tide"},
    "chunks_search": {"text": "tide", "catalog_id": 1},
    "concept_search": {"concept": "tide"},
    "extract_concepts": {"document_query": "tide"},
    "source_concepts": {"concept": "tide"},
    "concept_sources": {"concept": ["tide"]},
    "category_search": {"category": "Cooking"},
    "list_categories": {},
    "list_concepts_in_category": {"category": "Cooking"},
    "get_visuals": {},
    "get_guidance": {},
}
"""Arguments of each tool that break no rule of form."""

_BLANK: list[Json] = ["   ", "\t\n", "\u3000"]
_NO_TEXT: list[Json] = [5, True, 1.5, [], {}, ["text"]]
_TEXT: list[Json] = [*_NO_TEXT, "", *_BLANK]
_OPTIONAL: list[Json] = [*_NO_TEXT, *_BLANK]
_FLAG: list[Json] = ["true", 1, 0, [], {}]
_ID: list[Json] = ["1", True, 1.5, [], {}, 0, -1, 10**18]
_COUNT: list[Json] = ["5", True, 1.5, [], {}, 0, -1, 10**18]
_CONCEPTS: list[Json] = [5, True, 1.5, {}, [], "", *_BLANK, [5], [None], [""], ["  "], [["text"]]]

BAD: Mapping[tuple[str, str], list[Json]] = {
    ("catalog_search", "text"): _TEXT,
    ("broad_chunks_search", "text"): _TEXT,
    ("chunks_search", "text"): _TEXT,
    ("chunks_search", "catalog_id"): _ID,
    ("concept_search", "concept"): _TEXT,
    ("concept_search", "title_filter"): _OPTIONAL,
    ("extract_concepts", "document_query"): _TEXT,
    ("extract_concepts", "format"): [5, True, [], {}, "html", "JSON", "  "],
    ("extract_concepts", "include_summary"): _FLAG,
    ("source_concepts", "concept"): _CONCEPTS,
    ("source_concepts", "include_metadata"): _FLAG,
    ("concept_sources", "concept"): _CONCEPTS,
    ("concept_sources", "include_metadata"): _FLAG,
    ("category_search", "category"): [True, 1.5, [], {}, ["text"], "", *_BLANK],
    ("category_search", "includeChildren"): _FLAG,
    ("list_categories", "sortBy"): [5, True, [], {}, "size", "Name"],
    ("list_categories", "limit"): _COUNT,
    ("list_categories", "search"): _OPTIONAL,
    ("list_concepts_in_category", "category"): [True, 1.5, [], {}, ["text"], "", *_BLANK],
    ("list_concepts_in_category", "sortBy"): [5, True, [], {}, "popularity", "Name"],
    ("list_concepts_in_category", "limit"): _COUNT,
    ("get_visuals", "ids"): [5, True, "text", {}, ["1"], [1.5], [None], [True], [0], [-1]],
    ("get_visuals", "catalog_id"): _ID,
    ("get_visuals", "visual_type"): [5, True, [], {}, "photo", "Chart"],
    ("get_visuals", "concept"): _OPTIONAL,
    ("get_visuals", "limit"): _COUNT,
    ("get_guidance", "topic"): [5, True, [], {}, "everything", "Rules"],
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "catalog_search": ("text",),
    "broad_chunks_search": ("text",),
    "chunks_search": ("text", "catalog_id"),
    "concept_search": ("concept",),
    "extract_concepts": ("document_query",),
    "source_concepts": ("concept",),
    "concept_sources": ("concept",),
    "category_search": ("category",),
    "list_concepts_in_category": ("category",),
}
TEXT_ARGUMENTS = sorted(pair for pair, values in BAD.items() if "   " in values)
HUGE = "x" * 1_000_000


@promise("concept_rag:input:rules", "concept_rag:errors:form")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_value_that_breaks_its_rule_is_refused(client: ConceptRagClient, tool: str, field: str) -> None:
    """The value has a wrong type, or is out of range, blank or too long; field and message name it."""
    for value in BAD[tool, field]:
        error = (await client.refused(tool, {**GOOD[tool], field: value})).error
        assert error.code == "VALIDATION_ERROR", value
        assert error.field.partition(".")[0] == field, (value, error)
        assert field in error.message
        assert not PROGRAMMERS_WORDS.search(error.message)


@promise("concept_rag:errors:form")
async def test_an_error_has_the_documented_form(client: ConceptRagClient) -> None:
    """It has code, message, field, type and context, and the time in UTC."""
    envelope = await client.refused("chunks_search", {"text": "tide", "catalog_id": 1})
    told = datetime.fromisoformat(envelope.timestamp)
    assert abs(told - datetime.now(UTC)) < timedelta(minutes=1)
    assert envelope.error.type
    assert (await client.refused("catalog_search", {})).error.type != envelope.error.type


@promise("concept_rag:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(client: ConceptRagClient, tool: str) -> None:
    """A misspelt option is never ignored, whatever its value."""
    values: tuple[Json, ...] = (1, None, "x" * 10_000)
    for value in values:
        error = (await client.refused(tool, {**GOOD[tool], "no_such_argument": value})).error
        assert (error.code, error.field) == ("VALIDATION_ERROR", "no_such_argument")
        assert len(error.message) < 500


@promise("concept_rag:input:required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(client: ConceptRagClient, tool: str) -> None:
    """Null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        for arguments in (rest, {**rest, field: None}):
            error = (await client.refused(tool, arguments)).error
            assert (error.code, error.field) == ("VALIDATION_ERROR", field)


@promise("concept_rag:input:unstorable")
@pytest.mark.parametrize(("tool", "field"), TEXT_ARGUMENTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(client: ConceptRagClient, tool: str, field: str) -> None:
    """NUL and a megabyte are refused with a short message that does not repeat the text."""
    for text in ("nul\x00inside", HUGE):
        reply = await client.connection.call(tool, {**GOOD[tool], field: text})
        assert reply.is_error
        assert len(reply.text) < 1_000
        assert ErrorEnvelope.model_validate_json(reply.text).error.field == field


@promise("concept_rag:input:null")
async def test_null_and_empty_texts_count_as_not_sent(client: ConceptRagClient) -> None:
    """This holds for every optional argument; whole numbers may have a fraction of zero."""
    plain = await client.concept("bread")
    assert await client.concept("bread", title_filter=None) == plain
    assert await client.concept("bread", title_filter="") == plain
    assert (
        await client.visuals(ids=None, catalog_id=None, visual_type=None, concept=None, limit=None)
        == await client.visuals()
    )
    assert await client.visuals(concept="", visual_type="") == await client.visuals()
    assert await client.categories(limit=3.0, search="", sortBy="") == await client.categories(limit=3)
    assert await client.bare("get_guidance", topic=None) == await client.bare("get_guidance")
    assert await client.bare("get_guidance", topic="") == await client.bare("get_guidance")


@promise("concept_rag:input:hostile")
async def test_hostile_texts_do_no_harm(client: ConceptRagClient) -> None:
    """They are searched for as texts, never as a query language."""
    for text in [text for text in HOSTILE_TEXTS if text.strip() and len(text) <= 400][:30:2]:
        await client.catalog(text)
        await client.broad(text)
        await client.within("tides.pdf", text)
        assert (await client.union(text)).concepts_searched == [text]
        assert (await client.categories(search=text)).categories == []
        reply = await client.connection.call("concept_search", {"concept": "bread", "title_filter": text})
        assert reply.structured["sources"] == []


@promise("concept_rag:input:not-a-number")
async def test_what_json_cannot_say_is_never_taken_for_a_value(client: ConceptRagClient) -> None:
    """A lone surrogate or a value that is not a number is refused by the protocol or the tool."""
    calls = [WireCall("list_categories", f'{{"limit": {number}}}') for number in ("NaN", "Infinity", "1e999")]
    lone = WireCall("catalog_search", '{"text": "lone \\ud800"}')
    for answer in await client.connection.wire([*calls, lone]):
        assert "error" in answer or _code(answer) == "VALIDATION_ERROR"


def _code(answer: JsonObject) -> str:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return ErrorEnvelope.model_validate_json(json.dumps(result["structuredContent"])).error.code
