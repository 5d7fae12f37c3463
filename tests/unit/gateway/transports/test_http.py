"""The HTTP application, without a socket."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from starlette.types import ASGIApp, Message, Scope

from gateway import mcp_server
from gateway.composition import assemble_gateway
from gateway.mcp_server import listeners
from gateway.refusals import Refusals
from gateway.transports import http
from gateway.transports.http import application
from gateway.transports.requests import BATCH, NO_JSON, TOO_MANY_VALUES
from gateway.value_limit import MAX_VALUES
from tests.unit.gateway.test_rebuild import settings_of
from toolsets.spec import CallContext, Reply

CALL: dict[str, object] = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "search_skills", "arguments": {}},
}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncGenerator[None]:
    """Run the lifespan of an application."""
    scope: Scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    told, to_app = anyio.create_memory_object_stream[Message](1)
    from_app, events = anyio.create_memory_object_stream[Message](1)

    async def serve() -> None:
        await app(scope, to_app.receive, from_app.send)

    async with told, to_app, from_app, events, anyio.create_task_group() as group:
        group.start_soon(serve)
        await told.send({"type": "lifespan.startup"})
        assert (await events.receive())["type"] == "lifespan.startup.complete"
        yield
        await told.send({"type": "lifespan.shutdown"})
        assert (await events.receive())["type"] == "lifespan.shutdown.complete"


@asynccontextmanager
async def client_in(directory: Path, *, raises: bool = True) -> AsyncGenerator[httpx2.AsyncClient]:
    """Serve the skills to a client, which `raises` the application's unexpected errors."""
    async with assemble_gateway(settings_of(directory)) as gateway:
        app = application(gateway, listeners(), "127.0.0.1", Refusals(gateway.routes))
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=raises)
        async with (
            running(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=HEADERS) as client,
        ):
            yield client


async def test_an_unexpected_error_is_answered_with_500_and_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> object:
        raise RuntimeError("secret")

    monkeypatch.setattr(http, "decoded", fail)
    async with client_in(tmp_path, raises=False) as client:
        reply = await client.post("/mcp", json=CALL)
    assert (reply.status_code, reply.json()["error"]) == (500, "internal_error")
    assert "secret" not in reply.text


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/skills", "/mcp/skills/"])
async def test_each_surface_answers_with_and_without_a_slash(tmp_path: Path, path: str) -> None:
    async with client_in(tmp_path) as client:
        reply = await client.post(path, json=CALL)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json()["id"] == 7


async def test_a_request_that_asks_for_progress_is_answered_as_a_stream(tmp_path: Path) -> None:
    message = CALL | {"params": {"name": "search_skills", "arguments": {}, "_meta": {"progressToken": 1}}}
    async with client_in(tmp_path) as client:
        streamed = await client.post("/mcp", json=message)
        plain = await client.post("/mcp", json=message, headers={"Accept": "application/json"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert plain.headers["content-type"] == "application/json"
    assert "connection" not in streamed.headers, "the transport sends its own"


@pytest.mark.parametrize(("agent", "expected"), [("box/1", "box/1"), ("a" * 300, "a" * 200), ("", None)])
async def test_with_handshake_the_client_is_the_user_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, expected: str | None
) -> None:
    found: list[str | None] = []

    async def noting(_tool: object, _arguments: object, call: CallContext) -> Reply:
        found.append(call.client)
        return Reply({"success": True})

    monkeypatch.setattr(mcp_server, "dispatch", noting)
    async with client_in(tmp_path) as client:
        assert (await client.post("/mcp", json=CALL, headers={"User-Agent": agent})).status_code == 200
    assert found == [expected]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"{", 400, NO_JSON.error.message),
        (b"[]", 400, BATCH.error.message),
        (json.dumps([[]] * MAX_VALUES * 2).encode(), 400, TOO_MANY_VALUES.error.message),
        (json.dumps(CALL | {"params": {}}).encode(), 400, "params.name must be a text"),
    ],
    ids=["no JSON", "a batch", "too many values", "no name"],
)
async def test_a_message_that_cannot_be_served_is_refused(tmp_path: Path, body: bytes, status: int, told: str) -> None:
    async with client_in(tmp_path) as client:
        reply = await client.post("/mcp", content=body)
    assert (reply.status_code, reply.json()["error"]["message"]) == (status, told)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"Host": "evil.example"}, 421),
    ],
)
async def test_headers_decide_whether_a_request_is_served(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    async with client_in(tmp_path) as client:
        reply = await client.post("/mcp", json=CALL, headers=headers)
    assert reply.status_code == status


async def test_other_paths_and_methods_are_refused(tmp_path: Path) -> None:
    async with client_in(tmp_path) as client:
        assert (await client.post("/nothing", json=CALL)).status_code == 404
        assert (await client.get("/mcp")).status_code == 405
        assert (await client.get("/livez")).status_code == 200
