"""Every failure of a tool is the documented envelope with the tool's empty payload."""

import pytest

from backends.ports.errors import Conflict, Unavailable
from toolsets.agent_graph.errors import GraphEnvelope, tool_error
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.spec import Problem, Reply, ToolError

ENVELOPE = GraphEnvelope("kg_get_entity", {"entity": None})
MERGE = GraphEnvelope("kg_merge_entities", {"result": None})


def test_the_message_begins_with_the_error() -> None:
    assert ENVELOPE.reply("Timed out", "after 5 s").structured == {
        "success": False,
        "entity": None,
        "message": "Timed out: after 5 s",
        "error": "Timed out",
    }
    assert ENVELOPE.reply("Timed out").structured["message"] == "Timed out"
    assert ENVELOPE.reply("Timed out", "Timed out").structured["message"] == "Timed out"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (ENVELOPE.invalid_arguments([Problem("missing", "entityId", "entityId is missing")]), "Invalid arguments"),
        (ENVELOPE.tool_error(tool_error("channelId is required")), "channelId is required"),
        (ENVELOPE.timed_out(5.0), "Timed out"),
        (ENVELOPE.too_large(8_000_000), "Invalid arguments"),
        (ENVELOPE.failed(Unavailable("bolt://h is down")), "Service unavailable"),
        (ENVELOPE.failed(Conflict("rev 3 of x")), "Storage failed"),
        (ENVELOPE.failed(UnreadableEvent("x")), "Storage failed"),
        (ENVELOPE.failed(KeyError("secret")), "Internal error"),
    ],
)
def test_each_failure_has_its_error(reply: Reply, error: str) -> None:
    assert reply.is_error
    assert (reply.structured["error"], reply.structured["entity"]) == (error, None)
    message = str(reply.structured["message"])
    assert message.startswith(error)
    assert not any(hidden in message for hidden in ("bolt", "secret", "rev 3"))


@pytest.mark.parametrize(
    "error", [tool_error("Entity not found", "ent_1"), tool_error("Merge failed", "ent_1 is both")]
)
def test_a_failed_merge_has_its_own_result(error: ToolError) -> None:
    reply = MERGE.tool_error(error)
    assert reply.structured["error"] == "Merge failed"
    assert reply.structured["result"] == {
        "success": False,
        "mergedEntity": None,
        "relationshipsTransferred": 0,
        "aliasesMerged": [],
        "error": "Merge failed",
    }
