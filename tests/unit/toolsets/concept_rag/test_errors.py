"""The error envelope: the documented members, always all of them, and never the text of a store's error."""

import pytest

from backends.ports.errors import InvalidInput, Unavailable
from backends.ports.values import Json, JsonObject, Micros
from toolsets.concept_rag.errors import ConceptRagEnvelope, concept_not_found, failure, not_found
from toolsets.spec import Problem, Reply, ToolError

NOW = Micros(1_764_547_200_000_000)


@pytest.fixture
def envelope() -> ConceptRagEnvelope:
    return ConceptRagEnvelope(lambda: NOW)


def error_of(reply: Reply) -> JsonObject:
    assert reply.is_error
    assert set(reply.structured) == {"error", "timestamp"}
    assert reply.structured["timestamp"] == "2025-12-01T00:00:00.000Z"
    error = reply.structured["error"]
    assert isinstance(error, dict)
    assert list(error) == ["code", "message", "field", "type", "context"]
    return error


@pytest.mark.parametrize(
    ("raised", "code", "kind", "field"),
    [
        (not_found("document", "catalog_id", 5), "RECORD_NOT_FOUND", "RecordNotFoundError", "catalog_id"),
        (not_found("category", "category", "x"), "RECORD_NOT_FOUND", "RecordNotFoundError", "category"),
        (concept_not_found("x"), "CONCEPT_NOT_FOUND", "ConceptNotFoundError", "concept"),
        (failure("DATABASE_ERROR", "Reading", Unavailable("/secret")), "DATABASE_ERROR", "DatabaseError", ""),
        (failure("SEARCH_ERROR", "Searching", InvalidInput("/secret")), "SEARCH_ERROR", "SearchError", ""),
    ],
)
def test_every_code_has_its_class_and_names_the_argument(
    envelope: ConceptRagEnvelope, raised: ToolError, code: str, kind: str, field: str
) -> None:
    error = error_of(envelope.tool_error(raised))
    assert (error["code"], error["type"], error["field"]) == (code, kind, field)
    assert error["message"]
    assert "/secret" not in str(error)


def test_bad_arguments_name_the_first_problem(envelope: ConceptRagEnvelope) -> None:
    problems = [
        Problem("breach", "limit", "limit should be less than 5", 9),
        Problem("missing", "text", "text is required"),
    ]
    error = error_of(envelope.invalid_arguments(problems))
    assert (error["code"], error["field"], error["context"]) == ("VALIDATION_ERROR", "limit", {"value": 9})
    assert error["message"] == "limit should be less than 5; text is required"


@pytest.mark.parametrize(("value", "context"), [(None, {}), (float("nan"), {}), ("x" * 999, {"value": "x" * 200})])
def test_a_value_is_shown_short_or_not_at_all(envelope: ConceptRagEnvelope, value: Json, context: JsonObject) -> None:
    error = error_of(envelope.invalid_arguments([Problem("breach", "text", "text is wrong", value)]))
    assert error["context"] == context


def test_what_goes_wrong_around_a_handler_has_a_code_too(envelope: ConceptRagEnvelope) -> None:
    assert error_of(envelope.timed_out(30))["code"] == "SEARCH_ERROR"
    assert error_of(envelope.too_large(8_000_000))["code"] == "VALIDATION_ERROR"
    assert error_of(envelope.failed(Unavailable("/secret")))["code"] == "DATABASE_ERROR"
    unforeseen = error_of(envelope.failed(RuntimeError("/secret")))
    assert unforeseen["code"] == "SEARCH_ERROR"
    assert "/secret" not in str(unforeseen)
