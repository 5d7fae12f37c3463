"""What every HTTP request must pass before it reaches a route.

Host, Origin, token, one channel at most, a body in time and within its size.
"""

import hmac
from collections.abc import Sequence

import anyio
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from config.settings import ServerSettings
from gateway.security.principal import mark

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PUBLIC = frozenset({"/livez"})
BODY_S = 30
"""How long a request's body may take to arrive, however much of it does."""
TOKEN_HOLDER = "token"  # noqa: S105 the name of a principal, not a secret


class Guard:
    """Wraps an ASGI application and answers 421, 403, 401, 400, 408 or 413 in its place."""

    def __init__(self, app: ASGIApp, server: ServerSettings, host: str) -> None:
        self._app = RequestBodyLimitMiddleware(app, server.max_body_bytes)
        self._senders = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=_with_any_port([*LOOPBACK, host, *server.allowed_hosts]),
                allowed_origins=_with_any_port([*_origins(LOOPBACK), *server.allowed_origins]),
            )
        )
        self._token = None if server.token is None else server.token.get_secret_value().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # httptools keeps blanks around header values, which the protocol's header checks would take for content.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        refusal = await self._senders.validate_request(Request(scope)) or self._unauthorized(scope) or _ambiguous(scope)
        try:
            await (refusal or self._app)(scope, _in_time(receive), send)
        except _TooSlow:
            await JSONResponse({"error": "request_timeout"}, 408, {"Connection": "close"})(scope, receive, send)

    def _unauthorized(self, scope: Scope) -> JSONResponse | None:
        if self._token is None or scope["path"] in PUBLIC:
            return None
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token):
            mark(scope, TOKEN_HOLDER)
            return None
        return JSONResponse({"error": "unauthorized"}, 401, {"WWW-Authenticate": 'Bearer realm="entrepot"'})


def _ambiguous(scope: Scope) -> JSONResponse | None:
    """Refuse a request that names two channels: a client must not choose beside the proxy that binds it."""
    named = sum(name == b"x-channel-id" for name, _ in scope["headers"])
    return JSONResponse({"error": "ambiguous_channel"}, 400) if named > 1 else None


class _TooSlow(Exception):
    """The body was not there in time; nothing has been answered yet, for routes are asked with the whole body."""


def _in_time(receive: Receive) -> Receive:
    """Return a `receive` that raises `_TooSlow` when the body is not whole within `BODY_S`."""
    deadline = anyio.current_time() + BODY_S
    whole = False

    async def bounded() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        with anyio.CancelScope(deadline=deadline):
            message = await receive()
            whole = not message.get("more_body", False)
            return message
        raise _TooSlow

    return bounded


def _origins(hosts: Sequence[str]) -> list[str]:
    return [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]


def _with_any_port(names: Sequence[str]) -> list[str]:
    """Admit each name that says nothing of a port with every port, as well as without one."""
    bare = [name for name in names if not _has_port(name)]
    return [*names, *(f"{name}:*" for name in bare)]


def _has_port(name: str) -> bool:
    return ":" in name.rpartition("//")[2].rpartition("]")[2]
