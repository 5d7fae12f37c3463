"""Mail headers are read in time linear in the length of the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import pytest

from toolsets.skills.transcript.emails import read_thread
from toolsets.skills.transcript.reader import read_transcript


@dataclass
class _Counted(Sequence[str]):
    """Lines that count how often one is read."""

    lines: Sequence[str]
    reads: int = 0

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        self.reads += 1
        return self.lines[at]


@pytest.mark.parametrize("line", ["From: a", "To: a", "Subject: a", "Sent: a", "**From:** a", "> From: a"])
def test_a_repeated_header_is_read_a_few_times_at_most(line: str) -> None:
    lines = _Counted([line] * 500)
    read_thread(lines)
    assert lines.reads < 10 * len(lines)


QUOTED_HEADERS = """Return-Path: <ann@x.example>
From: Ann Lee <ann@x.example>
Sent: Friday, January 9, 2026 13:20
Subject: RE: Queue

The queue prints again. Thank you!

> -----Original Message-----
> {from_}: Support <s@x.example>
> {sent}: Friday, January 9, 2026 12:41
> {to}: Ann Lee
>
> Hi Ann,
> Empty the spool folder.
>
>> *{from_}:* Ann Lee <ann@x.example>
>> *{sent}:* Friday, January 9, 2026 9:58
>> *{to}:* Support
>>
>> The queue prints nothing."""


@pytest.mark.parametrize(("from_", "sent", "to"), [("From", "Sent", "To"), ("Von", "Gesendet", "An")])
def test_headers_within_a_quote_name_the_author_of_the_quote(from_: str, sent: str, to: str) -> None:
    transcript = read_transcript(QUOTED_HEADERS.format(from_=from_, sent=sent, to=to))
    assert [(turn.speaker, turn.text) for turn in transcript.turns] == [
        ("Ann Lee", "The queue prints nothing."),
        ("Support", "Hi Ann,\nEmpty the spool folder."),
        ("Ann Lee", "The queue prints again. Thank you!"),
    ]


def test_a_quoted_line_that_only_looks_like_a_header_stays() -> None:
    text = "From: Ann <a@x.example>\nDate: 3 May 2026\n\nIt prints:\n\n> To: printer 2\n\nWhy?"
    assert any("To: printer 2" in turn.text for turn in read_transcript(text).turns)


@pytest.mark.parametrize("sender", ["ann@x.example", "users-list", "ann at x.example "])
def test_the_lines_between_the_mails_of_an_archive_are_no_text(sender: str) -> None:
    mails = [
        ("Ann <ann@x.example>", "Mon, 2 Mar 2026 09:14:33 +0000", "The mill jams."),
        ("Bo <bo@y.example>", "Tue, 3 Mar 2026 10:00:01 +0000", "Brush the chute."),
        ("Ann <ann@x.example>", "Tue, 3 Mar 2026 12:30:00 +0000", "It runs, thanks!"),
    ]
    text = "\n".join(
        f"From {sender} Mon Mar  2 09:14:33 2026\nFrom: {name}\nDate: {date}\nSubject: Mill\n\n{said}\n"
        for name, date, said in mails
    )
    assert [turn.text for turn in read_transcript(text).turns] == [said for _, _, said in mails]


ASKED, ANSWERED, THANKED = "The scanner sends nothing.", "Please tick SMBv3.", "Now the scans arrive, thank you!"
MAILS = (("Ann", ASKED), ("Bo", ANSWERED), ("Ann", THANKED))


def mails(dates: Sequence[str], *, label: str = "Date", newest_first: bool = False, between: str = "") -> str:
    texts = [
        f"{between}From: {name} <{name.lower()}@x.example>\n{label}: {date}\nTo: x@y.example\nSubject: Scanner\n\n{said}\n"
        for (name, said), date in zip(MAILS, dates, strict=True)
    ]
    return "\n".join(texts[::-1] if newest_first else texts)


def said_in(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(text).turns if turn.role != "other"]


IN_ORDER = [("customer", ASKED), ("agent", ANSWERED), ("customer", THANKED)]


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("label", ["Sent", "Date"])
@pytest.mark.parametrize(
    "dates",
    [
        ("Tuesday, March 3, 2026 9:40 AM", "Tuesday, March 3, 2026 2:02 PM", "Tuesday, March 3, 2026 4:10 PM"),
        ("Tuesday, March 3, 2026 12:10 AM", "Tuesday, March 3, 2026 8:02 AM", "Tuesday, March 3, 2026 12:05 PM"),
        ("Tuesday, 3 March 2026 11:40 a.m.", "Tuesday, 3 March 2026 1:02 p.m.", "Tuesday, 3 March 2026 2:10 p.m."),
        ("Tue, Mar 3, 2026 at 9:40 AM", "Tue, Mar 3, 2026 at 2:02 PM", "Tue, Mar 3, 2026 at 4:10 PM"),
        ("Tuesday, March 3, 2026 09:40", "Tuesday, March 3, 2026 14:02", "Tuesday, March 3, 2026 16:10"),
        ("Tue, 3 Mar 2026 09:40:00 -0800", "Tue, 3 Mar 2026 18:02:00 +0000", "Tue, 3 Mar 2026 11:10:00 -0800"),
    ],
    ids=["12 hours", "midnight and noon", "with points", "Gmail", "24 hours", "zones"],
)
def test_mails_are_in_the_order_of_their_dates(dates: Sequence[str], label: str, newest_first: bool) -> None:
    assert said_in(mails(dates, label=label, newest_first=newest_first)) == IN_ORDER


DATES = ("Tue, 3 Mar 2026 09:40:00 +0000", "Tue, 3 Mar 2026 14:02:00 +0000", "Tue, 3 Mar 2026 16:10:00 +0000")


@pytest.mark.parametrize(
    "above",
    ["Ticket 4711, exported from the archive on 4 March.", "Thread with 3 messages", "Hi, please file this thread."],
)
def test_a_text_above_mails_is_no_message_and_does_not_change_their_order(above: str) -> None:
    transcript = read_transcript(f"{above}\n\n{mails(DATES)}")
    assert [turn.text for turn in transcript.by("other")] == [above]
    assert said_in(f"{above}\n\n{mails(DATES)}") == IN_ORDER


def test_a_reply_above_older_mails_stays_the_newest_message() -> None:
    below = mails((*DATES[:2], DATES[2]), label="Sent", newest_first=True)
    assert said_in(f"Glad to hear that.\n\n{below}") == [*IN_ORDER, ("agent", "Glad to hear that.")]
    one = f"From: Bo <bo@x.example>\nSent: {DATES[1]}\n\n{ANSWERED}\n\nFrom: Ann <a@x.example>\nSent: {DATES[0]}\n\n{ASKED}"
    assert said_in(f"{THANKED}\n\n{one}") == IN_ORDER


def test_mails_of_one_day_without_a_time_keep_their_order_unless_they_are_separated() -> None:
    day = ("3 March 2026",) * 3
    assert said_in(mails(day)) == IN_ORDER
    assert said_in(mails(day, label="Sent", newest_first=True)) == IN_ORDER


def test_the_page_of_a_bug_with_its_mails_is_read() -> None:
    page = "Debian Bug report logs - #740503\ncups: empty pages\n\nReported by: Ann <ann@x.example>\nDate: Mon, 3 Mar 2026\n\n"
    received = "Message #5 received at 740503@bugs.example (full text, mbox, reply):\n\n"
    assert said_in(page + mails(DATES, between=received)) == IN_ORDER
    system = mails(DATES, between=received).replace(ASKED, f"{ASKED}\n\n-- System Information:\nDebian Release: 9.0")
    assert said_in(page + system) == IN_ORDER
