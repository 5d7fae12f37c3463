"""The error envelopes of the agent_graph toolset: one for each tool, with the payload of the tool set to null or empty."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from backends.ports.errors import Unavailable
from backends.ports.values import JsonObject
from toolsets.replies import deadline_sentence, problem_sentences, too_large_sentence
from toolsets.sourcing.errors import failure, uncaught
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
        return self.reply("Timed out", _after_colon(deadline_sentence(seconds)))

    def too_large(self, limit: int) -> Reply:
        """Return the reply that replaces one that is too large."""
        return self.reply("Invalid arguments", f"ask for less: {too_large_sentence(limit)}")

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught."""
        found = uncaught(error, _failure, "Internal error")
        return self.reply(found.code, _after_colon(found.message))

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


def _failure(error: Exception) -> ToolError:
    return failure("Service unavailable" if isinstance(error, Unavailable) else "Storage failed", "The call", error)


def _after_colon(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
