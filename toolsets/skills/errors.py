"""Errors of the skills toolset: one body `{error, detail}` over MCP and HTTP, and the HTTP status of each code."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, Literal, TypeAlias

from backends.ports.errors import StoreError
from backends.ports.values import Json, JsonObject
from toolsets.replies import deadline_sentence, problem_sentences, too_large_sentence
from toolsets.sourcing.commit import UnknownOutcome
from toolsets.sourcing.errors import UNKNOWN_OUTCOME, Translation, uncaught
from toolsets.sourcing.generations import LiveGenerationUnknown
from toolsets.spec import HttpReply, Problem, Reply, ToolError

Code: TypeAlias = Literal[
    "invalid_request",
    "nothing_to_learn",
    "too_large",
    "skill_not_found",
    "store_unavailable",
    "store_failed",
    "timeout",
    "internal_error",
]

STATUSES: Final[Mapping[str, int]] = {
    "invalid_request": 400,
    "nothing_to_learn": 400,
    "too_large": 400,
    "skill_not_found": 404,
}
"""The HTTP status of each code; all other codes have 500."""

Part: TypeAlias = Literal["event log", "graph", "vector store", "embedder"]
"""The parts that a call needs, by the names used in messages."""

_REFUSALS: Final[Mapping[int, str]] = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "invalid_request",
    421: "forbidden",
}
_DOCUMENTED: Final[Mapping[int, int]] = {408: 400, 413: 400, 415: 400, 422: 400, 431: 400, 503: 500}
"""The documented status that replaces each status of the gateway that the documents do not have."""

_logger = logging.getLogger(__name__)


def tool_error(code: Code, detail: str) -> ToolError:
    """Return the exception that ends a call with the error body."""
    return ToolError(code, detail)


def failure(what: str, error: Exception) -> ToolError:
    """Return the error of a call whose part failed. The part's own message is only logged, as it may name files and hosts."""
    what = "event log" if isinstance(error, LiveGenerationUnknown) else what
    _logger.warning("the %s failed: %s", what, error)
    if not isinstance(error, StoreError):
        return tool_error("store_failed", f"The {what} has data that cannot be read; see the server's log")
    if isinstance(error, UnknownOutcome):
        return tool_error("store_unavailable", UNKNOWN_OUTCOME[:1].upper() + UNKNOWN_OUTCOME[1:])
    match error.code:
        case "unavailable":
            return tool_error("store_unavailable", f"The {what} does not answer; see the server's log")
        case "timeout":
            return tool_error("store_unavailable", f"The {what} took too long to answer; see the server's log")
        case _:
            return tool_error("store_failed", f"The {what} failed ({error.code}); see the server's log")


def translate(part: Part) -> Translation:
    """Return the translation of the errors of a part."""
    return partial(failure, part)


class SkillsEnvelope:
    """The documented error body of the skills tools."""

    properties: ClassVar[JsonObject] = {"error": {"type": "string"}, "detail": {"type": "string"}}
    """The documented fields: a code for machines and a sentence for people."""

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to arguments that break their rules."""
        return _body("invalid_request", problem_sentences(problems))

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised to end its call."""
        return _body(error.code, error.message)

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        return _body("timeout", deadline_sentence(seconds))

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one that is too large to be sent."""
        return _body("too_large", f"Ask for less: {too_large_sentence(limit)}")

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught."""
        return self.tool_error(uncaught(error, translate("event log"), "internal_error"))


class SkillsRouteEnvelope:
    """The same error body for the HTTP routes, with the documented statuses."""

    def refused(self, status: int, reason: str) -> HttpReply:
        """Return the reply to a request that the gateway refuses, 400 also for a large body or another content type."""
        code = _REFUSALS.get(status, "internal_error" if status >= 500 else "invalid_request")
        return HttpReply(_DOCUMENTED.get(status, status), _fields(code, reason))

    def timed_out(self, seconds: float) -> HttpReply:
        """Return the reply to a request that passed its deadline."""
        return http_reply(ENVELOPE.timed_out(seconds))

    def failed(self, error: Exception) -> HttpReply:
        """Return the reply to an error that the route did not catch."""
        return http_reply(ENVELOPE.failed(error))

    def too_large(self, limit: int) -> HttpReply:
        """Return the reply in place of one that is too large to be sent."""
        return http_reply(ENVELOPE.too_large(limit))


def http_reply(reply: Reply) -> HttpReply:
    """Return the HTTP reply for a tool's reply: with status 200, or the status of its error code."""
    if not reply.is_error:
        return HttpReply(200, reply.structured)
    return HttpReply(STATUSES.get(str(reply.structured["error"]), 500), reply.structured)


def _body(code: str, detail: str) -> Reply:
    return Reply(_fields(code, detail), is_error=True)


def _fields(code: str, detail: str) -> dict[str, Json]:
    return {"error": code, "detail": detail}


ENVELOPE = SkillsEnvelope()
ROUTE_ENVELOPE = SkillsRouteEnvelope()
