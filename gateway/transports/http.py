"""One HTTP application: MCP surfaces, health, the toolsets' own routes, behind one guard."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias

import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import ListenHandler
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.composition import Gateway
from gateway.leniency import lenient
from gateway.security.guard import Guard
from gateway.surfaces import SurfaceServer
from gateway.transports.routes import health_routes, toolset_routes

Manager: TypeAlias = StreamableHTTPSessionManager


def application(gateway: Gateway, listeners: ListenHandler, host: str) -> ASGIApp:
    """Return the application to serve at `host`; its lifespan runs the surfaces."""
    server = gateway.settings.server
    endpoints = {
        surface.path: _Endpoint(SurfaceServer(surface, listeners), server.max_body_bytes)
        for surface in gateway.surfaces
    }
    # Not every client sends its body again where a slash more or less would be a redirect.
    mcp: list[BaseRoute] = [
        Route(path + slash, endpoint, methods=["POST"]) for path, endpoint in endpoints.items() for slash in ("", "/")
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            for endpoint in endpoints.values():
                await stack.enter_async_context(endpoint.running())
            yield

    starlette = Starlette(routes=[*mcp, *toolset_routes(gateway.routes), *health_routes(gateway)], lifespan=lifespan)
    return Guard(starlette, server, host)


class _Endpoint:
    """One surface at its path: answers in JSON, and as a stream of events when the request asks for progress."""

    def __init__(self, server: SurfaceServer, limit: int) -> None:
        self._plain = Manager(server, json_response=True, stateless=True, max_request_body_size=limit)
        self._streaming = Manager(server, json_response=False, stateless=True, max_request_body_size=limit)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Accept requests until the block is left; once."""
        async with self._plain.run(), self._streaming.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        first = lenient(await receive(), scope)
        wanted = _accepts_events(scope) and _asks_for_progress(first.get("body", b""))
        manager = self._streaming if wanted else self._plain
        await manager.handle_request(scope, _again(first, receive), send)


def _accepts_events(scope: Scope) -> bool:
    return "text/event-stream" in Headers(scope=scope).get("accept", "")


def _asks_for_progress(body: bytes) -> bool:
    if b'"progressToken"' not in body:
        return False
    try:
        request = orjson.loads(body)
        return "progressToken" in request["params"]["_meta"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return False


def _again(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that gives `first` once more; the guard has gathered the whole body in it."""
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
