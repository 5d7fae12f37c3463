"""Chats with a time and a name in the same columns of each row, whatever separates them."""

import pytest

from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.rows import read_rows

TALK = (
    ("10:11", "Guest 4410", "The card reader shows Offline although the tablet has internet."),
    ("10:14", "Ruth", "Hold the side button for 12 seconds, then pair it again under Devices > Readers."),
    ("10:42", "Guest 4410", "It is online again, thank you"),
)
EXPECTED = [("customer", TALK[0][2]), ("agent", TALK[1][2]), ("customer", TALK[2][2])]
FORMS = (
    "{0} | {1} | {2}",
    "| {0} | {1} | {2} |",
    "2025-03-04 {0}; {1}; {2}",
    "{1} | {0} | {2}",
    "[{0}] {1} - {2}",
    "{1} ({0}) > {2}",
    "{1}, {0} - {2}",
    "04.03.2025 {0} ~ {1} ~ {2}",
    "{0} – {1} – {2}",
    "3 | {0}:07 | {1} | {2}",
    "{1} | {2} | {0}",
    "{0} {1} » {2}",
    "{0} / {1} / {2}",
    "[{1}/{0}] {2}",
    "{1}::{0}::{2}",
)


@pytest.mark.parametrize("form", FORMS)
def test_each_row_is_a_message_of_the_name_in_its_column(form: str) -> None:
    turns = read_transcript("\n".join(form.format(*message) for message in TALK)).turns
    assert [(turn.role, turn.text) for turn in turns] == EXPECTED


def test_a_line_that_is_no_row_continues_the_message_above_it() -> None:
    text = "Chat 88\n" + "\n".join(f"{time} | {name} | {text}\nPlease." for time, name, text in TALK)
    assert [turn.text for turn in read_transcript(text).turns] == [
        "Chat 88",
        *(f"{text}\nPlease." for _, text in EXPECTED),
    ]


LOG = "\n".join(f"10:1{minute} | {name} | oops" for minute, name in enumerate(("kernel", "sshd", "kernel", "sshd")))


def test_a_log_in_a_message_has_no_speakers() -> None:
    turns = read_transcript(f"Customer: It fails:\n{LOG}\nAgent: Restart it.\nCustomer: It works.").turns
    assert [turn.speaker for turn in turns] == ["Customer", "Agent", "Customer"]


@pytest.mark.parametrize(
    "text",
    [
        "The router is slow.\n10:11 Restarted it, no change\n10:20 Updated it, no change\n10:30 It works",
        "10:11 | INFO | started\n10:12 | ERROR | failed\n10:13 | INFO | stopped\n10:14 | ERROR | failed",
    ],
)
def test_words_after_times_that_are_no_names_are_no_speakers(text: str) -> None:
    assert read_rows(text.split("\n")) is None
