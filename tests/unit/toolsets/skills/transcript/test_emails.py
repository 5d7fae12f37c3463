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
