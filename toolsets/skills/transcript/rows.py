"""Reads chats with a row for each message: a time and a name in the same columns, whatever separates them."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.headings import is_name
from toolsets.skills.transcript.speakers import Utterance, begins_with_a_role, is_field, label_role
from toolsets.skills.transcript.stamps import MOMENT, TIME_AHEAD

_HEAD: Final = 300
"""Characters of a row before its text: a time, a name and some columns."""
_NAME: Final = r"(?P<name>@?[^\W_][^\n|;>»<\[\]:~\t/]{0,40}?)"
_TIME: Final = rf"[\[(]?(?P<time>{TIME_AHEAD}{MOMENT})(?!\w|:\d)[\])]{{0,2}}"
_INDEX: Final = r"\|?\s{0,2}(?:#?\d{1,5}(?:\s{0,2}[|;,\t]|[.)])\s{0,2})?"
_BETWEEN: Final = r"(?:\s{0,3}(?:[|;,~/·•»>–—@-]|::)\s{0,3}|\s{1,4})"
"""What separates a time and a name."""
_BEFORE_TEXT: Final = (
    r"(?:\s{0,3}(?:\||;|>{1,3}|»|~|→|::)\s{0,3}|\s{1,3}[-–—/·•=]{1,2}\s{1,3}|,\s{1,3}|\t\s{0,3}|\s?:\s{1,3}"
    r"|(?<=[\])])\s{1,3})"
)
"""What separates the text from a time or a name; a blank does only after a bracket, because names have blanks."""
_FORMS: Final = (
    re.compile(rf"{_INDEX}{_TIME}(?P<between>{_BETWEEN}){_NAME}(?P<before>{_BEFORE_TEXT})(?P<text>.*)"),
    re.compile(rf"{_INDEX}[\[(]?{_NAME}(?P<between>{_BETWEEN}){_TIME}(?P<before>{_BEFORE_TEXT})(?P<text>.*)"),
)
_LAST: Final = len(_FORMS)
_ORDERS: Final = range(_LAST + 1)
_FORM_WITH_TIME_LAST: Final = re.compile(rf"{_INDEX}{_NAME}(?P<before>{_BEFORE_TEXT})(?P<text>.*)")
_TIME_LAST = re.compile(rf"(?P<between>{_BETWEEN}){_TIME}[\s|]{{0,3}}$")
_LONGEST_TIME: Final = 50
"""Characters from the end of a row in which a time is searched."""
_MOST_ABOVE: Final = 6
"""The most lines with text above the first row, such as a title."""
_FEWEST_ROWS: Final = 2
"""One line may look like a row by accident."""
_FEWEST_NAMES: Final = 2
"""A conversation has two people."""


@dataclass(frozen=True, slots=True)
class _Row:
    form: tuple[int, str, str]
    """The order of the columns and what separates them."""
    name: str
    time: str
    text: str


def read_rows(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the messages of a chat, None for other lines; a line that is no row continues the message above it.

    The rows have one form. Two names or more stand in their column, and most of them more than once, unlike the words
    that follow the times of a report. The speaker after the line `GAP` is unknown.
    """
    first = islice((line for line in lines if line.strip()), _MOST_ABOVE + 1)
    orders = {row.form[0] for line in first if (row := _row(line, _ORDERS)) is not None}
    rows = [_row(line, orders) for line in lines] if orders else []
    forms = Counter(row.form for row in rows if row is not None)
    if not forms:
        return None
    [(form, count)] = forms.most_common(1)
    rows = [row if row is not None and row.form == form else None for row in rows]
    if count < _FEWEST_ROWS or not _are_messages(rows, lines):
        return None
    return list(_said(rows, lines))


def _row(line: str, orders: Container[int]) -> _Row | None:
    """Return the row that a line is in one of `orders`, the number of a form or `_LAST`."""
    head = line[:_HEAD]
    for order, pattern in enumerate(_FORMS):
        if order in orders and (match := pattern.match(head)) is not None:
            text = line[match.start("text") :].rstrip()
            text = text[:-1].rstrip() if "|" in match["before"] and text.endswith("|") else text
            return _Row(
                (order, match["between"].strip(), match["before"].strip()), match["name"].strip(), match["time"], text
            )
    if _LAST not in orders:
        return None
    end = _TIME_LAST.search(line, max(0, len(line) - _LONGEST_TIME))
    match = None if end is None else _FORM_WITH_TIME_LAST.match(line, 0, end.start())
    if end is None or match is None:
        return None
    return _Row(
        (_LAST, end["between"].strip(), match["before"].strip()),
        match["name"].strip(),
        end["time"],
        match["text"].rstrip(),
    )


def _are_messages(rows: Sequence[_Row | None], lines: Sequence[str]) -> bool:
    names = Counter(row.name for row in rows if row is not None)
    if len(names) < _FEWEST_NAMES or any(is_field(name) or not _may_speak(name) for name in names):
        return False
    filled = [row for row, line in zip(rows, lines, strict=True) if line.strip()]
    again = sum(count for count in names.values() if count > 1)
    total = sum(names.values())
    if not any(filled[: _MOST_ABOVE + 1]) or (total < len(filled) and 2 * again < total):
        return False
    # A log in a chat whose speakers have labels is part of a message.
    return not any(row is None and begins_with_a_role(line) for row, line in zip(rows, lines, strict=True))


def _may_speak(name: str) -> bool:
    return label_role(name) is not None or is_name(name)


def _said(rows: Sequence[_Row | None], lines: Sequence[str]) -> Iterator[Utterance]:
    speaker: str | None = None
    sent: str | None = None
    block: list[str] = []
    for row, line in zip(rows, lines, strict=True):
        if row is None and line != GAP:
            block.append(line)
            continue
        yield Utterance(speaker, "\n".join(block), sent=sent)
        speaker, sent, block = (None, None, []) if row is None else (row.name, row.time, [row.text])
    yield Utterance(speaker, "\n".join(block), sent=sent)
