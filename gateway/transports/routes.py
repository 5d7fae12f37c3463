"""HTTP routes outside MCP: those of the toolsets, and the health checks."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from gateway.composition import Gateway
from gateway.dispatch import MAX_REPLY_BYTES, reply_within_deadline
from gateway.health import toolsets_health
from gateway.refusals import OWN, Refusal, Refusals, json_response
from gateway.security.principals import MAX_CALLER_TEXT, channel_of, principal_of, user_agent_of
from gateway.value_limit import MAX_VALUES, exceeds_limit
from gateway.version import installed_version
from toolsets.spec import CallContext, HttpRequest, RouteSpec, ToolsetHealth

log = logging.getLogger("entrepot.http")

HEALTH = "/health"
"""The path of the gateway that a toolset may claim."""


def toolset_routes(specs: Sequence[RouteSpec], refusals: Refusals) -> list[Route]:
    """Return the toolsets' routes, one for each path; deadline, errors and logging are as for tools."""
    paths: dict[str, dict[str, RouteSpec]] = {}
    for spec in specs:
        paths.setdefault(spec.path, {})[spec.method] = spec
    return [Route(path, _RouteByMethod(methods, refusals)) for path, methods in paths.items()]


def health_routes(gateway: Gateway) -> list[Route]:
    """Return `/livez` (the process), `/readyz` (every toolset) and `/health` (the process, unless a toolset claims it)."""

    async def livez(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def health(_: Request) -> Response:
        served = [each.toolset.name for each in gateway.served]
        return JSONResponse({"status": "ok", "version": installed_version(), "toolsets": served})

    async def readyz(_: Request) -> Response:
        found = await toolsets_health(gateway.served, await gateway.shortages())
        ready = all(each.ok for each in found.values())
        parts = {name: _shown(each) for name, each in found.items()}
        return JSONResponse({"status": "ok" if ready else "unavailable", "toolsets": parts}, 200 if ready else 503)

    own = [Route("/livez", livez), Route("/readyz", readyz)]
    claimed = any(route.path == HEALTH for route in gateway.routes)
    return own if claimed else [*own, Route(HEALTH, health)]


def missing(refusals: Refusals) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of unknown paths: 404, in the form of the toolset whose route lies above the path."""

    async def answer(request: Request, _: Exception) -> Response:
        path = request.url.path
        return refusals.response(path, Refusal(404, "not_found", f"Nothing is served at {path[:MAX_CALLER_TEXT]}."))

    return answer


def wrong_method(refusals: Refusals) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of methods that a path of the gateway does not have: 405."""

    async def answer(request: Request, error: Exception) -> Response:
        allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
        return _method_refused(refusals, request.url.path, [each.strip() for each in allowed.split(",")])

    return answer


def broken(refusals: Refusals) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of unexpected errors: 500; the error itself is in the log."""

    async def answer(request: Request, _: Exception) -> Response:
        reason = "Something unforeseen went wrong; the server's log says more."
        return refusals.response(request.url.path, Refusal(500, "internal_error", reason))

    return answer


def _method_refused(refusals: Refusals, path: str, methods: Iterable[str]) -> Response:
    allowed = ", ".join(sorted(methods))
    refusal = Refusal(405, "method_not_allowed", f"The methods of {path} are: {allowed}.")
    return refusals.response(path, refusal, {"Allow": allowed})


def _shown(health: ToolsetHealth) -> dict[str, object]:
    """Return a toolset's health as JSON, with `notes` only if there are any."""
    known: dict[str, object] = {"ok": health.ok, "lag": health.lag, "problems": list(health.problems)}
    return {**known, "notes": list(health.notes)} if health.notes else known


class _RouteByMethod:
    """Handles the requests to one path with the route of their method: HEAD with that of GET, others with 405."""

    def __init__(self, routes: Mapping[str, RouteSpec], refusals: Refusals) -> None:
        self._routes = {**routes, **({"HEAD": routes["GET"]} if "GET" in routes else {})}
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        spec = self._routes.get(request.method)
        if spec is None:
            response = _method_refused(self._refusals, scope["path"], self._routes)
        else:
            response = await _answer(spec, request)
        await response(scope, receive, send)


async def _answer(spec: RouteSpec, request: Request) -> Response:
    context = CallContext(
        tool=f"{spec.method} {spec.path}",
        request_id=(request.headers.get("x-request-id") or uuid.uuid4().hex)[:MAX_CALLER_TEXT],
        principal=principal_of(request.scope),
        client=user_agent_of(request.headers),
        channel=channel_of(request.scope),
        headers=request.headers,
        deadline_s=spec.deadline_s,
    )
    envelope = spec.envelope or OWN
    body = await request.body()
    if await exceeds_limit(body):
        return json_response(envelope.refused(400, f"The body has more than {MAX_VALUES} values."))
    asked = HttpRequest(spec.method, spec.path, dict(request.query_params), body, context)
    response = json_response(await reply_within_deadline(lambda: spec.handler(asked), context, envelope))
    if len(response.body) > MAX_REPLY_BYTES:
        log.warning("A reply of %d bytes was not sent: at most %d are", len(response.body), MAX_REPLY_BYTES)
        return json_response(envelope.too_large(MAX_REPLY_BYTES))
    return response
