"""HTTP beside MCP: the toolsets' routes, and health for people and orchestrators."""

import uuid
from collections.abc import Awaitable, Callable, Sequence

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backends.ports.errors import StoreError
from gateway.composition import Gateway
from gateway.dispatch import answered
from gateway.health import toolsets_health
from gateway.security.channel import channel_of
from gateway.security.principal import principal_of
from gateway.version import installed_version
from toolsets.spec import CallContext, HttpReply, HttpRequest, RouteSpec


def toolset_routes(specs: Sequence[RouteSpec]) -> list[Route]:
    """Return the toolsets' routes; their calls are made, timed and logged as tools' calls are."""
    return [Route(spec.path, _endpoint(spec), methods=[spec.method]) for spec in specs]


def health_routes(gateway: Gateway) -> list[Route]:
    """Return `/livez` (the process), `/readyz` (every toolset) and `/health` (the process, where no toolset claims it)."""

    async def livez(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def health(_: Request) -> Response:
        served = [each.toolset.name for each in gateway.served]
        return JSONResponse({"status": "ok", "version": installed_version(), "toolsets": served})

    async def readyz(_: Request) -> Response:
        found = await toolsets_health(gateway.served)
        ready = all(each.ok for each in found.values())
        parts = {
            name: {"ok": each.ok, "lag": each.lag, "problems": list(each.problems)} for name, each in found.items()
        }
        return JSONResponse({"status": "ok" if ready else "unavailable", "toolsets": parts}, 200 if ready else 503)

    return [Route("/livez", livez), Route("/readyz", readyz), Route("/health", health)]


def _endpoint(spec: RouteSpec) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        context = CallContext(
            tool=f"{spec.method} {spec.path}",
            request_id=request.headers.get("x-request-id") or uuid.uuid4().hex,
            principal=principal_of(request.scope),
            client=request.headers.get("user-agent"),
            channel=channel_of(request.scope),
            headers=request.headers,
        )
        asked = HttpRequest(request.method, request.url.path, dict(request.query_params), await request.body(), context)
        reply = await answered(lambda: spec.answer(asked), context, _WORDING)
        return Response(orjson.dumps(reply.body), reply.status, media_type="application/json")

    return endpoint


class _Wording:
    """How routes answer what their toolset did not catch."""

    def timed_out(self, seconds: float) -> HttpReply:
        return HttpReply(504, {"error": "timeout"})

    def failed(self, error: Exception) -> HttpReply:
        if isinstance(error, StoreError) and error.retryable:
            return HttpReply(503, {"error": "service_unavailable"})
        return HttpReply(500, {"error": "internal_error"})


_WORDING = _Wording()
