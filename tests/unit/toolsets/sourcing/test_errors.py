"""What stores raise in a call becomes the error of its tool; anything else passes."""

from collections.abc import Callable

import pytest

from backends.ports.errors import Conflict, Unavailable
from backends.ports.values import Json, Micros
from toolsets.agent_graph.errors import GraphEnvelope
from toolsets.concept_rag.errors import ConceptRagEnvelope
from toolsets.knowledge.errors import KnowledgeEnvelope
from toolsets.memory.errors import ENVELOPE as MEMORY_ENVELOPE
from toolsets.replies import UNFORESEEN
from toolsets.skills.errors import ENVELOPE as SKILLS_ENVELOPE
from toolsets.skills.errors import failure as skills_failure
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.commit import UnknownOutcome
from toolsets.sourcing.errors import failure, store_errors, uncaught
from toolsets.spec import Reply, ToolError


def translate(error: Exception) -> ToolError:
    return failure("database_error", "Writing", error)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Unavailable("bolt://host:7687 does not answer"), "Writing failed (unavailable); see the server's log"),
        (
            Conflict("the stream a is at version 3"),
            "Writing failed: other calls changed the same data at the same time; nothing was written, so try again",
        ),
        (UnreadableEvent("a.b is not known"), "Writing failed; see the server's log"),
    ],
)
def test_an_error_of_a_store_is_reported_without_the_stores_own_text(error: Exception, sentence: str) -> None:
    with pytest.raises(ToolError) as caught, store_errors(translate):
        raise error
    assert (caught.value.code, caught.value.message) == ("database_error", sentence)
    assert caught.value.__cause__ is error


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(LookupError), store_errors(translate):
        raise LookupError("nothing")


def test_details_that_describe_the_error_replace_its_code_in_the_message() -> None:
    error = failure("DATABASE_ERROR", "Writing", Unavailable("down"), cause="unavailable")
    assert error.message == "Writing failed; see the server's log"
    assert error.details == {"cause": "unavailable"}


UNKNOWN: list[tuple[Callable[[], ToolError | Reply], str, str]] = [
    (lambda: failure("database_error", "Writing", UnknownOutcome("lost")), "database_error", "Writing failed: the "),
    (lambda: skills_failure("event log", UnknownOutcome("lost")), "store_unavailable", "The "),
    (
        lambda: GraphEnvelope("kg_get_entity", {"entity": None}).failed(UnknownOutcome("lost")),
        "Service unavailable",
        "Service unavailable: the call failed: the ",
    ),
    (lambda: KnowledgeEnvelope().failed(UnknownOutcome("lost")), "database_error", "The call failed: the "),
]


@pytest.mark.parametrize(("worded", "code", "beginning"), UNKNOWN)
def test_a_write_whose_outcome_is_unknown_is_not_reported_as_failed_for_certain(
    worded: Callable[[], ToolError | Reply], code: str, beginning: str
) -> None:
    error = worded()
    sentence = (
        f"{beginning}event log did not answer; the change may have been recorded, so check before you repeat the call"
    )
    if isinstance(error, Reply):
        assert (error.structured["error"], error.structured["message"]) == (code, sentence)
    else:
        assert (error.code, error.message) == (code, sentence)


def test_only_errors_of_stores_and_events_are_translated_where_no_handler_caught_them() -> None:
    assert uncaught(Unavailable("down"), translate, "internal_error").code == "database_error"
    assert uncaught(UnreadableEvent("x"), translate, "internal_error").code == "database_error"
    unforeseen = uncaught(KeyError("secret"), translate, "internal_error")
    assert (unforeseen.code, unforeseen.message) == ("internal_error", UNFORESEEN)


SEE_THE_LOG = "see the server's log"
UNREADABLE: list[tuple[Callable[[Exception], Reply], dict[str, Json]]] = [
    (
        GraphEnvelope("kg_get_entity", {"entity": None}).failed,
        {
            "success": False,
            "entity": None,
            "error": "Storage failed",
            "message": f"Storage failed: the call failed; {SEE_THE_LOG}",
        },
    ),
    (
        ConceptRagEnvelope(lambda: Micros(0)).failed,
        {
            "error": {
                "code": "DATABASE_ERROR",
                "message": f"The call failed; {SEE_THE_LOG}",
                "field": "",
                "type": "DatabaseError",
                "context": {},
            },
            "timestamp": "1970-01-01T00:00:00.000Z",
        },
    ),
    (
        KnowledgeEnvelope().failed,
        {
            "success": False,
            "error": "database_error",
            "error_type": "database_error",
            "message": f"The call failed; {SEE_THE_LOG}",
        },
    ),
    (MEMORY_ENVELOPE.failed, {"status": "error", "message": f"The call failed; {SEE_THE_LOG}"}),
    (
        SKILLS_ENVELOPE.failed,
        {"error": "store_failed", "detail": f"The event log has data that cannot be read; {SEE_THE_LOG}"},
    ),
]


@pytest.mark.parametrize(("failed", "body"), UNREADABLE)
def test_every_envelope_reports_an_unreadable_event_as_a_failed_store(
    failed: Callable[[Exception], Reply], body: dict[str, Json]
) -> None:
    reply = failed(UnreadableEvent("a.b of c/d has schema 2; this version reads 1"))
    assert (reply.is_error, reply.structured) == (True, body)
