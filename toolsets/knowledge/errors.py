"""How the knowledge toolset says no: the error envelope, its codes, and what each failure becomes."""

import logging
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Literal, TypeAlias

from backends.ports.errors import StoreError, Unavailable
from backends.ports.values import Json, JsonObject
from toolsets.knowledge.concept import NameTaken, UnknownConcept
from toolsets.knowledge.relationship import AlreadyLinked, NotLinked
from toolsets.knowledge.streams import relationship_id
from toolsets.parsing import Problem
from toolsets.reply import Refused, shown
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.spec import Reply

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
_MAX_SENTENCES = 3


def envelope(code: Code, message: str, **details: Json) -> Reply:
    """Return the error envelope; details that are None or cannot be written as JSON are left out."""
    body: dict[str, Json] = {"success": False, "error": code, "error_type": code, "message": message}
    kept: dict[str, Json] = {}
    for name, value in details.items():
        try:
            value_shown = shown(value)
        except ValueError:
            continue
        if value_shown is not None:
            kept[name] = value_shown
    return Reply({**body, "details": kept} if kept else body, is_error=True)


def refusal(code: Code, message: str, **details: Json) -> Refused:
    """Return an exception that ends the call with the error envelope."""
    return Refused(envelope(code, message, **details))


def unavailable(service: str, error: Exception) -> Refused:
    """Return the refusal of a call whose service is down."""
    _logger.warning("%s is not available: %s", service, error)
    message = "Required service not initialized. MCP server may still be starting up."
    return refusal("service_unavailable", f"{message} ({service} not initialized)")


def failure(code: Code, during: str, error: Exception) -> Refused:
    """Return the refusal of a call whose store failed: what went wrong is for the log, it may name files and hosts."""
    _logger.warning("%s failed: %s", during, error)
    kind = f" ({error.code})" if isinstance(error, StoreError) else ""
    return refusal(code, f"{during} failed{kind}; the server's log says more")


def unknown_concept(concept_id: str, field: str = "concept_id") -> Refused:
    """Return the refusal of an id that no live concept has."""
    return refusal("concept_not_found", f"No concept has the id {concept_id:.100}", field=field, resource_id=concept_id)


@contextmanager
def failing_as(code: Code, during: str) -> Generator[None]:
    """Turn a store's failure inside the block into `code`, and an event that cannot be read into a database error."""
    try:
        yield
    except StoreError as error:
        raise failure(code, during, error) from error
    except UnreadableEvent as error:
        raise failure("database_error", during, error) from error


@contextmanager
def domain_refusals(arguments: Mapping[str, str] | None = None) -> Generator[None]:
    """Word what the pure part refuses; `arguments` says which argument an id came from, where it is not `concept_id`."""
    try:
        yield
    except UnknownConcept as error:
        raise unknown_concept(error.concept_id, (arguments or {}).get(error.concept_id, "concept_id")) from None
    except NameTaken as taken:
        raise refusal(
            "validation_error",
            f"A concept with this name, area and topic exists already: {taken.holder}",
            field="name",
            resource_id=taken.holder,
        ) from None
    except AlreadyLinked as error:
        raise refusal(
            "validation_error",
            "This relationship exists already",
            field="relationship_type",
            resource_id=relationship_id(str(error)),
        ) from None
    except NotLinked as error:
        raise refusal(
            "relationship_not_found",
            "There is no relationship of this type between these concepts",
            resource_id=relationship_id(str(error)),
        ) from None


class KnowledgeEnvelope:
    """The toolset's words for failures around a handler."""

    properties: ClassVar[JsonObject] = {
        "success": {"type": "boolean"},
        "error": {"type": "string"},
        "message": {"type": "string"},
    }
    """What an error reply has by contract; it carries `error_type` too."""

    def refused(self, problems: Sequence[Problem]) -> Reply:
        """Word arguments that break their rules: the first problem gives code and details, the message names up to three."""
        first = problems[0]
        message = "; ".join(problem.sentence for problem in problems[:_MAX_SENTENCES])
        return envelope(
            _CODES.get(first.kind, "validation_error"), message, field=first.field or None, invalid_value=first.value
        )

    def timed_out(self, seconds: float) -> Reply:
        """Word a call that passed its deadline."""
        return envelope(
            "internal_error",
            f"The call took longer than {seconds:g} seconds; read what is there to see whether it was done",
        )

    def failed(self, error: Exception) -> Reply:
        """Word an error that no handler caught."""
        match error:
            case Refused():
                return error.reply
            case Unavailable():
                return unavailable("repository", error).reply
            case StoreError():
                return failure("database_error", "The call", error).reply
            case _:
                return envelope("internal_error", "Something unforeseen went wrong; the server's log says more")


ENVELOPE = KnowledgeEnvelope()
