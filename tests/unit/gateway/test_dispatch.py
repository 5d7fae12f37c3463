"""One call: its deadline, its errors, its line in the log."""

import logging
from collections.abc import Mapping

import anyio
import pytest

from backends.ports.errors import Unavailable
from backends.ports.values import Json
from gateway import mcp_server
from gateway.dispatch import dispatch, reply_within_deadline
from gateway.mcp_server import as_sent, result_of
from gateway.refusals import OWN
from tests.support.envelope import PlainEnvelope
from toolsets.spec import CallContext, Effects, HttpReply, Image, Reply, ToolCall, ToolSpec


def spec(call: ToolCall) -> ToolSpec:
    return ToolSpec(
        "t", "T", "Does t.", {"type": "object"}, {"type": "object"}, Effects(read_only=True), call, PlainEnvelope()
    )


CONTEXT = CallContext("t", request_id="r", deadline_s=0.01)


async def test_a_reply_passes_unchanged() -> None:
    async def echo(arguments: Mapping[str, Json], context: CallContext) -> Reply:
        return Reply({"arguments": arguments, "request": context.request_id})

    assert await dispatch(spec(echo), {"a": 1}, CONTEXT) == Reply({"arguments": {"a": 1}, "request": "r"})


async def test_a_call_past_its_deadline_has_the_envelope_of_its_toolset() -> None:
    async def rest(_arguments: Mapping[str, Json], _context: CallContext) -> Reply:
        await anyio.sleep_forever()
        raise AssertionError

    assert await dispatch(spec(rest), {}, CONTEXT) == PlainEnvelope().timed_out(0.01)


async def test_a_timeout_inside_the_handler_is_a_failure_and_not_the_deadline() -> None:
    async def impatient(_arguments: Mapping[str, Json], _context: CallContext) -> Reply:
        raise TimeoutError

    assert (await dispatch(spec(impatient), {}, CONTEXT)).structured == {"success": False, "error": "internal_error"}


async def test_an_uncaught_error_is_answered_and_logged_without_the_arguments(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def crash(_arguments: Mapping[str, Json], _context: CallContext) -> Reply:
        raise Unavailable("the engine is down")

    with caplog.at_level(logging.INFO, "entrepot.calls"):
        reply = await dispatch(spec(crash), {"secret": "s3cret"}, CONTEXT)
    assert reply.structured == {"success": False, "error": "unavailable"}
    assert "the engine is down" in caplog.text
    assert "s3cret" not in caplog.text
    fields: dict[str, object] = vars(caplog.records[-1])["fields"]
    assert (fields["tool"], fields["outcome"], fields["request"]) == ("t", "failed", "r")


@pytest.mark.parametrize(("status", "outcome"), [(200, "ok"), (400, "error"), (404, "error"), (500, "error")])
async def test_a_route_that_answers_with_a_status_of_an_error_is_logged_as_one(
    caplog: pytest.LogCaptureFixture, status: int, outcome: str
) -> None:
    async def call() -> HttpReply:
        return HttpReply(status, None)

    with caplog.at_level(logging.INFO, "entrepot.calls"):
        await reply_within_deadline(call, CallContext("POST /search"), OWN)
    fields: dict[str, object] = vars(caplog.records[-1])["fields"]
    assert fields["outcome"] == outcome


async def test_cancellation_passes_through() -> None:
    async def rest() -> Reply:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.move_on_after(0) as scope:
        await reply_within_deadline(rest, CallContext("t"), PlainEnvelope())
    assert scope.cancelled_caught


def test_the_text_is_the_structured_content_unless_the_reply_brings_its_own() -> None:
    result = result_of(Reply({"a": "é"}, is_error=True, meta={"x/y": 1}), PlainEnvelope())
    assert result.model_dump(by_alias=True, exclude_none=True) == {
        "content": [{"type": "text", "text": '{"a":"é"}'}],
        "structuredContent": {"a": "é"},
        "isError": True,
        "resultType": "complete",
        "_meta": {"x/y": 1},
    }
    assert result_of(Reply({"result": [1]}, text="[1]"), PlainEnvelope()).content[0].model_dump()["text"] == "[1]"


@pytest.mark.parametrize("meta", [{}, {"x/y": {"a": None}}])
def test_a_result_is_sent_as_the_library_would_dump_it(meta: Mapping[str, Json]) -> None:
    reply = Reply({"a": None, "b": [{"c": None}]}, meta=meta, images=(Image(b"1", "image/png"),))
    result = result_of(reply, PlainEnvelope())
    assert as_sent(result) == result.model_dump(by_alias=True, mode="json", exclude_none=True)


def test_a_lone_surrogate_is_replaced_so_that_the_reply_can_be_sent() -> None:
    result = result_of(Reply({"name": "a\ud800"}), PlainEnvelope())
    assert result.structured_content == {"name": "a?"}
    result.model_dump_json()


@pytest.mark.parametrize("text", [None, "short"])
def test_a_reply_beyond_the_limit_is_replaced_by_the_toolsets_error(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    monkeypatch.setattr(mcp_server, "MAX_REPLY_BYTES", 1_000)
    small, large = Reply({"a": "x" * 400}, text=text), Reply({"a": "x" * 1_000}, text=text)
    assert result_of(small, PlainEnvelope()).structured_content == small.structured
    assert result_of(large, PlainEnvelope()).structured_content == {"too_large": 1_000}
    assert result_of(large, PlainEnvelope()).is_error


@pytest.mark.parametrize("text", [None, '["' + '"' * 200 + '"]'])
def test_a_reply_counts_as_it_is_sent_with_the_quotes_of_its_text_escaped(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    """What comes to it on the wire is the frame of the message."""
    reply = Reply({"a": '"' * 300}, text=text)
    sent = len(result_of(reply, PlainEnvelope()).model_dump_json(by_alias=True, exclude_none=True).encode())
    frame = len(result_of(Reply({}, text=""), PlainEnvelope()).model_dump_json(by_alias=True, exclude_none=True)) - 2
    monkeypatch.setattr(mcp_server, "MAX_REPLY_BYTES", sent - frame)
    assert result_of(reply, PlainEnvelope()).structured_content == reply.structured
    monkeypatch.setattr(mcp_server, "MAX_REPLY_BYTES", sent - frame - 1)
    assert result_of(reply, PlainEnvelope()).structured_content == {"too_large": sent - frame - 1}
