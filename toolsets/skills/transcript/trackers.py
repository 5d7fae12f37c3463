"""Reads what trackers of tickets write: headings of entries, changes of a ticket's fields, and the fields above its messages."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.skills.literals import Literals
from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.headings import is_name, is_time
from toolsets.skills.transcript.speakers import label_role
from toolsets.skills.transcript.stamps import MOMENT
from toolsets.skills.transcript.words import any_of, words

_FIELD: Final = rf"(?i:{any_of('tracker_fields')})"
_VALUE: Final = r"[^\n.!?:>→]{1,40}?"
_WHEN: Final = rf"(?:,?\s(?:\((?:[^()\n]{{1,60}})\)|(?:(?i:by|on|at)\s)?(?:{MOMENT}|[^\W\d_][\w .'-]{{1,40}})))?"
_CHANGE = re.compile(
    rf"[\s*_>-]{{0,4}}(?:[\[(]?(?=\d){MOMENT}[\])]?[\s:–—-]{{1,4}})?(?:"
    rf"{_FIELD}[*_]{{0,2}}\s?:[*_]{{0,2}}\s{{0,3}}{_VALUE}\s?(?:->|→|=>|>>)\s?{_VALUE}"
    rf"|{_FIELD}\s(?:(?:was|has been|is)\s)?(?:changed|set|updated)\s(?:from\s{_VALUE}\s)?(?:to|->|→)\s{_VALUE}"
    rf"|(?:[A-Z][\w.'-]{{1,20}} ){{1,3}}(?:has )?(?:changed|set|updated)\s(?:the\s)?{_FIELD}\s"
    rf"(?:from\s{_VALUE}\s)?(?:to|->|→)\s{_VALUE}"
    rf"|(?i:{any_of('tracker_notes')})){_WHEN}[\s.]{{0,3}}"
)
"""A line about a change of a field, or a note such as "Assigned to Ann"; as an instruction it would begin with a verb."""
_CHANGE_WORDS: Final = Literals("-> → => >> changed set updated assigned closed merged sent escalated".split())
"""Of these, each line about a change has at least one; looking for them is faster."""
_TOP_FIELD = re.compile(
    r"\s{0,3}[*_]{0,2}(?P<label>[^\W\d_][\w -]{0,24}?)[*_]{0,2}\s?:[*_]{0,2}\s{0,3}(?P<value>\S.{0,80})"
)
_NUMBER = re.compile(r"(?i)\s{0,3}(?:ticket|case)(?: id| number| no\.?)?\s?:\s{0,3}#?[\w-]{0,20}\d[\w-]{0,20}\s*")
_FIELDS_ABOVE: Final = words("tracker_labels")
_MOST_ABOVE: Final = 20
"""The most lines of a ticket above its first message."""
_MOST_TITLES: Final = 2
"""Lines above the fields of a ticket: its number and its title."""
_FEWEST_FIELDS: Final = 2
"""One line with a colon may be something that somebody says."""
_LONGEST: Final = 160
"""Characters of a field or heading; a longer line is text."""
_LONGEST_VALUE: Final = 6
"""The most words of a field's value."""


def without_tracker_lines(lines: Sequence[str]) -> list[str]:
    """Return lines without those that a tracker writes about a ticket."""
    above = _fields_above(lines)
    return [line for at, line in enumerate(lines) if at not in above and not _is_change(line)]


_REPLY_ABOVE = re.compile(
    r"\s*(?:##-.{1,120}-##|-{2,}.{0,20}(?:reply|type) above this line.{0,20}-{2,})\s*", re.IGNORECASE
)
"""The mark above which a reply to a mail of a help desk is typed."""
_OF_HELP_DESK = re.compile(
    r"(?i)\s*(?:-{10,}|this email is a service from .{1,100}|(?:delivered|powered) by zendesk.{0,60}"
    r"|\[[A-Z\d]{4,8}-[A-Z\d]{3,8}\]|your (?:request|ticket|case) \(?#?\d{1,12}\)? (?:has been|was|is) .{1,200}"
    r"|to (?:add|review) .{0,60}\breply to this email.{0,100}|(?:you can add a comment by replying|reply) to this email.{0,100}"
    r"|https?://\S{1,200}/(?:requests|tickets)/\d{1,12}\S{0,60})\s*"
)


def without_notification(lines: Sequence[str]) -> list[str]:
    """Return the lines of a mail that a help desk sends about a ticket without what it adds; other lines as they are."""
    if not any(len(line) <= _LONGEST and _REPLY_ABOVE.fullmatch(line) is not None for line in lines):
        return list(lines)
    kept = [
        line
        for line in lines
        if _REPLY_ABOVE.fullmatch(line[: 4 * _LONGEST]) is None
        and _OF_HELP_DESK.fullmatch(line[: 4 * _LONGEST]) is None
    ]
    result: list[str] = []
    for at, line in enumerate(kept):
        if line.strip() and is_time(line) and at and is_name(kept[at - 1].strip()):
            result[-1] = f"{kept[at - 1].strip()}  {line.strip()}"
        else:
            result.append(line)
    return result


def is_field(line: str) -> bool:
    """Return whether a line is a field of a ticket with its value, such as "Priority: high"."""
    match = _TOP_FIELD.fullmatch(line[:_LONGEST])
    short = match is not None and len(match["value"].split()) <= _LONGEST_VALUE
    return match is not None and short and match["label"].casefold() in _FIELDS_ABOVE


def is_number(line: str) -> bool:
    """Return whether a line has the number of a ticket: "Ticket: 4711"."""
    return _NUMBER.fullmatch(line[:_LONGEST]) is not None


def _is_change(line: str) -> bool:
    if len(line) > _LONGEST:
        return False
    return _CHANGE_WORDS.are_in(line.lower()) and _CHANGE.fullmatch(line) is not None


def _fields_above(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines with the fields of a ticket above its first message, none if they are fewer than two."""
    found = frozenset(_at_top(lines))
    return found if len(found) >= _FEWEST_FIELDS else frozenset()


def _at_top(lines: Sequence[str]) -> Iterator[int]:
    titles = 0
    for at, line in enumerate(lines[:_MOST_ABOVE]):
        if not line.strip():
            continue
        match = _TOP_FIELD.fullmatch(line[:_LONGEST])
        if match is None or len(match["value"].split()) > _LONGEST_VALUE:
            titles += 1
            if titles > _MOST_TITLES:
                return
        elif label_role(match["label"]) is not None and not is_name(match["value"]):
            return
        elif match["label"].casefold() in _FIELDS_ABOVE or is_number(line):
            titles = _MOST_TITLES
            yield at


_BETWEEN: Final = r"(?:\s?[,;|·•–—-]|\s(?:on|at|am|um))\s{1,2}"
_ENTRY = re.compile(
    rf"[\s*_#>•-]{{0,8}}(?i:{any_of('entries')})(?:\s?#?\d{{1,3}})?[*_]{{0,2}}\s"
    rf"[(\[](?:(?i:by|from|von|par|de)\s)?(?:(?P<name>[^\n()\[\]]{{2,60}}?){_BETWEEN}(?P<time>{MOMENT})"
    rf"|(?P<first_time>{MOMENT}){_BETWEEN}(?P<last_name>[^\n()\[\]]{{2,60}}))[)\]][*_]{{0,2}}\s?(?::[*_]{{0,2}}|$)\s{{0,3}}"
)
"""The heading of an entry, such as "Note (Ann, Service Desk, 2026-02-16 08:10):"."""
_FEWEST_ENTRIES: Final = 2
"""One line may look like the heading of an entry by accident."""


def with_plain_headings(lines: Sequence[str]) -> list[str]:
    """Return lines in which the heading of an entry is a name and a time, with its text below.

    One such heading is enough beside `GAP`, which stands in place of an internal entry.
    """
    found = [_ENTRY.match(line[:_LONGEST]) for line in lines]
    if sum(match is not None for match in found) < (1 if GAP in lines else _FEWEST_ENTRIES):
        return list(lines)
    result: list[str] = []
    for line, match in zip(lines, found, strict=True):
        result += [line] if match is None else _entry(line, match)
    return result


def _entry(line: str, match: re.Match[str]) -> list[str]:
    """Return the heading with the name and the time, and the text after it."""
    name, *offices = (match["name"] or match["last_name"]).strip().split(", ")
    if not is_name(name):
        return [line]
    name = f"{name} ({' '.join(offices)})" if offices else name
    said = line[match.end() :]
    return [f"{name}  {match['time'] or match['first_time']}", *((said,) if said.strip() else ())]
