"""Messages that are refused before they are parsed."""

import json
import math
from collections.abc import Mapping
from typing import cast

import mcp_types as wire
import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from gateway.transports.requests import (
    BATCH,
    MAX_SHOWN,
    WRONG_ID,
    decoded,
    has_wrong_id,
    no_message,
    not_acceptable,
    problem_of,
    wrong_params,
    wrong_version,
)

CALL: dict[str, object] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "a", "arguments": {}}}


@pytest.mark.parametrize(
    "message",
    [
        CALL,
        {"jsonrpc": "2.0", "id": "x", "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
    ],
)
def test_a_valid_message_has_no_problem(message: object) -> None:
    assert problem_of(message) is None


@pytest.mark.parametrize(
    ("message", "code", "id_"),
    [
        (CALL | {"jsonrpc": "1.0"}, wire.INVALID_REQUEST, 7),
        (CALL | {"method": 5}, wire.INVALID_REQUEST, 7),
        (CALL | {"params": [1]}, wire.INVALID_REQUEST, 7),
        (CALL | {"params": dict[str, object]()}, wire.INVALID_PARAMS, 7),
        ({"jsonrpc": "2.0", "id": 7}, wire.INVALID_REQUEST, 7),
        ({"id": True}, wire.INVALID_REQUEST, None),
        ("text", wire.INVALID_REQUEST, None),
        (None, wire.INVALID_REQUEST, None),
    ],
)
def test_a_problem_is_answered_with_the_id_if_it_is_one(message: object, code: int, id_: int | None) -> None:
    problem = problem_of(message)
    assert problem is not None
    assert (problem.error.code, problem.id) == (code, id_)


def test_a_batch_and_a_wrong_id_have_replies_of_their_own() -> None:
    assert problem_of([CALL]) == BATCH
    assert problem_of(CALL | {"id": None}) == WRONG_ID


@pytest.mark.parametrize(
    ("id_", "wrong"),
    [
        (7, False),
        (2**70, False),
        ("x", False),
        ("", False),
        (None, True),
        (True, True),
        (1.0, True),
        ([], True),
        ("\ud800", True),
    ],
)
def test_the_id_of_a_request_is_an_integer_or_a_text(id_: object, wrong: bool) -> None:
    assert has_wrong_id(CALL | {"id": id_}) is wrong


def test_only_a_request_has_a_wrong_id() -> None:
    assert not has_wrong_id({"jsonrpc": "2.0", "method": "a"})
    assert not has_wrong_id({"jsonrpc": "2.0", "id": None, "result": {}})
    assert not has_wrong_id([CALL | {"id": None}])


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("tools/call", None, "params must be an object with name"),
        ("tools/call", {"name": 5}, "params.name must be a text"),
        ("tools/call", {"name": "a", "arguments": []}, "params.arguments must be an object"),
        ("tools/call", {"name": "a", "_meta": 5}, "params._meta must be an object"),
        ("resources/read", {}, "params.uri must be a text"),
        ("prompts/get", {}, "params.name must be a text"),
    ],
)
def test_a_wrong_parameter_is_named(method: str, params: object, told: str) -> None:
    problem = wrong_params(method, params, 7)
    assert problem is not None
    assert (problem.error.code, problem.error.message, problem.id) == (wire.INVALID_PARAMS, told, 7)


@pytest.mark.parametrize(
    ("method", "params"),
    [("tools/call", {"name": "a", "arguments": None}), ("ping", None), ("tools/list", 5), (5, None)],
)
def test_right_and_unknown_parameters_are_not_refused(method: object, params: object) -> None:
    assert wrong_params(method, params, 7) is None


@pytest.mark.parametrize("sent", [[], [KNOWN_PROTOCOL_VERSIONS[0]], [KNOWN_PROTOCOL_VERSIONS[-1]]])
def test_a_served_version_or_none_is_not_refused(sent: list[str]) -> None:
    assert wrong_version(sent, CALL) is None


def test_another_version_is_answered_with_those_that_are_served() -> None:
    problem = wrong_version(["9" * 1_000], CALL)
    assert problem is not None
    assert (problem.error.code, problem.id) == (wire.UNSUPPORTED_PROTOCOL_VERSION, 7)
    assert problem.error.data == {"supported": list(KNOWN_PROTOCOL_VERSIONS), "requested": "9" * MAX_SHOWN}
    assert len(problem.error.message) < 500
    twice = wrong_version([KNOWN_PROTOCOL_VERSIONS[0]] * 2, CALL)
    assert twice is not None
    assert twice.error.code == wire.HEADER_MISMATCH


@pytest.mark.parametrize(
    ("method", "has_json", "has_stream", "refused"),
    [
        ("tools/call", True, False, False),
        ("tools/call", False, True, True),
        ("subscriptions/listen", True, True, False),
        ("subscriptions/listen", True, False, True),
    ],
)
def test_a_client_accepts_the_forms_of_the_reply(method: str, has_json: bool, has_stream: bool, refused: bool) -> None:
    problem = not_acceptable(CALL | {"method": method}, has_json=has_json, has_stream=has_stream)
    assert (problem is not None) is refused
    assert problem is None or problem.id == 7


def test_what_is_no_message_is_answered_with_its_id() -> None:
    assert no_message({"id": "x"}).id == "x"
    assert no_message({"id": 1.5}).id is None
    assert no_message([]).id is None


def test_numbers_of_any_length_and_not_a_number_are_decoded() -> None:
    body = json.dumps(CALL | {"id": 2**70, "params": {"name": "a", "arguments": {"x": math.nan}}}).encode()
    message = cast("Mapping[str, object]", decoded(body))
    assert message["id"] == 2**70
    assert "nan" in str(message["params"])
    assert cast("Mapping[str, object]", decoded(json.dumps(CALL | {"id": 2**70}).encode()))["id"] == 2**70


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", "﻿{}".encode(), "{}".encode("utf-16"), b"[" * 100_000], ids=str)
def test_what_cannot_be_read_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (any of several)
        decoded(body)
