"""The HTTP routes; kept separate because the tools do not depend on HTTP."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

import orjson

from backends.ports.values import Json
from toolsets.skills.errors import ROUTE_ENVELOPE, http_reply
from toolsets.skills.openapi import api_description
from toolsets.skills.runtime import Skills
from toolsets.spec import HttpReply, HttpRequest, RouteSpec, ToolSpec

PATHS: Final[Mapping[str, str]] = {"search_skills": "/search", "create_skill": "/create", "update_skill": "/update"}
"""The path of each tool."""
HEALTH_S: Final = 0.8
"""The time that the stores have to answer, so that `/health` answers within a second."""


def routes(skills: Skills, tools: Sequence[ToolSpec]) -> tuple[RouteSpec, ...]:
    """Return the routes of the running toolset."""

    async def health(_: HttpRequest) -> HttpReply:
        silent = await skills.unanswered(within_s=HEALTH_S)
        if silent:
            return HttpReply(500, {"error": "store_unavailable", "detail": "; ".join(silent)})
        return HttpReply(200, {"status": "ok"})

    async def described(_: HttpRequest) -> HttpReply:
        return HttpReply(200, api_description())

    return (
        *(_route(tool) for tool in tools),
        RouteSpec("GET", "/health", health, ROUTE_ENVELOPE),
        RouteSpec("GET", "/openapi.json", described, ROUTE_ENVELOPE),
    )


def _route(tool: ToolSpec) -> RouteSpec:
    async def answer(request: HttpRequest) -> HttpReply:
        kind = request.context.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("", "application/json") and not kind.endswith("+json"):
            return ROUTE_ENVELOPE.refused(415, f"The content type should be application/json, not {kind:.80}")
        try:
            arguments = cast("Json", orjson.loads(request.body))
        except orjson.JSONDecodeError as error:
            deep = "depth" in error.msg
            return ROUTE_ENVELOPE.refused(400, "The body is nested too deeply" if deep else "The body is not JSON")
        if not isinstance(arguments, Mapping):
            return ROUTE_ENVELOPE.refused(400, "The body should be a JSON object")
        return http_reply(await tool.call(arguments, request.context))

    return RouteSpec("POST", PATHS[tool.name], answer, ROUTE_ENVELOPE, tool.deadline_s)
