"""Errors of the memory toolset: one envelope, and the message for each failure."""

from collections.abc import Sequence
from typing import ClassVar

from backends.ports.values import JsonObject
from toolsets.replies import deadline_sentence, problem_sentences, too_large_sentence
from toolsets.sourcing.errors import Translation, translate_to, uncaught
from toolsets.spec import Problem, Reply, ToolError


def envelope(message: str, details: JsonObject | None = None) -> Reply:
    """Return the error envelope; empty `details` are left out."""
    more: JsonObject = {"details": details} if details else {}
    return Reply({"status": "error", "message": message, **more}, is_error=True)


def tool_error(message: str) -> ToolError:
    """Return the exception that ends a call with the error envelope."""
    return ToolError("error", message)


def translate(during: str) -> Translation:
    """Return the translation of a store's failure or an unreadable event."""
    return translate_to("error", during)


class MemoryEnvelope:
    """The documented error envelope of the memory tools."""

    properties: ClassVar[JsonObject] = {"status": {"type": "string", "const": "error"}, "message": {"type": "string"}}
    """The documented fields; some replies carry `details` too."""

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to arguments that break their rules."""
        return envelope(f"Invalid parameter: {problem_sentences(problems)}")

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised to end its call."""
        return envelope(error.message, error.details)

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        return envelope(deadline_sentence(seconds))

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one that is too large to be sent."""
        return envelope(f"Ask for less: {too_large_sentence(limit)}")

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught."""
        return self.tool_error(uncaught(error, translate("The call"), "error"))


ENVELOPE = MemoryEnvelope()
