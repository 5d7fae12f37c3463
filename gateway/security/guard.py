"""The checks of every HTTP request before it reaches a route.

Host, Origin and token, each sent once; at most one media type and one channel; a body that arrives in time and within its
limit.
"""

import hmac
import logging
import re

import anyio
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from config.settings import ServerSettings
from gateway.refusals import Refusal, Refusals
from gateway.security.hosts import LOOPBACK, AllowedHosts, AllowedOrigins
from gateway.security.principals import set_principal

log = logging.getLogger("entrepot.http")

PUBLIC = frozenset({"/livez"})
BODY_S = 30
"""How long a request's body may take to arrive, whatever its size."""
DRAINED_BYTES = 16 * 1024 * 1024
"""How much of a refused request's body is read and discarded, so that its client reads the refusal."""
DRAIN_S = 5
"""How long that may take."""
PREFLIGHT_MAX_AGE_S = 600
"""How long a browser may remember what a page may send."""
TOKEN_HOLDER = "token"  # noqa: S105 the name of a principal, not a secret

_NAMES = re.compile(r"[A-Za-z0-9_-]{1,100}(?: ?, ?[A-Za-z0-9_-]{1,100}){0,50}")
"""Methods or headers that a page may send: all that a browser asks for, since the server reads only those it knows."""

_SINGLE = {
    name.lower().encode(): Refusal(400, f"ambiguous_{code}", f"The header {name} was sent more than once.")
    for name, code in {
        "Host": "host",
        "Origin": "origin",
        "Authorization": "authorization",
        "Content-Type": "content_type",
        "X-Channel-Id": "channel",
    }.items()
}
"""Headers that may be sent only once: of two, a proxy may have checked the other one."""
_FOREIGN_HOST = Refusal(421, "host_not_allowed", "The Host of the request is not a name of this server.")
_FOREIGN_ORIGIN = Refusal(403, "origin_not_allowed", "Pages of this origin may not use this server.")
_UNAUTHORIZED = Refusal(401, "unauthorized", "This server requires a token: Authorization: Bearer TOKEN.")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="entrepot"'}


class Guard:
    """Wraps an ASGI application: refuses requests with 400, 401, 403, 408, 413 or 421, and passes on complete bodies.

    Requests may name the configured host, and `host`, the address that it stands for. Browsers let pages of the configured
    origins send requests and read the replies (CORS), but not other pages of this machine, whose origins are accepted too.
    """

    def __init__(self, app: ASGIApp, server: ServerSettings, host: str, refusals: Refusals) -> None:
        self._app = app
        self._max_body_bytes = server.max_body_bytes
        self._too_large = Refusal(413, "body_too_large", f"The body has more than {server.max_body_bytes} bytes.")
        self._refusals = refusals
        bound = (f"[{each}]" if ":" in each else each for each in (server.host, host))
        self._hosts = AllowedHosts([*LOOPBACK, *bound, *server.allowed_hosts])
        own_pages = [f"{scheme}://{name}" for scheme in ("http", "https") for name in LOOPBACK]
        self._origins = AllowedOrigins([*own_pages, *server.allowed_origins])
        self._pages = AllowedOrigins(server.allowed_origins)
        self._token = None if server.token is None else server.token.get_secret_value().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # httptools keeps white space around header values, which the protocol's header checks would treat as content.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        origin = _header(scope, b"origin")
        refusal = _ambiguous(scope) or self._foreign(scope, origin)
        if refusal is None and origin is not None and origin in self._pages:
            send = _with_cors_headers(send, origin)
            if (preflight := _preflight_reply(scope)) is not None:
                await preflight(scope, receive, send)
                return
        refusal = refusal or self._unauthorized(scope)
        body = await self._body(scope, receive) if refusal is None else refusal
        if isinstance(body, Refusal):
            if body.status != 408:
                await _drain(scope, receive)
            headers = _CHALLENGE if body is _UNAUTHORIZED else {"Connection": "close"} if body.status == 408 else None
            await self._refusals.response(scope["path"], body, headers)(scope, receive, send)
        elif body is not None:
            await self._app(scope, replayed({"type": "http.request", "body": body, "more_body": False}, receive), send)

    def _foreign(self, scope: Scope, origin: str | None) -> Refusal | None:
        """Refuse a foreign host and a foreign origin, since a browser may send requests on behalf of any page."""
        host = _header(scope, b"host") or ""
        if host not in self._hosts:
            log.warning("A request for the host %.100r was refused: it is not in server.allowed_hosts", host)
            return _FOREIGN_HOST
        if origin is not None and origin not in self._origins:
            log.warning("A request from the origin %.100r was refused: it is not in server.allowed_origins", origin)
            return _FOREIGN_ORIGIN
        return None

    def _unauthorized(self, scope: Scope) -> Refusal | None:
        if self._token is None or scope["path"] in PUBLIC:
            return None
        scheme, _, token = (_header(scope, b"authorization") or "").encode("latin-1").partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token):
            set_principal(scope, TOKEN_HOLDER)
            return None
        return _UNAUTHORIZED

    async def _body(self, scope: Scope, receive: Receive) -> bytes | Refusal | None:
        """Return the complete body, the refusal of one that is too large or too slow, or None if the client has left."""
        declared = _header(scope, b"content-length") or ""
        if declared.isdecimal() and int(declared) > self._max_body_bytes:
            return self._too_large
        body = bytearray()
        with anyio.move_on_after(BODY_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > self._max_body_bytes:
                    return self._too_large
                if not message.get("more_body", False):
                    return bytes(body)
        return Refusal(408, "request_timeout", f"The body did not arrive within {BODY_S} s.")


async def _drain(scope: Scope, receive: Receive) -> None:
    """Read and discard the rest of a body, within `DRAINED_BYTES` and `DRAIN_S`.

    Many clients send their whole body before they read; to close the connection earlier would reset it.
    """
    declared = _header(scope, b"content-length") or "0"
    chunked = _header(scope, b"transfer-encoding") is not None
    # A client that expects a 100 sends no body before it has read the reply.
    if (declared == "0" and not chunked) or _header(scope, b"expect") is not None:
        return
    left = DRAINED_BYTES
    with anyio.move_on_after(DRAIN_S):
        while left > 0:
            message = await receive()
            if message["type"] != "http.request" or not message.get("more_body", False):
                return
            left -= len(message.get("body", b""))


def _preflight_reply(scope: Scope) -> Response | None:
    """Return the reply to a CORS preflight, which a browser sends without the token; None for another request."""
    method = _header(scope, b"access-control-request-method")
    if scope["method"] != "OPTIONS" or method is None:
        return None
    asked = {"Methods": method, "Headers": _header(scope, b"access-control-request-headers") or ""}
    granted = {f"Access-Control-Allow-{what}": names for what, names in asked.items() if _NAMES.fullmatch(names)}
    return Response(status_code=204, headers={**granted, "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S)})


def _with_cors_headers(send: Send, origin: str) -> Send:
    """Return a `send` that lets pages of the origin read the reply."""
    headers = {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "WWW-Authenticate"}
    added = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *added, (b"vary", b"Origin")]}
        await send(message)

    return sent


def _ambiguous(scope: Scope) -> Refusal | None:
    sent = [name for name, _ in scope["headers"] if name in _SINGLE]
    return next((_SINGLE[name] for name in sent if sent.count(name) > 1), None)


def _header(scope: Scope, wanted: bytes) -> str | None:
    for name, value in scope["headers"]:
        if name == wanted:
            return value.decode("latin-1")
    return None


def replayed(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that first returns `first`, such as a body that was read already."""
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
