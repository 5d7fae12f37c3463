"""Lone surrogates in arguments and replies."""

import json

import pytest
from starlette.types import Message, Scope

from backends.ports.values import Json
from gateway.surrogates import arguments_of, encoded, has_lone_surrogate, replace_lone_surrogates
from gateway.transports.requests import WRONG_ID, decoded, problem_of


def request(body: bytes) -> Message:
    return {"type": "http.request", "body": body, "more_body": False}


def call(arguments: Json) -> bytes:
    return json.dumps({"id": 7, "params": {"name": "a", "arguments": arguments}}).encode()


@pytest.mark.parametrize(
    ("text", "lone"), [("\ud800", True), ("a\udfffb", True), ("😀", False), ("ä", False), ("", False)]
)
def test_a_lone_surrogate_has_no_utf_8(text: str, lone: bool) -> None:
    assert has_lone_surrogate(text) is lone


@pytest.mark.parametrize(
    "body",
    [
        call({"a": "ä😀"}),
        call({"a": "😀"}).replace(b"\\ud83d", b"\\uD83D"),
        b"",
        b"no \\ud800 JSON",
        b"[" * 100_000 + b"\\ud800",
    ],
)
async def test_a_body_that_can_be_parsed_or_not_be_read_stays(body: bytes) -> None:
    scope: Scope = {}
    first = request(body)
    assert await replace_lone_surrogates(first, scope) is first
    assert arguments_of(scope) is None


async def test_a_body_with_a_lone_surrogate_becomes_utf_8_and_the_arguments_are_kept() -> None:
    scope: Scope = {}
    first = await replace_lone_surrogates(request(call({"a": "x\ud800"})), scope)
    assert json.loads(bytes(first["body"]).decode()) == {"id": 7, "params": {"name": "a", "arguments": {"a": "x?"}}}
    assert arguments_of(scope) == {"a": "x\ud800"}


@pytest.mark.parametrize("arguments", [{}, {"a": "\ud800"}], ids=["alone", "beside an argument"])
async def test_an_id_with_a_lone_surrogate_is_refused_as_a_wrong_one(arguments: Json) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": "\ud800",
        "method": "tools/call",
        "params": {"name": "a", "arguments": arguments},
    }
    first = await replace_lone_surrogates(request(json.dumps(message).encode()), {})
    assert problem_of(decoded(bytes(first["body"]))) == WRONG_ID


@pytest.mark.parametrize(
    ("value", "sent"), [({"a": "ä"}, {"a": "ä"}), ({"a\ud800": ["b\udfff", 1]}, {"a?": ["b?", 1]}), ("\ud800", "?")]
)
def test_a_reply_is_sent_with_question_marks(value: Json, sent: Json) -> None:
    text, shown = encoded(value)
    assert json.loads(text) == shown == sent
