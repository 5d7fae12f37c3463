"""The error envelopes of the agent_graph toolset: one for each tool, with the payload of the tool set to null or empty."""

import logging
from collections.abc import Sequence
from typing import Literal, TypeAlias

from backends.ports.errors import StoreError, Unavailable
from backends.ports.values import JsonObject
from toolsets.replies import UNFORESEEN, deadline_sentence, problem_sentences, too_large
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.commit import UnknownOutcome
from toolsets.sourcing.errors import UNKNOWN_OUTCOME
from toolsets.spec import Problem, Reply, ToolError

Code: TypeAlias = Literal[
    "Knowledge Graph is disabled",
    "channelId is required",
    "Entity not found",
    "Merge failed",
    "Invalid arguments",
    "Service unavailable",
    "Storage failed",
    "Timed out",
    "Internal error",
]
"""The values of `error`; the first four are documented."""

_logger = logging.getLogger(__name__)


def tool_error(error: Code, message: str = "") -> ToolError:
    """Return the exception that ends a call with the error envelope."""
    return ToolError(error, message)


class GraphEnvelope:
    """The documented error envelope of one tool; `empty` is the payload that it carries."""

    def __init__(self, tool: str, empty: JsonObject) -> None:
        self.properties: JsonObject = {
            "success": {"type": "boolean"},
            "message": {"type": "string"},
            "error": {"type": "string"},
        }
        self._tool = tool
        self._empty = empty

    def reply(self, error: str, message: str = "", payload: JsonObject | None = None) -> Reply:
        """Return the error reply; the message begins with the error, and `payload` replaces the empty one."""
        text = error if not message or message == error else f"{error}: {message}"
        empty = self._empty if payload is None else payload
        return Reply({"success": False, **empty, "message": text, "error": error}, is_error=True)

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to invalid arguments."""
        return self.reply("Invalid arguments", problem_sentences(problems))

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised; a merge reports an unknown id as its own failure."""
        if self._tool == "kg_merge_entities" and error.code == "Entity not found":
            return self._merge_failed(f"Entity not found: {error.message}")
        return (
            self._merge_failed(error.message) if error.code == "Merge failed" else self.reply(error.code, error.message)
        )

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        sentence = deadline_sentence(seconds)
        return self.reply("Timed out", sentence[:1].lower() + sentence[1:])

    def too_large(self, limit: int) -> Reply:
        """Return the reply that replaces one that is too large."""
        return self.reply("Invalid arguments", f"ask for less: {too_large(limit)}")

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught, and log the error."""
        match error:
            case UnknownOutcome():
                _logger.warning("%s: the outcome of a write is unknown: %s", self._tool, error)
                return self.reply("Service unavailable", UNKNOWN_OUTCOME)
            case Unavailable():
                _logger.warning("%s: a store is not available: %s", self._tool, error)
                return self.reply("Service unavailable", "a store does not answer; try again later")
            case StoreError():
                _logger.warning("%s failed: %s", self._tool, error)
                return self.reply("Storage failed", f"{error.code}; see the server's log")
            case UnreadableEvent():
                _logger.warning("%s failed: %s", self._tool, error)
                return self.reply("Storage failed", "the log has events that cannot be read; see the server's log")
            case _:
                return self.reply("Internal error", UNFORESEEN[:1].lower() + UNFORESEEN[1:])

    def _merge_failed(self, message: str) -> Reply:
        """Return the reply to a failed merge, whose result has an error of its own."""
        error: Code = "Merge failed"
        result: JsonObject = {
            "success": False,
            "mergedEntity": None,
            "relationshipsTransferred": 0,
            "aliasesMerged": [],
            "error": error,
        }
        return self.reply(error, message, {"result": result})
