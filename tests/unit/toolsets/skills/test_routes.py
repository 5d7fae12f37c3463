"""The routes of the skills toolset."""

import gzip
import json
from collections.abc import Mapping

import pytest

from tests.support.toolsets.skills import Instance, chat
from toolsets.skills.routes import PATHS


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "The body is not JSON"),
        (b"[" * 2_000, "The body is nested too deeply"),
        (b'{"query": "\\ud800"}', "The body has half of a surrogate pair, which is no character, near character 12"),
        (b'{"query": "a", "min_score": 1e999}', "The body has a number that is too large, near character 29"),
        (b'{"query": "caf\xe9"}', "The body is not UTF-8"),
        (b'\xef\xbb\xbf{"query": "a"}', "The body begins with a byte order mark, which JSON does not have"),
    ],
)
async def test_a_body_that_cannot_be_read_is_named(skills: Instance, body: bytes, told: str) -> None:
    reply = await skills.request("POST", "/search", body)
    assert (reply.status, reply.body) == (400, {"error": "invalid_request", "detail": told})


async def test_the_routes_report_good_health(skills: Instance) -> None:
    assert skills.running.health is not None
    assert (await skills.running.health()).ok
    reply = await skills.request("GET", "/health")
    assert (reply.status, reply.body) == (200, {"status": "ok"})


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8"])
async def test_json_is_accepted(skills: Instance, kind: str) -> None:
    assert (await skills.request("POST", "/search", b'{"query": "bell"}', kind)).status == 200


@pytest.mark.parametrize("path", PATHS.values())
async def test_a_body_without_a_content_type_is_refused(skills: Instance, path: str) -> None:
    """A page of another origin can send such a body without asking the server first."""
    body = json.dumps({"conversation": chat("It is mute.", "Turn the wheel.")}).encode()
    reply = await skills.request("POST", path, body, "")
    told = "The content type should be application/json, but there is none"
    assert (reply.status, reply.body) == (400, {"error": "invalid_request", "detail": told})


@pytest.mark.parametrize("kind", ["application/vnd.api+json", "application/problem+json", "text/json"])
async def test_a_type_based_on_json_is_refused(skills: Instance, kind: str) -> None:
    reply = await skills.request("POST", "/search", b'{"query": "bell"}', kind)
    told = f"The content type should be application/json, not {kind}"
    assert (reply.status, reply.body) == (400, {"error": "invalid_request", "detail": told})


async def test_a_compressed_body_is_refused_by_name(skills: Instance) -> None:
    body = gzip.compress(b'{"query": "bell"}')
    reply = await skills.request("POST", "/search", body, encoding="gzip")
    told = "The body should not be compressed; its encoding is gzip"
    assert (reply.status, reply.body) == (400, {"error": "invalid_request", "detail": told})
    assert (await skills.request("POST", "/search", b'{"query": "bell"}', encoding="identity")).status == 200


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
