"""Bad input: refused in the documented error body, naming the argument, and nothing is written."""

import json
from collections.abc import Mapping

import pytest

from backends.ports.values import Json, JsonObject
from contracts.client import WireCall
from contracts.corpus import PROGRAMMERS_WORDS
from contracts.promises import promise
from contracts.tools.skills.client import SkillsClient, conversation, word
from contracts.tools.skills.replies import ErrorEnvelope

NOBODY = "00000000-0000-4000-8000-000000000000"
TALK = conversation("The clock is slow.", "Replace its battery.")
GOOD: Mapping[str, JsonObject] = {
    "search_skills": {"query": "text"},
    "create_skill": {"conversation": TALK},
    "update_skill": {"skill_id": NOBODY, "conversation": TALK},
}
"""Arguments of each tool that break no rule of form."""

_BLANK: list[Json] = ["", "   ", "\t\n", "\u3000"]
_NO_TEXT: list[Json] = [5, True, 1.5, [], {}, ["text"]]
_TEXT: list[Json] = [*_NO_TEXT, *_BLANK]
LONG = 1024 * 1024 + 1

BAD: Mapping[tuple[str, str], list[Json]] = {
    ("search_skills", "query"): [*_TEXT, "x" * 8_001],
    ("search_skills", "top_k"): ["5", True, 1.5, [], {}, 0, -1, 101, 10**18],
    ("search_skills", "min_score"): ["0.5", True, [], {}, -0.001, 1.001, 5, -1],
    ("create_skill", "conversation"): [*_TEXT, "x" * LONG],
    ("create_skill", "resolution_confirmed"): ["true", 1, 0, "yes", [], {}],
    ("create_skill", "metadata"): ["text", 5, True, [], [["a", "b"]], {str(n): n for n in range(101)}],
    ("update_skill", "skill_id"): [*_NO_TEXT],
    ("update_skill", "conversation"): [*_TEXT, "x" * LONG],
    ("update_skill", "feedback"): [*_NO_TEXT, "x" * 8_001],
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "search_skills": ("query",),
    "create_skill": ("conversation",),
    "update_skill": ("skill_id", "conversation"),
}
TEXTS = sorted(pair for pair, values in BAD.items() if 5 in values and "x" * 8_001 not in values[:1])


@promise("skills:input:rules", "skills:errors:envelope")
@pytest.mark.parametrize(("tool", "field"), BAD, ids=str)
async def test_a_value_that_breaks_its_rule_is_refused(client: SkillsClient, tool: str, field: str) -> None:
    """The value has a wrong type, or is out of range, blank or too long; the detail names the argument."""
    values = BAD[tool, field]
    refused = await client.refusals(tool, *({**GOOD[tool], field: value} for value in values))
    for value, envelope in zip(values, refused, strict=True):
        assert envelope.error == "invalid_request"
        assert envelope.detail.startswith(field), (str(value)[:100], envelope.detail)
        assert len(envelope.detail) < 500
        assert not PROGRAMMERS_WORDS.search(envelope.detail)


@promise("skills:input:required")
@pytest.mark.parametrize("tool", REQUIRED)
async def test_a_required_argument_must_be_there(client: SkillsClient, tool: str) -> None:
    """Null is refused as well."""
    for field in REQUIRED[tool]:
        rest = {name: value for name, value in GOOD[tool].items() if name != field}
        absent, null = await client.refusals(tool, rest, {**rest, field: None})
        assert (absent.error, absent.detail) == ("invalid_request", f"{field} is required")
        assert null.detail.startswith(field)


@promise("skills:input:optional")
async def test_null_counts_as_left_out(client: SkillsClient) -> None:
    """This holds for every optional argument."""
    text = conversation(f"The {word()} bell is mute.", f"Turn the {word()} wheel.")
    mine = await client.create(text, resolution_confirmed=None, metadata=None)
    assert (mine.created, mine.skill.confidence) == (True, 0.5)
    assert len((await client.search("bell", top_k=None, min_score=None)).matches) <= 5
    reply = await client.connection.call(
        "update_skill", {"skill_id": mine.skill_id, "conversation": text, "feedback": None}
    )
    assert not reply.is_error


@promise("skills:input:unknown")
@pytest.mark.parametrize("tool", GOOD)
async def test_an_unknown_argument_is_refused(client: SkillsClient, tool: str) -> None:
    """A misspelt option is never ignored, whatever its value."""
    values: tuple[Json, ...] = (1, None, "x" * 10_000)
    for envelope in await client.refusals(tool, *({**GOOD[tool], "no_such_argument": value} for value in values)):
        assert "no_such_argument" in envelope.detail
        assert len(envelope.detail) < 500


@promise("skills:input:unstorable")
@pytest.mark.parametrize(("tool", "field"), TEXTS, ids=str)
async def test_a_text_that_no_store_keeps_is_refused(client: SkillsClient, tool: str, field: str) -> None:
    """The error is short and does not repeat the text."""
    envelope = await client.refused(tool, {**GOOD[tool], field: "nul\x00inside"})
    assert envelope.error == "invalid_request"
    assert envelope.detail.startswith(field)


@promise("skills:input:unstorable")
async def test_what_json_cannot_say_is_never_taken_for_a_value(client: SkillsClient) -> None:
    """A lone surrogate or a value that is not a number is refused by the protocol or the tool."""
    calls = [
        WireCall("search_skills", f'{{"query": "x", "min_score": {text}}}') for text in ("NaN", "Infinity", "1e999")
    ]
    calls += [
        WireCall("search_skills", '{"query": "lone \\ud800"}'),
        WireCall("create_skill", '{"conversation": "lone \\ud800"}'),
    ]
    for answer in await client.connection.wire(calls):
        assert "error" in answer or _error_envelope(answer).error == "invalid_request"


def _error_envelope(answer: JsonObject) -> ErrorEnvelope:
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["isError"] is True
    return ErrorEnvelope.model_validate_json(json.dumps(result["structuredContent"]))
