"""Reads a support conversation in any form: chat, e-mail thread, table, JSON, HTML, Markdown or plain text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, TypeVar

from toolsets.skills.transcript.captions import without_times
from toolsets.skills.transcript.chat_lines import GAP, read_chat
from toolsets.skills.transcript.emails import read_thread
from toolsets.skills.transcript.internal_entries import without_internal_entries
from toolsets.skills.transcript.letters import read_letters
from toolsets.skills.transcript.mail_sources import decoded
from toolsets.skills.transcript.message_order import oldest_first
from toolsets.skills.transcript.model import MAX_TRANSCRIPT_BYTES, Role, Transcript, TranscriptTooLong, Turn
from toolsets.skills.transcript.named_posts import read_named_posts
from toolsets.skills.transcript.notices import public, without_internal_notes, without_notice, without_tagged_notes
from toolsets.skills.transcript.posts import read_posts
from toolsets.skills.transcript.question_copies import read_question_copy
from toolsets.skills.transcript.question_pages import read_question_page
from toolsets.skills.transcript.reddit_copies import with_reddit_heads
from toolsets.skills.transcript.rows import read_rows
from toolsets.skills.transcript.speakers import Utterance, roles
from toolsets.skills.transcript.tables import messages_in
from toolsets.skills.transcript.trackers import (
    is_field,
    is_number,
    with_plain_headings,
    without_notification,
    without_tracker_lines,
)
from toolsets.skills.transcript.unread import has_unread_speakers
from toolsets.skills.transcript.web_pages import without_tags
from toolsets.skills.transcript.words import any_of

READ_FIRST: Final = 15_000
READ_LAST: Final = 40_000
"""The characters that are read; a longer conversation has its problem at the beginning and its resolution at the end."""
LINES_FIRST: Final = 600
LINES_LAST: Final = 1_500
"""The lines or messages that are read; each takes as long as some dozen characters."""
_QUESTION_AND_ANSWER = re.compile(r"(?m)^(Q\d{0,3}[:.] [^\n]{3,1000}?[?.!]) (A\d{0,3}[:.] (?=\S))")
"""Question and answer on one line."""
_BEFORE_LABEL: Final = r"(?i)[ \t>#*_`-]{0,8}"
_AFTER_LABEL: Final = r"[ \t*_`]{0,6}:[ \t*_`\"“]{0,6}"
"""What Markdown puts around the label of a heading."""
_SUBJECT = re.compile(rf"{_BEFORE_LABEL}{any_of('subject')}{_AFTER_LABEL}(\S.{{0,300}})")
_SUMMARY = re.compile(rf"{_BEFORE_LABEL}{any_of('summary')}{_AFTER_LABEL}(\S+(?:[ \t]+\S+){{2,20}})\s*")
"""What trackers and forums call a subject: some words, not the number of a ticket or a paragraph."""
_PLACE = re.compile(rf"{_BEFORE_LABEL}{any_of('place')}{_AFTER_LABEL}\S.{{0,100}}")
"""A line above a heading that says where a post is."""
_MOST_ABOVE: Final = 8
"""Lines; farther down such a line belongs to what somebody says."""
_SUBJECT_NOISE = re.compile(
    r"(?i)^(?:\s*(?:re|fwd?|aw|wg|antw|sv|tr)\s?(?:\[\d+\])?:|\s*\[[^\[\]]{1,60}\]|\s*(?:ticket|case"
    r"|request) ?#?\d+:?)+\s*"
)


ItemT = TypeVar("ItemT")


def read_transcript(text: str) -> Transcript:
    """Return the turns of a conversation, oldest first; a text without speakers is one turn of the role `other`.

    Successive texts of one speaker are one turn; blank ones are left out. If a text has more than `READ_FIRST` plus
    `READ_LAST` characters, or `LINES_FIRST` plus `LINES_LAST` lines, only the first and the last ones are read. Raises
    `TranscriptTooLong` and `UnreadableTranscript`.
    """
    if len(text.encode(errors="replace")) > MAX_TRANSCRIPT_BYTES:
        raise TranscriptTooLong(f"a conversation must not be longer than {MAX_TRANSCRIPT_BYTES} bytes of UTF-8")
    text = visible(text)
    if isinstance(found := messages_in(text), list):
        return _transcript(_ends_of(found), None)
    text = visible(decoded(without_times(text if found is None else found)))
    text = _QUESTION_AND_ANSWER.sub(r"\1\n\2", without_tags(text))
    text = without_tagged_notes(_ends(text.replace("\r\n", "\n").replace("\r", "\n")))
    lines = without_notification(_first_and_last(text.split("\n"), [GAP]))
    lines = with_plain_headings(without_tracker_lines(without_internal_entries(lines)))
    subject = next((match[1] for line in lines[:20] if (match := _SUBJECT.fullmatch(line[:400])) is not None), None)
    rest = [line for line in lines if subject is None or not _has_subject(line, subject)]
    if subject is None and (at := _summary_at(lines)) is not None and (match := _SUMMARY.fullmatch(lines[at])):
        subject, rest = match[1], [*lines[:at], *lines[at + 1 :]]
    subject = None if subject is None else _unmarked(subject)
    rest = with_reddit_heads(rest)
    posts = read_question_page(rest) or read_question_copy(rest)
    if (posts := read_posts(rest) if posts is None else posts) is not None:
        return _transcript(posts, subject)
    if (thread := read_thread([line for line in lines if line != GAP])) is not None:
        return _transcript(_with_most_people(thread.said, rest), thread.subject or subject)
    said = read_chat(rest)
    if said is None or has_unread_speakers(said):
        said = read_rows(rest) or said
    if said is None:
        said = [Utterance(None, "\n".join(line for line in rest if line != GAP), "other")]
    return _transcript(_with_most_people(said, rest), subject)


def _with_most_people(said: list[Utterance], lines: Sequence[str]) -> list[Utterance]:
    """Return the utterances, or if fewer than two people say them, the posts or mails of two people whose heads are weaker."""
    people = {each.speaker for each in said if each.speaker is not None and each.text.strip()}
    if "agent" not in people:
        # So is the text below "Issue 7:".
        people.discard("customer")
    if len(people) > 1:
        return said
    return read_named_posts(lines) or read_letters(lines) or said


def _has_subject(line: str, subject: str) -> bool:
    """Return whether a line repeats the subject, perhaps as that of a reply."""
    match = _SUBJECT.fullmatch(line[:400])
    return match is not None and _SUBJECT_NOISE.sub("", match[1]) == _SUBJECT_NOISE.sub("", subject)


def _unmarked(subject: str) -> str:
    """Return a subject without the marks of bold type, code or a quotation that are left open or closed at its ends."""
    subject = subject.strip().strip("*_`").strip()
    if subject.count('"') % 2:
        subject = subject.strip('"')
    return subject if "“" in subject else subject.removesuffix("”")


def _summary_at(lines: Sequence[str]) -> int | None:
    """Return the position of the line with a ticket's summary; above it are only headings and fields."""
    for at, line in enumerate(lines[:_MOST_ABOVE]):
        if _SUMMARY.fullmatch(line[:200]) is not None:
            return at
        other = not is_field(line) and not is_number(line) and _PLACE.fullmatch(line[:200]) is None
        if ": " in line and other:
            return None
    return None


def visible(text: str) -> str:
    """Return a text without control characters, marks of direction and blanks without width."""
    return _TERMINAL.sub("", text).translate(_INVISIBLE)


_TERMINAL = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
"""The sequences by which programs colour the text of a terminal."""
_INVISIBLE: Final = {
    **dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {0x09, 0x0A, 0x0D}),
    **dict.fromkeys((0xAD, 0x61C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF)),
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
}


def _ends(text: str) -> str:
    """Return the part of a text that is read, with a line `GAP` for the omitted part."""
    if len(text) <= READ_FIRST + READ_LAST:
        return text
    return f"{_beginning(text, READ_FIRST)}\n{GAP}\n{_end(text, READ_LAST)}"


def _ends_of(said: Sequence[Utterance]) -> list[Utterance]:
    """Return the messages that are read: the first and the last ones."""
    said = _first_and_last(said, ())
    if sum(len(each.text) for each in said) <= READ_FIRST + READ_LAST:
        return list(said)
    last = list(_within(reversed(said), READ_LAST, _end))
    return [*_within(said, READ_FIRST, _beginning), *reversed(last)]


def _first_and_last(items: Sequence[ItemT], gap: Sequence[ItemT]) -> Sequence[ItemT]:
    """Return the lines or messages that are read, with `gap` for the omitted ones."""
    if len(items) <= LINES_FIRST + LINES_LAST:
        return items
    return [*items[:LINES_FIRST], *gap, *items[-LINES_LAST:]]


def _within(said: Iterable[Utterance], room: int, cut: Callable[[str, int], str]) -> Iterator[Utterance]:
    """Yield messages of up to `room` characters in all; the last one is shortened by `cut`."""
    for each in said:
        yield each if len(each.text) <= room else replace(each, text=cut(each.text, room))
        room -= len(each.text)
        if room <= 0:
            return


def _beginning(text: str, room: int) -> str:
    """Return the first `room` characters, if possible up to the end of a line or a word."""
    found = (text.rfind(border, room // 2, room) for border in "\n ")
    return text[: next((at for at in found if at >= 0), room)]


def _end(text: str, room: int) -> str:
    """Return the last `room` characters, if possible from the beginning of a line or a word."""
    first = len(text) - room
    found = (text.find(border, first, first + room // 2) for border in "\n ")
    return text[next((at for at in found if at >= 0), first) :].lstrip()


def _transcript(said: Iterable[Utterance], subject: str | None) -> Transcript:
    shown = (
        replace(each, text=without_internal_notes(without_notice(visible(each.text))))
        for each in oldest_first(tuple(public(tuple(said))))
    )
    spoken = [each for each in shown if each.text.strip()]
    named = [each for each in spoken if each.speaker is not None]
    if named and spoken[0].speaker is None:
        spoken[:1] = _described(spoken[0])
    role_of = roles(named, described=any(each.speaker is None and each.role == "customer" for each in spoken))
    # Other text without a speaker is a heading or a note.
    with_role: list[tuple[Role, Utterance]] = [
        (role_of[each.speaker] if each.speaker is not None else each.role or "other", each) for each in spoken
    ]
    names = frozenset(each.speaker.casefold() for each in named if each.speaker is not None)
    turns = tuple(
        Turn(role, "\n\n".join(_unaddressed(each.text.strip(), names) for _, each in group), speaker)
        for (role, speaker), group in groupby(with_role, key=lambda pair: (pair[0], pair[1].speaker))
    )
    return Transcript(turns, None if subject is None else _SUBJECT_NOISE.sub("", subject).strip() or None)


def _described(above: Utterance) -> Iterator[Utterance]:
    """Yield the text before the first speaker, apart from what the customer tells in it below "Description:"."""
    match = _DESCRIPTION.search(above.text)
    title = above.text if match is None else above.text[: match.start()]
    if title.strip():
        yield replace(above, text=title)
    if match is not None:
        yield Utterance(None, above.text[match.end() :], "customer")


_DESCRIPTION = re.compile(
    r"(?im)^[ \t*_#]{0,6}(?:(?:description|beschreibung|problem|issue|symptoms?)[*_]{0,2}:[*_]{0,2}\s{0,3}"
    r"|(?:description|beschreibung)[*_]{0,2}[ \t]*\n\s{0,3})(?=\S)"
)


def _unaddressed(text: str, names: frozenset[str]) -> str:
    """Return a message without the name of its addressee, as in "ann: try this"."""
    name, mark, rest = text[:80].partition(":")
    if not mark:
        name, mark, rest = text[:80].partition(",")
    return text[len(name) + 1 :].lstrip() if mark and rest and name.lstrip("@").casefold() in names else text
