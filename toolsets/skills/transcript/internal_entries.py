"""Removes the entries of a ticket that the customer does not see: a heading with an author or a time, and the text below it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP, TIMED, header_in
from toolsets.skills.transcript.headings import heading, is_name, is_time, join_headings
from toolsets.skills.transcript.notices import MAY_BE_INTERNAL, is_internal, is_internal_kind, is_internal_word
from toolsets.skills.transcript.speakers import label_role
from toolsets.skills.transcript.stamps import MOMENT, TIME_AHEAD
from toolsets.skills.transcript.words import any_of

_LONGEST: Final = 160
"""Characters of a heading or label; a longer line is text."""
_MOMENT = re.compile(rf"(?<![\w.:/-]){TIME_AHEAD}{MOMENT}(?![\w/-]|:\d)")
_TIME: Final = "\x1e"
_COLON = re.compile(r":[*_`]{0,3}(?:\s|$)")
_BETWEEN = re.compile(r"[()\[\]{}|,·•;–—:\x1e]|\s-\s|\*\*|__")
_MARKS: Final = " \t*_#>`-•~@"
_BY = re.compile(
    rf"(?i)(?P<kind>.{{3,40}}?)\s(?:{any_of('was_added')}\s)?(?:by|from|von|par|de|por)\s(?P<name>.{{2,60}}?)(?:\s{any_of('before_a_time')})?"
)
_ADDED = re.compile(
    rf"(?i)(?P<name>.{{2,60}}?)\s(?:has\s)?{any_of('was_added')}\s(?:an?\s|the\s)?(?:new\s)?(?P<kind>.{{3,40}}?)(?:\s{any_of('before_a_time')})?"
)
_ADDED_AT_LAST = re.compile(
    rf"(?i)(?P<name>.{{2,60}}?)\s(?:hat|a)\s(?:eine[nm]?|une?)\s(?P<kind>.{{3,40}}?)\s{any_of('was_added')}(?:\s{any_of('before_a_time')})?"
)
_FIELD = re.compile(
    r"\s{0,3}[*_]{0,2}(?P<name>\w{4,12})[*_]{0,2}\s?:[*_]{0,2}\s{1,3}(?P<value>[\w -]{4,30})[*_]{0,2}\s*"
)
_MAIL = re.compile(r"(?i)(?:from|von|de):\s")
_VERB = re.compile(rf"(?i)^(?:has\s)?{any_of('was_added')}\s(?:an?\s|the\s)?(?:new\s)?")
_NUMBER = re.compile(r"\s?#?\d{1,3}$")
_FEWEST: Final = 2
"""A line that looks like a heading once may be text."""
_FEWEST_CELLS: Final = 4
"""A time, a name, a kind and the text."""
_MOST_WORDS: Final = 6
"""Words of a cell beside the text; a longer one is text itself."""


def without_internal_entries(lines: Sequence[str]) -> list[str]:
    """Return lines with `GAP` in place of each entry that the customer does not see.

    Its text ends before the heading or the label of another message, or else with its paragraph.
    """
    if any(MAY_BE_INTERNAL.are_in(line[:_LONGEST].lower()) for line in lines):
        lines = join_headings(lines)
    hidden = [at for at, line in enumerate(lines) if line and (_is_internal(line[:_LONGEST]) or _is_marked(lines, at))]
    if not hidden:
        return list(lines)
    begins = _beginnings(lines)
    result: list[str] = []
    done = 0
    for start in hidden:
        if start < done:
            continue
        first, last = _heading(lines, start)
        result += [*lines[done : max(done, first)], GAP]
        done = _end(lines, last, begins)
    return [*result, *lines[done:]]


def _is_marked(lines: Sequence[str], at: int) -> bool:
    """Return whether a line such as "Visibility: internal" or "Internal note" is above or below a heading."""
    if not _is_field(lines[at]):
        return False
    return any(heading(line) is not None for line in lines[max(0, at - 1) : at + 2]) or _has_two_lines(lines, at + 1)


def _has_two_lines(lines: Sequence[str], at: int) -> bool:
    """Return whether a heading has a name on its first line and a time on the second one."""
    return at + 1 < len(lines) and is_time(lines[at + 1]) and is_name(lines[at].strip())


def _heading(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Return the first and the last line of the heading of an internal entry."""
    if not _is_field(lines[at]):
        return at, at
    if at and heading(lines[at - 1]) is not None:
        return at - 1, at
    return at, at + (2 if _has_two_lines(lines, at + 1) else 1)


def _is_field(line: str) -> bool:
    """Return whether a line is a label or a field that says that an entry is internal."""
    if len(line) > _LONGEST or not MAY_BE_INTERNAL.are_in(line.lower()):
        return False
    if is_internal_kind(line.strip(f"{_MARKS}:()[]")):
        return True
    match = _FIELD.fullmatch(line)
    return match is not None and is_internal({match["name"].lower(): match["value"]})


def _end(lines: Sequence[str], start: int, begins: Sequence[bool]) -> int:
    """Return the line after an internal entry: where the next message begins, or where the paragraph ends."""
    following = next((at for at in range(start + 1, len(lines)) if begins[at]), None)
    if following is not None:
        return following
    if sum(begins[:start]) >= _FEWEST:
        return len(lines)
    below = start + 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    return next((at for at in range(below, len(lines)) if not lines[at].strip()), len(lines))


def _beginnings(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether a message begins with it: it has a time, a label that states a role or one that recurs."""
    headers = [header_in(line) for line in lines]
    names = Counter(header.name for header in headers if header is not None)
    return [
        line == GAP
        or _MAIL.match(line) is not None
        or _is_entry(line)
        or (
            header is not None
            and (
                header.form in TIMED
                or heading(line) is not None
                or label_role(header.name) is not None
                or names[header.name] >= _FEWEST
            )
        )
        for line, header in zip(lines, headers, strict=True)
    ]


def _is_entry(line: str) -> bool:
    """Return whether a line begins with a time, or with a kind of entry, a name and a time: "Reply (Ann, 9:05):"."""
    match = _MOMENT.search(line[:_LONGEST])
    if match is None:
        return False
    return not line[: match.start()].strip(" \t[(*_") or _COLON.match(line[match.end() :].lstrip(" )]*_")) is not None


def _is_internal(head: str) -> bool:
    """Return whether a line is the heading of an internal entry.

    One of its parts says so. The others are times and names, at least one of them.
    """
    if not MAY_BE_INTERNAL.are_in(head.lower()):
        return False
    bare = _MOMENT.sub(_TIME, head)
    if _TIME in bare and any(is_internal_kind(cell) or is_internal_word(cell) for cell in _cells(bare)):
        return True
    colon = _COLON.search(bare)
    label = bare if colon is None else bare[: colon.start()]
    parts = [part for each in _BETWEEN.split(label) if (part := each.strip(_MARKS))]
    timed = _TIME in label
    kinds = [part for part in parts if _is_kind(part)]
    marks = [part for part in parts if is_internal_word(part)]
    others = [part for part in parts if part not in kinds and part not in marks]
    # A line of a log has a word in lower case after its time.
    if not kinds and not (timed and marks and (others or any(part[0].isupper() for part in marks))):
        return False
    author = next((match["name"] for part in kinds if (match := _authored(part)) is not None), "")
    if not (timed or author[:1].isupper() or (colon is not None and (others or author))):
        return False
    short = timed and bool(kinds)
    return all(
        is_name(part) or label_role(part) is not None or (short and part.count(" ") < _MOST_WORDS) for part in others
    )


def _cells(line: str) -> list[str]:
    """Return the columns of a row before its text, none for another line."""
    cells = [cell.strip(_MARKS) for cell in line.strip(" |").split("|")]
    return cells[:-1] if len(cells) >= _FEWEST_CELLS else []


def _is_kind(part: str) -> bool:
    return is_internal_kind(_NUMBER.sub("", _VERB.sub("", part))) or _authored(part) is not None


def _authored(part: str) -> re.Match[str] | None:
    """Return a kind of internal entry and its author: "private note by Ann", "Ann added an internal note"."""
    for pattern in (_BY, _ADDED, _ADDED_AT_LAST):
        match = pattern.fullmatch(part)
        if match is not None and is_internal_kind(match["kind"]) and is_name(match["name"]):
            return match
    return None
