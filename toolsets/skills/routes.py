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


_FLAWS: Final[Mapping[str, str]] = {
    "depth limit": "is nested too deeply",
    "not valid UTF-8": "is not UTF-8",
    "byte order mark": "begins with a byte order mark, which JSON does not have",
    "surrogate": "has half of a surrogate pair, which is no character, near character {place}",
    "infinity": "has a number that is too large, near character {place}",
}
"""What the parser's messages mean, by a part of each; the first that occurs counts."""


def _unreadable(error: orjson.JSONDecodeError) -> str:
    """Return a sentence that says why a body could not be read."""
    flaw = next((flaw for part, flaw in _FLAWS.items() if part in error.msg), "is not JSON")
    return f"The body {flaw.format(place=error.pos + 1)}"


def _route(tool: ToolSpec) -> RouteSpec:
    async def answer(request: HttpRequest) -> HttpReply:
        headers = request.context.headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        # Without this type a page of another origin could send the body, and the browser would not ask the server first.
        if kind != "application/json":
            found = f"not {kind:.80}" if kind else "but there is none"
            return ROUTE_ENVELOPE.refused(415, f"The content type should be application/json, {found}")
        if (encoding := headers.get("content-encoding", "").strip().lower()) not in ("", "identity"):
            return ROUTE_ENVELOPE.refused(415, f"The body should not be compressed; its encoding is {encoding:.80}")
        try:
            arguments = cast("Json", orjson.loads(request.body))
        except orjson.JSONDecodeError as error:
            return ROUTE_ENVELOPE.refused(400, _unreadable(error))
        if not isinstance(arguments, Mapping):
            return ROUTE_ENVELOPE.refused(400, "The body should be a JSON object")
        return http_reply(await tool.call(arguments, request.context))

    return RouteSpec("POST", PATHS[tool.name], answer, ROUTE_ENVELOPE, tool.deadline_s)
