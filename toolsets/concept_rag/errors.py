"""Errors of the concept_rag toolset: the documented envelope, its codes, and the code of each failure."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from backends.ports.errors import StoreError
from backends.ports.values import Json, JsonObject, Micros
from toolsets.clock import iso_millis
from toolsets.replies import deadline_sentence, problem_sentences, shown_details, too_large_sentence
from toolsets.sourcing import errors
from toolsets.sourcing.errors import Translation
from toolsets.spec import Problem, Reply, ToolError

Code: TypeAlias = Literal["VALIDATION_ERROR", "RECORD_NOT_FOUND", "CONCEPT_NOT_FOUND", "DATABASE_ERROR", "SEARCH_ERROR"]

_TYPES: Final[dict[str, str]] = {
    "VALIDATION_ERROR": "ValidationError",
    "RECORD_NOT_FOUND": "RecordNotFoundError",
    "CONCEPT_NOT_FOUND": "ConceptNotFoundError",
    "DATABASE_ERROR": "DatabaseError",
    "SEARCH_ERROR": "SearchError",
}
"""The error class of each code."""

_NOT_FOUND: Final[dict[str, str]] = {
    "document": "There is no such document; use catalog_search to find documents and their ids",
    "category": "There is no such category; use list_categories to list them",
}


def not_found(kind: Literal["document", "category"], field: str, value: Json) -> ToolError:
    """Return the error for a call that names a document or a category that does not exist."""
    return ToolError("RECORD_NOT_FOUND", _NOT_FOUND[kind], field=field, value=value)


def concept_not_found(concept: str, nearest: Sequence[str] = ()) -> ToolError:
    """Return the error for a call that names a concept that the library does not have, even under a similar name.

    `nearest` are concepts that the caller may have meant; if any, the context lists them.
    """
    context: JsonObject = {"nearest": [*nearest]} if nearest else {}
    sentence = (
        "This is not among the library's concepts; use broad_chunks_search to find passages that contain its words"
    )
    return ToolError("CONCEPT_NOT_FOUND", sentence, field="concept", value=concept, **context)


def failure(code: Code, during: str, error: Exception) -> ToolError:
    """Return the error for a call whose store failed; its context has the `StoreError` code and whether to retry."""
    context: JsonObject = {"cause": error.code, "retryable": error.retryable} if isinstance(error, StoreError) else {}
    return errors.failure(code, during, error, **context)


def translate_to(code: Code, during: str) -> Translation:
    """Return the translation of a store's failure into `code`, and of an unreadable event into a database error."""
    return lambda error: failure(code if isinstance(error, StoreError) else "DATABASE_ERROR", during, error)


class ConceptRagEnvelope:
    """The documented error envelope of the concept_rag tools."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        """`now` stamps the replies."""
        self._now = now

    @property
    def properties(self) -> JsonObject:
        """The documented fields."""
        texts: JsonObject = {name: {"type": "string"} for name in ("code", "message", "field", "type")}
        return {
            "error": {
                "type": "object",
                "properties": {**texts, "context": {"type": "object"}},
                "required": ["code", "message", "field", "type", "context"],
            },
            "timestamp": {"type": "string"},
        }

    def invalid_arguments(self, problems: Sequence[Problem]) -> Reply:
        """Return the reply to invalid arguments; field and value are those of the first problem."""
        first = problems[0]
        return self._reply("VALIDATION_ERROR", problem_sentences(problems), first.field, {"value": first.value})

    def tool_error(self, error: ToolError) -> Reply:
        """Return the reply to an error that a handler raised."""
        context = {name: value for name, value in error.details.items() if name != "field"}
        return self._reply(error.code, error.message, str(error.details.get("field", "")), context)

    def timed_out(self, seconds: float) -> Reply:
        """Return the reply to a call that passed its deadline."""
        return self._reply("SEARCH_ERROR", deadline_sentence(seconds), "", {"seconds": seconds})

    def too_large(self, limit: int) -> Reply:
        """Return the reply in place of one that is too large to send."""
        return self._reply("VALIDATION_ERROR", f"Ask for less: {too_large_sentence(limit)}", "", {})

    def failed(self, error: Exception) -> Reply:
        """Return the reply to an error that no handler caught."""
        return self.tool_error(errors.uncaught(error, translate_to("DATABASE_ERROR", "The call"), "SEARCH_ERROR"))

    def _reply(self, code: str, message: str, field: str, context: JsonObject) -> Reply:
        """Return the envelope, without context values that are None or cannot be written as JSON."""
        error: JsonObject = {
            "code": code,
            "message": message,
            "field": field,
            "type": _TYPES[code],
            "context": shown_details(context),
        }
        return Reply({"error": error, "timestamp": iso_millis(self._now())}, is_error=True)
