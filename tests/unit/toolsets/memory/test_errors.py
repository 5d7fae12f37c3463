"""Every failure of a tool is the documented envelope."""

import pytest

from backends.ports.errors import Unavailable
from toolsets.memory.errors import ENVELOPE, envelope, tool_error, translate
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.errors import store_errors
from toolsets.spec import Problem, Reply, ToolError

SEE_THE_LOG = "see the server's log"


def test_details_are_left_out_if_there_are_none() -> None:
    assert envelope("It failed").structured == {"status": "error", "message": "It failed"}
    assert envelope("It failed", {}).structured == {"status": "error", "message": "It failed"}
    assert envelope("It failed", {"missing": ["a"]}).structured["details"] == {"missing": ["a"]}


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            ENVELOPE.invalid_arguments([Problem("missing", "name", "name is missing")]),
            "Invalid parameter: name is missing",
        ),
        (ENVELOPE.tool_error(tool_error("Database 'x' not found")), "Database 'x' not found"),
        (ENVELOPE.failed(Unavailable("bolt://h is down")), f"The call failed (unavailable); {SEE_THE_LOG}"),
        (ENVELOPE.failed(UnreadableEvent("x")), f"The call failed; {SEE_THE_LOG}"),
    ],
)
def test_each_failure_has_its_message(reply: Reply, message: str) -> None:
    assert (reply.is_error, reply.structured["status"], reply.structured["message"]) == (True, "error", message)


@pytest.mark.parametrize(
    "reply", [ENVELOPE.timed_out(5.0), ENVELOPE.too_large(8_000_000), ENVELOPE.failed(KeyError("secret"))]
)
def test_other_failures_say_nothing_of_the_inside(reply: Reply) -> None:
    assert (reply.is_error, set(reply.structured)) == (True, {"status", "message"})
    assert "secret" not in str(reply.structured)


def test_a_store_that_fails_is_worded_by_what_it_was_asked() -> None:
    with pytest.raises(ToolError) as caught, store_errors(translate("Reading the graph")):
        raise Unavailable("bolt://h is down")
    assert caught.value.message == f"Reading the graph failed (unavailable); {SEE_THE_LOG}"
