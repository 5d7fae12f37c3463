"""The HTTP application: MCP surfaces, health checks and the toolsets' routes behind one guard."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias, cast

from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import ListenHandler
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import JSONRPCError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.composition import Gateway
from gateway.mcp_server import SurfaceServer
from gateway.refusals import Refusal, Refusals
from gateway.security.guard import Guard, replayed
from gateway.surrogates import replace_lone_surrogates
from gateway.transports.requests import NO_JSON, TOO_MANY_VALUES, decoded, not_acceptable, problem_of, wrong_version
from gateway.transports.routes import broken, health_routes, missing, toolset_routes, wrong_method
from gateway.value_limit import within_limit

Manager: TypeAlias = StreamableHTTPSessionManager

_NO_JSON_BODY = Refusal(415, "unsupported_media_type", "A message is sent with Content-Type: application/json.")


def application(gateway: Gateway, listeners: ListenHandler, host: str, refusals: Refusals) -> ASGIApp:
    """Return the application to serve at `host`; its lifespan runs the surfaces."""
    server = gateway.settings.server
    endpoints = {surface.path: _Endpoint(SurfaceServer(surface, listeners), refusals) for surface in gateway.surfaces}
    # With and without a trailing slash, because not every client resends its body after a redirect.
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
    handlers = {404: missing(refusals), 405: wrong_method(refusals), Exception: broken(refusals)}
    served = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    # Not every client resends its body after a redirect to the path without the slash.
    served.router.redirect_slashes = False

    async def by_path(scope: Scope, receive: Receive, send: Send) -> None:
        # A message goes straight to its surface; Starlette compares the path with one route after the other.
        endpoint = endpoints.get(scope["path"].removesuffix("/")) if scope.get("method") == "POST" else None
        await (endpoint or served)(scope, receive, send)

    return Guard(ServerErrorMiddleware(by_path, handlers[Exception]), server, host, refusals)


class _Endpoint:
    """The endpoint of one surface: replies in JSON, or as a stream of events if a request asks for progress."""

    def __init__(self, server: SurfaceServer, refusals: Refusals) -> None:
        self._refusals = refusals
        self._plain = Manager(server, json_response=True, stateless=True)
        self._streaming = Manager(server, json_response=False, stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Accept requests inside the block; may be entered once."""
        async with self._plain.run(), self._streaming.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope)
        if not _is_json(headers):
            await self._refusals.response(scope["path"], _NO_JSON_BODY)(scope, receive, send)
            return
        if not headers["content-type"].islower():
            # The protocol's library compares the media type case-sensitively.
            scope["headers"] = [_in_lower_case(name, value) for name, value in scope["headers"]]
        message = await receive()
        body = await within_limit(message.get("body", b""))
        if body is None:
            await _refused(TOO_MANY_VALUES)(scope, receive, send)
            return
        first = await replace_lone_surrogates({**message, "body": body}, scope)
        try:
            request = decoded(first.get("body", b""))
        except ValueError:
            await _refused(NO_JSON)(scope, receive, send)
            return
        versions = headers.getlist(MCP_PROTOCOL_VERSION_HEADER)
        if (problem := problem_of(request) or wrong_version(versions, request)) is not None:
            await _refused(problem)(scope, receive, send)
            return
        has_json, has_stream = check_accept_headers(Request(scope))
        # The earlier revisions have no method whose reply is always a stream.
        is_served = has_stream or not any(version in MODERN_PROTOCOL_VERSIONS for version in versions)
        if (problem := not_acceptable(request, has_json=has_json, has_stream=is_served)) is not None:
            await _refused(problem, 406)(scope, receive, send)
            return
        wanted = _asks_for_progress(request) and "text/event-stream" in headers.get("accept", "").lower()
        manager = self._streaming if wanted and has_stream else self._plain
        # Without its check of the body's length: the guard has limited it.
        await manager.asgi_app.app(scope, replayed(first, receive), _without_connection(send))


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _in_lower_case(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    return name, value.lower() if name == b"content-type" else value


def _refused(problem: JSONRPCError, status: int = 400) -> Response:
    return Response(problem.model_dump_json(by_alias=True, exclude_unset=True), status, media_type="application/json")


def _asks_for_progress(request: object) -> bool:
    for step in ("params", "_meta"):
        request = cast("Mapping[str, object]", request).get(step) if isinstance(request, Mapping) else None
    return isinstance(request, Mapping) and "progressToken" in request


def _without_connection(send: Send) -> Send:
    """Return a `send` without the header `Connection` of the protocol's library: the transport sends its own."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(name, value) for name, value in message["headers"] if name.lower() != b"connection"]
            message = {**message, "headers": headers}
        await send(message)

    return sent
