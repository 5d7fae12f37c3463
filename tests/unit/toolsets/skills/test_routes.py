"""The routes of the skills toolset."""

import json
from collections.abc import Mapping

import pytest

from tests.support.toolsets.skills import Instance, chat
from toolsets.skills.routes import PATHS


@pytest.mark.parametrize(
    ("body", "told"), [(b"{", "The body is not JSON"), (b"[" * 2_000, "The body is nested too deeply")]
)
async def test_a_body_that_cannot_be_read_is_named(skills: Instance, body: bytes, told: str) -> None:
    reply = await skills.request("POST", "/search", body)
    assert (reply.status, reply.body) == (400, {"error": "invalid_request", "detail": told})


async def test_the_routes_report_good_health(skills: Instance) -> None:
    assert skills.running.health is not None
    assert (await skills.running.health()).ok
    reply = await skills.request("GET", "/health")
    assert (reply.status, reply.body) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    "kind", ["", "application/json", "Application/JSON; charset=utf-8", "application/problem+json"]
)
async def test_json_is_accepted(skills: Instance, kind: str) -> None:
    assert (await skills.request("POST", "/search", b'{"query": "bell"}', kind)).status == 200


async def test_another_content_type_is_refused(skills: Instance) -> None:
    reply = await skills.request("POST", "/search", b'{"query": "bell"}', "text/plain" + "x" * 200)
    assert reply.status == 400
    assert isinstance(reply.body, Mapping)
    assert reply.body["error"] == "invalid_request"
    assert len(str(reply.body["detail"])) < 200


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"null"])
async def test_a_body_that_is_no_object_is_refused(skills: Instance, body: bytes) -> None:
    reply = await skills.request("POST", "/search", body)
    assert (reply.status, reply.body) == (
        400,
        {"error": "invalid_request", "detail": "The body should be a JSON object"},
    )


async def test_each_tool_has_a_route_and_the_interface_is_described(skills: Instance) -> None:
    assert PATHS.keys() == {tool.name for tool in skills.running.tools}
    body = json.dumps({"conversation": chat("It is mute.", "Turn the wheel.")}).encode()
    reply = await skills.request("POST", "/create", body)
    assert reply.status in (200, 201)
    described = await skills.request("GET", "/openapi.json")
    assert described.status == 200
    assert isinstance(described.body, Mapping)
    assert isinstance(paths := described.body["paths"], Mapping)
    assert {*PATHS.values()} <= paths.keys()
