"""Errors of the knowledge toolset: the envelope, its codes, and the code of each failure."""

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Literal, TypeAlias

from backends.ports.errors import Unavailable
from backends.ports.values import Json, JsonObject
from toolsets.replies import deadline_sentence, problem_sentences, shown_details, too_large_sentence
from toolsets.sourcing import errors
from toolsets.sourcing.commit import UnknownOutcome
from toolsets.sourcing.errors import Translation, failure
from toolsets.sourcing.generations import LiveGenerationUnknown
from toolsets.spec import Problem, Reply, ToolError

Code: TypeAlias = Literal[
    "validation_error",
    "invalid_input",
    "missing_required",
    "concept_not_found",
    "relationship_not_found",
    "path_not_found",
    "service_unavailable",
    "neo4j_error",
    "chromadb_error",
    "embedding_error",
    "database_error",
    "internal_error",
]

_logger = logging.getLogger(__name__)
_CODES: dict[str, Code] = {"unstorable": "invalid_input", "missing": "missing_required"}


def envelope(code: str, message: str, details: JsonObject) -> Reply:
    """Return the error envelope without details that are None or cannot be written as JSON."""
    body: dict[str, Json] = {"success": False, "error": code, "error_type": code, "message": message}
    kept = shown_details(details)
    return Reply({**body, "details": kept} if kept else body, is_error=True)


def tool_error(code: Code, message: str, **details: Json) -> ToolError:
    """Return the exception that ends a call with the error envelope."""
    return ToolError(code, message, **details)


def unavailable(service: str, error: Exception) -> ToolError:
    """Return the error of a call whose service is down."""
    _logger.warning("%s is not available: %s", service, error)
    message = "Required service not initialized. MCP server may still be starting up."
    return tool_error("service_unavailable", f"{message} ({service} not initialized)")


def available(service: str) -> AbstractContextManager[None]:
    """Report a store that fails inside the block as `service` being unavailable, or as the event log where that is the cause."""
    return errors.store_errors(
        lambda error: unavailable("event_store" if isinstance(error, LiveGenerationUnknown) else service, error)
    )


def translate_to(code: Code, during: str) -> Translation:
    """Return the translation of a store's failure into `code`, and of an unreadable event into a database error."""
    return errors.translate_to(code, during, unreadable="database_error")


class KnowledgeEnvelope:
    """The documented error envelope of the knowledge tools."""

    @property
    def properties(self) -> JsonObject:
        """The documented fields; a reply carries `error_type` too."""
        return {"success": {"type": "boolean"}, "error": {"type": "string"}, "message": {"type": "string"}}

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to arguments that break their rules; the first problem gives code and details."""
        first = problems[0]
        details: JsonObject = {"field": first.field or None, "invalid_value": first.value}
        return envelope(_CODES.get(first.kind, "validation_error"), problem_sentences(problems), details)

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised to end its call."""
        return envelope(error.code, error.message, error.details)

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        return envelope("internal_error", deadline_sentence(seconds), {})

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one that is too large to be sent."""
        return envelope("validation_error", f"Ask for less: {too_large_sentence(limit)}", {})

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught."""
        return self.tool_error(errors.uncaught(error, _uncaught_in_store, "internal_error"))


def _uncaught_in_store(error: Exception) -> ToolError:
    if isinstance(error, Unavailable) and not isinstance(error, UnknownOutcome):
        return unavailable("repository", error)
    return failure("database_error", "The call", error)


ENVELOPE = KnowledgeEnvelope()
