"""Reads e-mail threads: headers, quoted levels, attributions and signatures, in either order of posting."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import groupby
from typing import Final

from toolsets.skills.transcript.headings import heading
from toolsets.skills.transcript.notices import without_notice
from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.stamps import moment_in

_HEADER = re.compile(
    r"(?i)\*{0,2}(from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum|de|objet|message-id"
    r"|received|importance|return-path|delivered-to|in-reply-to|references|mime-version|content-[\w-]{1,30}"
    r"|x-[\w-]{1,40}):\*{0,2}[ \t]*(.{0,500})"
)
_ADDRESS = re.compile(r"\S@\S|\[email\]")
_SENDERS: Final = frozenset({"from", "von", "de"})
_SUBJECTS: Final = frozenset({"subject", "betreff", "objet"})
_DATES: Final = frozenset({"date", "sent", "datum", "gesendet"})
_LEAST_QUOTED: Final = 20
"""The fewest characters of a text that is a quote if an earlier text contains it."""
_SEPARATOR = re.compile(
    r"(?i)[-_]{2,}\s?(?:original message|forwarded message|ursprüngliche nachricht"
    r"|message d'origine)\s?[-_]{2,}|begin forwarded message:|_{20,}"
)
_ATTRIBUTION = re.compile(
    r"(?:On\b.{5,200}\bwrote|Am\b.{5,200}\bschrieb.{0,100}|Le\b.{5,200}\ba écrit|El\b.{5,200}\bescribió"
    r"|Op\b.{5,200}\bschreef.{0,100}|Il\b.{5,200}\bha scritto|Em\b.{5,200}\bescreveu"
    r"|.{1,100}(?:<[^<>]{3,80}>|\[email\])?,? (?:wrote|writes|schrieb)) ?:"
)
_FULL_ATTRIBUTION = re.compile(r"(?:On|Am|Le|El|Op|Il|Em)\b.{0,200}\d|.{0,200}(?:<[^<>]{3,80}>|\[email\])")
"""An attribution with a time or an address, unlike "My colleague wrote:"."""
_ATTRIBUTION_START = re.compile(r"(?:On|Am|Le|El|Op|Il|Em)\b.{5,200}$")
_AUTHOR = re.compile(
    r"(?:.*(?:,|\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?(?: [+-]\d{4})?"
    r"|\d{4}),?\s+)?(?:at \d\S*\s)?([^\d,<>\"][^,<>\"\d]{0,60}?)\"?\s*(?:<[^<>]*>|\[email\]"
    r"|\[mailto:[^\]]*\])?,? (?:wrote|writes|schrieb|a écrit|escribió)"
)
_ARCHIVED = re.compile(
    r"Message #\d{1,6} received at \S{1,100}(?: \([^()]{1,100}\))?:"
    r"|From \S{1,100}(?: at \S{1,100})? {1,3}(?:[A-Z][a-z]{2} ){2} ?\d{1,2} \d\d:\d\d(?::\d\d)?(?: [A-Z+-]\w{1,5})? \d{4}\b"
    r".{0,40}"
)
"""The line above the headers of a mail in an archive: "From ann@x.example Mon Mar  2 09:14:33 2026", or on the page of a bug."""
_QUOTE = re.compile(r"(?:[ \t]?>)+")
_SIGNATURE = re.compile(
    r"(?i)--\s*|-- System Information:|_{3,}"
    r"|(?:sent|gesendet|get) (?:from|von) (?:my |meinem )?[\w .]{2,40}|get outlook for .{2,20}"
)
_CLOSING = re.compile(
    r"(?i)(?:(?:with )?(?:best|kind|warm|many|kindest|warmest)(?: (?:regards|wishes|thanks))?|regards|cheers"
    r"|sincerely(?: yours)?|yours(?: (?:truly|sincerely|faithfully))?"
    r"|thanks(?: again| in advance| and regards| a lot| so much)?|thank you|mit freundlichen grüßen|viele grüße"
    r"|cordialement|saludos|br|rgds|cheers mate)\s?[,.!]?"
)
_LONGEST_SIGNATURE = 8
"""The most lines after "Best regards" that are the sender's name and company; more lines are text."""


@dataclass(slots=True)
class _Message:
    author: str | None = None
    date: datetime | None = None
    subject: str | None = None
    separated: bool = False
    """Whether this message is included below another one as the original."""
    lines: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class MailThread:
    """The utterances of a thread, oldest first, and its subject."""

    said: list[Utterance]
    subject: str | None


def read_thread(lines: Sequence[str]) -> MailThread | None:
    """Return the thread in the lines, None if they are not an e-mail. Texts that are quoted again are returned once."""
    if any(line.startswith(("From ", "Message #")) for line in lines):
        lines = [line for line in lines if _ARCHIVED.fullmatch(line.rstrip()) is None]
    lines = _with_attributions(lines)
    messages = _messages(lines)
    if any(message.author for message in messages):
        messages = _messages(lines, lone=True)
    quoted = any(_QUOTE.match(line) for line in lines) and any(_attribution(lines, at) for at in range(len(lines)))
    if not quoted and not any(message.author or message.separated for message in messages):
        return None
    said: list[Utterance] = []
    seen: set[str] = set()
    heard = ""
    for at, message in enumerate(_oldest_first(messages)):
        if at == 0 and len(messages) > 1 and message.author is None and not message.separated:
            # What an archive or a colleague has put above the first mail is no message.
            said.append(Utterance(None, "\n".join(message.lines).strip()))
            continue
        for each in _parts(message):
            key = " ".join(each.text.split()).casefold()
            # Quotes lack the greeting and the signature of the original message.
            if key and key not in seen and (len(key) < _LEAST_QUOTED or key not in heard):
                seen.add(key)
                heard += f"{key}\n"
                said.append(each)
    subject = next((message.subject for message in messages if message.subject), None)
    return MailThread(said, subject)


def _with_attributions(lines: Sequence[str]) -> Sequence[str]:
    """Return lines in which headers within a quote are replaced by a line above it that names the author."""
    if not any(_depth(line) and _HEADER.fullmatch(_unquoted(line).strip()) is not None for line in lines):
        return lines
    kept: list[str] = []
    at = 0
    while at < len(lines):
        depth, start = _depth(lines[at]), at
        headers: dict[str, str] = {}
        while depth and at < len(lines) and _depth(lines[at]) == depth:
            if (match := _HEADER.fullmatch(_unquoted(lines[at]).strip())) is None:
                break
            headers.setdefault(match[1].lower(), match[2].strip(" \t*"))
            at += 1
        sender = _message(headers, separated=False).author
        if len(headers) < _FEWEST_HEADERS or sender is None:
            at = max(at, start + 1)
            kept += lines[start:at]
            continue
        if kept and _depth(kept[-1]) == depth and _SEPARATOR.fullmatch(_unquoted(kept[-1]).strip()) is not None:
            kept.pop()
        date = next((headers[name] for name in _DATES if name in headers), "")
        kept.append(f"{'>' * (depth - 1)} On {date}, {sender} <> wrote:".strip())
    return kept


_FEWEST_HEADERS: Final = 2
"""A single line such as "From: ..." may stand in any text."""


def _unquoted(line: str) -> str:
    return _QUOTE.sub("", line, count=1)


def _messages(lines: Sequence[str], *, lone: bool = False) -> list[_Message]:
    """Split at blocks of headers: two header lines or more, one of them the sender's.

    `lone` means that a sender's address after a blank line is enough, because the lines are known to be a thread.
    """
    messages = [_Message()]
    at = refused = 0
    while at < len(lines):
        line = lines[at].strip()
        separated = _SEPARATOR.fullmatch(line) is not None
        start = at + 1 if separated else at
        while separated and start < len(lines) and not lines[start].strip():
            start += 1
        # The rest of lines that are no block is none either; to read it again from each line would be quadratic.
        headers, stop = _header_block(lines, start) if start >= refused else ({}, start)
        refused = max(refused, stop)
        if lone and not headers and start > 0 and not lines[start - 1].strip():
            headers, stop = _lone_sender(lines, start)
        if not headers and not separated:
            messages[-1].lines.append(lines[at])
            at += 1
            continue
        messages.append(_message(headers, separated=separated or "sent" in headers or "gesendet" in headers))
        at = stop if headers else at + 1
    return [message for message in messages if message.author or any(line.strip() for line in message.lines)]


def _header_block(lines: Sequence[str], start: int) -> tuple[dict[str, str], int]:
    """Return the headers at `start`, none if they are too few or name no sender, and the line after them."""
    headers: dict[str, str] = {}
    at = start
    while at < len(lines) and (match := _HEADER.fullmatch(lines[at].strip())) is not None:
        headers.setdefault(match[1].lower(), match[2].strip())
        at += 1
    return (headers if len(headers) >= _FEWEST_HEADERS and _SENDERS & headers.keys() else {}), at


def _lone_sender(lines: Sequence[str], start: int) -> tuple[dict[str, str], int]:
    match = _HEADER.fullmatch(lines[start].strip()) if start < len(lines) else None
    if match is None or match[1].lower() not in _SENDERS or _ADDRESS.search(match[2]) is None:
        return {}, start
    return {match[1].lower(): match[2].strip()}, start + 1


def _message(headers: dict[str, str], *, separated: bool) -> _Message:
    values = {kind: next((headers[name] for name in names if name in headers), None) for kind, names in _KINDS.items()}
    sender = values["sender"]
    return _Message(None if sender is None else _person(sender), _date(values["date"]), values["subject"], separated)


_KINDS: Final = {"sender": _SENDERS, "date": _DATES, "subject": _SUBJECTS}


def _person(sender: str) -> str:
    """Return the name in `Name <address>`, or the address."""
    name = re.sub(r"<[^<>]{0,200}>|\[mailto:[^\]]{0,200}\]|\"", "", sender).strip()
    return name or sender.strip(" <>")


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    if _TWELVE_HOURS.search(text) is not None:
        # The parsers of RFC 5322 and ISO 8601 ignore the half of the day.
        return _date_in_words(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        try:
            date = datetime.fromisoformat(text)
        except ValueError:
            return _date_in_words(text)
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


_TWELVE_HOURS = re.compile(r"(?i)\d\s?[ap]\.?m\b")
"""A time of the clock with twelve hours."""


def _date_in_words(text: str) -> datetime | None:
    moment = moment_in(text)
    try:
        return None if moment is None else datetime(*moment, tzinfo=UTC)
    except ValueError:
        return None


def _oldest_first(messages: list[_Message]) -> list[_Message]:
    """Return messages in order of time: by their dates, or reversed if the upper ones reply to the lower ones.

    A text without a header stays above mails whose dates ascend.
    """
    dates = [message.date for message in messages if message.date is not None]
    if len(set(dates)) > 1:
        if dates == sorted(dates, reverse=True):
            return messages[::-1]
        if len(dates) == len(messages):
            return sorted(messages, key=lambda message: message.date or datetime.min.replace(tzinfo=UTC))
        if dates == sorted(dates):
            return messages
    if any(message.separated for message in messages[1:]) or (len(messages) > 1 and messages[0].author is None):
        return messages[::-1]
    return messages


@dataclass(slots=True)
class _Voices:
    """Who writes at each quoted level, as the last line above it says, and when."""

    authors: dict[int, str]
    times: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    def read(self, attribution: str, depth: int) -> None:
        """Read the line above the text of a level."""
        above = heading(attribution)
        author = above.name if above is not None else None
        if author is None and (match := _AUTHOR.match(attribution)) is not None:
            author = match[1].strip()
        if author is not None:
            self.authors[depth] = author
        when = moment_in(attribution)
        if when is not None:
            self.times[depth] = when
        else:
            self.times.pop(depth, None)


def _parts(message: _Message) -> list[Utterance]:
    """Return the parts of a message by quoted level, oldest first; the line before a level names its author."""
    voices = _Voices({0: message.author or "writer 0"})
    depths: list[int] = []
    times: list[tuple[int, ...]] = []
    said: list[Utterance] = []
    for depth, lines in _levels(message.lines):
        for level, kept in _by_voice(lines, depth, voices):
            text = _without_signature(without_notice("\n".join(kept)).split("\n"))
            if any(line.strip() for line in text):
                # Without names, the levels alternate between two people.
                author = voices.authors.get(level, f"writer {level % 2}")
                said.append(Utterance(author, "\n".join(text).strip()))
                depths.append(level)
                times += [voices.times[level]] if level in voices.times else []
    said = _named(said)
    if len(set(times)) > 1:
        return said[::-1] if times == sorted(times, reverse=True) else said
    top_posted = len(said) > 1 and depths[0] == 0 and all(depth > 0 for depth in depths[1:])
    return said[::-1] if top_posted else said


def _named(said: list[Utterance]) -> list[Utterance]:
    """Return the parts of a thread between two people with the name of the one whose newest mail names no author."""
    names = {each.speaker for each in said if each.speaker is not None and _UNNAMED.fullmatch(each.speaker) is None}
    if len(said) <= _TWO or len(names) != _TWO or said[1].speaker not in names:
        return said
    if _UNNAMED.fullmatch(said[0].speaker or "") is None:
        return said
    [other] = names - {said[1].speaker}
    return [replace(said[0], speaker=other), *said[1:]]


_TWO: Final = 2
"""The people of a thread in which a mail without an author is of the other one."""
_UNNAMED = re.compile(r"writer \d+")


def _levels(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    marked = [
        (_depth(line), _QUOTE.sub("", line, count=1).removeprefix(" ") if _depth(line) else line) for line in lines
    ]
    for depth, group in groupby(marked, key=lambda pair: pair[0]):
        yield depth, [line for _, line in group]


def _depth(line: str) -> int:
    match = _QUOTE.match(line)
    return 0 if match is None else match.group().count(">")


def _attribution(lines: Sequence[str], at: int) -> int:
    """Return the number of lines at `at` that name the author of the following text; 0 if there are none."""
    line = lines[at].strip()[:400]
    if _ATTRIBUTION.fullmatch(line) is not None:
        return 1
    if at + 1 < len(lines) and _ATTRIBUTION_START.fullmatch(line) is not None:
        joined = f"{line} {lines[at + 1].strip()[:200]}"
        return 2 if _ATTRIBUTION.fullmatch(joined) is not None else 0
    return 0


def _by_voice(lines: Sequence[str], depth: int, voices: _Voices) -> Iterator[tuple[int, list[str]]]:
    """Yield the texts of one quoted level without their attributions.

    A mail that is quoted without marks, below the line with its sender and time, is one level deeper.
    """
    kept: list[str] = []
    at = 0
    while at < len(lines):
        taken = _attribution(lines, at)
        if not taken:
            kept.append(lines[at])
            at += 1
            continue
        said = " ".join(line.strip() for line in lines[at : at + taken])[:600]
        voices.read(said, depth + 1)
        at += taken
        if _FULL_ATTRIBUTION.match(said) is not None and any(lines[rest].strip() for rest in range(at, len(lines))):
            yield depth, kept
            kept = []
            depth += 1
    yield depth, kept


def _without_signature(lines: list[str]) -> list[str]:
    for at, line in enumerate(lines):
        bare = line.strip()
        if _SIGNATURE.fullmatch(bare) is not None and len(lines) - at <= 3 * _LONGEST_SIGNATURE:
            return lines[:at]
        below = [rest for rest in lines[at + 1 :][: 2 * _LONGEST_SIGNATURE] if rest.strip()]
        rest_is_short = len(lines) - at <= 2 * _LONGEST_SIGNATURE and len(below) <= _LONGEST_SIGNATURE
        if _CLOSING.fullmatch(bare) is not None and rest_is_short and all(len(rest) < 60 for rest in below):
            return lines[:at]
    return lines
