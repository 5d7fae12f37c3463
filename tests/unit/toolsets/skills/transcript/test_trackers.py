"""Lines that a tracker writes about a ticket are no part of its messages."""

import pytest

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.trackers import with_plain_headings, without_notification, without_tracker_lines

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


SAID = ("The cards are blank.", "Put in the colour ribbon.", "They are coloured now, thanks!")
ENTRIES = {
    "notes": "Note (Ann Lee, 2026-02-16 07:55): {0}\nNote (Pavel, Service Desk, 2026-02-16 08:10): {1}\n"
    "Note (Ann Lee, 2026-02-16 08:30): {2}",
    "text below": "Comment (Ann, 16.02.2026 07:55)\n{0}\n\nPublic reply (Pavel, 16.02.2026 08:10)\n{1}\n\n"
    "Comment (Ann, 16.02.2026 08:30)\n{2}",
    "dates in bold": "**Reply (Ann, 2026-02-16)**: {0}\n**Reply (Pavel, 2026-02-16)**: {1}\n**Reply (Ann, 2026-02-17)**: {2}",
    "times first": "Update #1 [07:55, Ann]: {0}\nUpdate #2 [08:10, Pavel]: {1}\nUpdate #3 [08:30, Ann]: {2}",
    "German": "Kommentar (Ann, 16.02.2026 07:55): {0}\nAntwort (Pavel, 16.02.2026 08:10): {1}\n"
    "Kommentar (Ann, 16.02.2026 08:30): {2}",
    "description above": "Description: {0}\n\nReply (Pavel, 2026-02-16 08:10):\n{1}\n\nReply (Ann, 2026-02-16 08:30):\n{2}",
}


@pytest.mark.parametrize("form", ENTRIES.values(), ids=ENTRIES.keys())
def test_the_heading_of_an_entry_names_its_author(form: str) -> None:
    turns = read_transcript(form.format(*SAID)).turns
    assert [(turn.role, turn.text) for turn in turns] == list(zip(("customer", "agent", "customer"), SAID, strict=True))


@pytest.mark.parametrize(
    "mark",
    [
        "Internal note (Pavel, 2026-02-16 08:00):",
        "Work note (Pavel, 2026-02-16 08:00):",
        "Pavel (2026-02-16 08:00) [internal note]:",
    ],
)
def test_an_entry_that_the_customer_does_not_see_is_no_answer(mark: str) -> None:
    lines = ["Ann (2026-02-16 07:55):", SAID[0], mark, "Ask Olga.", "Pavel (2026-02-16 08:10):", SAID[1]]
    turns = read_transcript("\n".join([*lines, "Ann (2026-02-16 08:30):", SAID[2]])).turns
    assert [(turn.role, turn.text) for turn in turns] == list(zip(("customer", "agent", "customer"), SAID, strict=True))


def test_who_replies_alone_to_a_description_answers() -> None:
    turns = read_transcript(
        f"Ticket 12\nDescription: {SAID[0]}\n\nPavel (2026-02-16 08:10):\n{SAID[1]}\n\nPavel (2026-02-17):\nok"
    ).turns
    assert [turn.role for turn in turns] == ["other", "customer", "agent"]


def test_one_entry_beside_an_internal_one_has_a_plain_heading() -> None:
    lines = ["Reply (Ann, 2026-02-16): It fails.", GAP]
    assert with_plain_headings(lines) == ["Ann  2026-02-16", "It fails.", GAP]
    assert with_plain_headings(lines[:1]) == lines[:1]


@pytest.mark.parametrize(
    "line", ["Note (see page 4): press it twice.", "Update (version 2.4): new colours.", "Reply (Ann): yes"]
)
def test_a_remark_in_brackets_is_no_heading(line: str) -> None:
    assert with_plain_headings([line, line]) == [line, line]


NOTIFICATION = """##- Please type your reply above this line -##

Your request (#35436) has been updated. Reply to this email or click the link below:
https://acme.zendesk.example/hc/requests/35436

----------------------------------------------

Joe Smith (Acme Support)
Mar 3, 2026, 11:15 GMT

Please open View > Columns and tick "Price".

----------------------------------------------

Linda Moss
Mar 3, 2026, 10:00 GMT

Hello, the export of the article list lacks the prices.

----------------------------------------------

This email is a service from Acme Support. Delivered by Zendesk

[G7Y2WQ-1ABC]
"""


def test_the_mail_of_a_help_desk_about_a_ticket_is_read() -> None:
    assert [(turn.role, turn.speaker, turn.text) for turn in read_transcript(NOTIFICATION).turns] == [
        ("customer", "Linda Moss", "Hello, the export of the article list lacks the prices."),
        ("agent", "Joe Smith (Acme Support)", 'Please open View > Columns and tick "Price".'),
    ]


def test_without_the_mark_of_a_notification_lines_stay() -> None:
    lines = NOTIFICATION.split("\n")[1:]
    assert without_notification(lines) == lines


def test_a_description_may_stand_below_its_label() -> None:
    text = (
        "SUP-812: VPN client\nType: Incident\nPriority: Medium\nReporter: Linda Moss\n\nDescription\nThe VPN asks every hour.\n\n"
        "Joe Smith added a comment - 03/Mar/26 11:15 AM\nUntick the box.\n\n"
        "Linda Moss added a comment - 03/Mar/26 4:15 PM\nNo more prompts, thank you."
    )
    said = [(turn.role, turn.text) for turn in read_transcript(text).turns]
    assert said[1:] == [
        ("customer", "The VPN asks every hour."),
        ("agent", "Untick the box."),
        ("customer", "No more prompts, thank you."),
    ]
    assert [turn.role for turn in read_transcript(text.replace("Description", "Description of it")).turns][1] == "agent"
