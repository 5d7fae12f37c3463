"""The HTTP application: MCP surfaces, health and the toolsets' routes behind one guard."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias, cast

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import ListenHandler
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.composition import Gateway
from gateway.excess import without_excess
from gateway.refusals import Refusals
from gateway.security.guard import Guard
from gateway.surfaces import SurfaceServer
from gateway.surrogates import lenient
from gateway.transports.requests import TOO_MANY_VALUES, WRONG_ID, decoded, has_wrong_id
from gateway.transports.routes import health_routes, missing, toolset_routes

Manager: TypeAlias = StreamableHTTPSessionManager

_WRONG_ID = WRONG_ID.model_dump_json(by_alias=True, exclude_unset=True)
_TOO_MANY_VALUES = TOO_MANY_VALUES.model_dump_json(by_alias=True, exclude_unset=True)


def application(gateway: Gateway, listeners: ListenHandler, host: str, refusals: Refusals) -> ASGIApp:
    """Return the application to serve at `host`; its lifespan runs the surfaces."""
    server = gateway.settings.server
    endpoints = {
        surface.path: _Endpoint(SurfaceServer(surface, listeners), server.max_body_bytes)
        for surface in gateway.surfaces
    }
    # With and without a slash: not every client sends its body again after a redirect.
    mcp: list[BaseRoute] = [
        Route(path + slash, endpoint, methods=["POST"]) for path, endpoint in endpoints.items() for slash in ("", "/")
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            for endpoint in endpoints.values():
                await stack.enter_async_context(endpoint.running())
            yield

    routes = [*mcp, *toolset_routes(gateway.routes, refusals), *health_routes(gateway)]
    served = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: missing(refusals)})
    # Not every client sends its body again after a redirect to the path without its slash.
    served.router.redirect_slashes = False
    return Guard(served, server, host, refusals)


class _Endpoint:
    """One surface: answers in JSON, and with a stream of events when a request asks for progress."""

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
        message = await receive()
        body = await without_excess(message.get("body", b""))
        if body is None:
            await Response(_TOO_MANY_VALUES, 400, media_type="application/json")(scope, receive, send)
            return
        first = await lenient({**message, "body": body}, scope)
        request = decoded(first.get("body", b""))
        if has_wrong_id(request):
            await Response(_WRONG_ID, 400, media_type="application/json")(scope, receive, send)
            return
        wanted = _accepts_events(scope) and _asks_for_progress(request)
        manager = self._streaming if wanted else self._plain
        await manager.handle_request(scope, _again(first, receive), send)


def _accepts_events(scope: Scope) -> bool:
    return "text/event-stream" in Headers(scope=scope).get("accept", "")


def _asks_for_progress(request: object) -> bool:
    for step in ("params", "_meta"):
        request = cast("Mapping[str, object]", request).get(step) if isinstance(request, Mapping) else None
    return isinstance(request, Mapping) and "progressToken" in request


def _again(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that returns `first` once more; it holds the whole body, which the guard has read."""
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
