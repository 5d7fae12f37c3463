"""Lines that a tracker writes about a ticket are no part of its messages."""

import pytest

from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.trackers import without_tracker_lines

CHANGES = [
    "Status: Open -> Escalated (2025-02-11 11:52)",
    "State: New → In progress",
    "**Priority:** P3 => P2 (Mona, 11.02.2025 08:31)",
    "Status changed from New to Open by Mona",
    "Hans Ott changed the status to Waiting for customer",
    "[2025-02-11 08:40] Assigned to Hans Ott",
    "Ticket reassigned to group Printers",
    "Ticket closed by Mona Berg",
    "CSAT survey sent.",
]


@pytest.mark.parametrize("line", CHANGES)
def test_a_change_of_a_field_is_left_out(line: str) -> None:
    assert without_tracker_lines(["It fails.", "", line, ""]) == ["It fails.", "", ""]


def test_the_fields_above_the_first_message_are_left_out() -> None:
    top = "Case #88\nRequester: ann@example.com\nUrgency: Low\nQueue: Printers\nStatus: New -> Open (2025-02-11 08:20)\n\n"
    text = f"{top}2025-02-11 08:17  Requester\nIt fails.\n\n2025-02-11 09:05  Support (Hans)\nRestart it."
    said = read_transcript(text).text
    assert not any(word in said for word in ("Urgency", "Queue", "Status"))
    assert "It fails." in said


def test_the_title_above_the_fields_is_kept() -> None:
    lines = ["TICKET #5512 - Badge reader beeps red", "Ticket: 5512", "Status: New", "Priority: 2", "", "It beeps."]
    assert without_tracker_lines(lines) == [lines[0], "", "It beeps."]


MESSAGES = [
    "Customer: The panel shows\nStatus: offline\nPriority: none\nAgent: Restart it.",
    "Set the status to Active.",
    "Agent: Set this:\nPriority: High\nState: active",
    "The case was closed by accident.",
    "Issue solved.",
    "Mode: Auto -> Manual",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_the_words_of_people_are_kept(text: str) -> None:
    lines = text.split("\n")
    assert without_tracker_lines(lines) == lines
