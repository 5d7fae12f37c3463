"""Recognises texts whose speakers were not found: times, names or labels are left at the beginning of many lines."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from toolsets.skills.transcript.fences import fence_parts
from toolsets.skills.transcript.speakers import is_field, label_role
from toolsets.skills.transcript.stamps import MOMENT, STAMP, TIME_AHEAD

_STAMPED = re.compile(rf"\W{{0,4}}(?:[\w .#-]{{1,30}}?(?:\W{{1,4}}|=))?{TIME_AHEAD}{STAMP}")
_NAMED = re.compile(
    rf"(?<![\w.:])(?=\d){STAMP}[\])]?[\s|,;:~>·•–—-]{{1,4}}(?P<name>[^\W\d_][\w'’-]{{1,30}})(?![\w=/.-]\w)"
)
"""A time before a name, anywhere in a text."""
_CELL = re.compile(r"[|<\[({]{1,2}(?P<name>[^\W_][\w .'’-]{0,30}?)\s{0,2}(?:[|>\])}]{1,2})\s{0,3}\S")
"""A name between marks at the beginning of a line."""
_LABEL = re.compile(rf"\W{{0,4}}(?P<label>[^\W\d_][\w -]{{0,24}}?)\s?(?::|\son)\s{{1,3}}{TIME_AHEAD}{MOMENT}")
_ONLY_MOMENT = re.compile(rf"\W{{0,4}}(?=\w){MOMENT}\W{{0,4}}")
_TIME_IN_NAME = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_CLOCK = re.compile(r"\d[:.]\d\d")
_HEAD: Final = 200
"""Characters of the first line of a message in which a time is searched."""
_FEWEST: Final = 3
"""With two, a report that tells when things happened would look like a conversation."""
_FEWEST_NAMES: Final = 2
"""A conversation has two people."""


class _Said(Protocol):
    @property
    def speaker(self) -> str | None: ...
    @property
    def text(self) -> str: ...


def has_unread_speakers(said: Sequence[_Said]) -> bool:
    """Return whether the speakers of a text are not those that it names.

    Without speakers, half of the lines begin with times or names, or several names follow times. With speakers, half of
    the texts begin with a line that is a time, or a time is part of a name. Lines between fences do not count, nor does
    a text whose speakers have labels of both roles: its lines with times are a log.
    """
    roles = {label_role(each.speaker) for each in said if each.speaker is not None}
    if any(_TIME_IN_NAME.search(each.speaker) is not None for each in said if each.speaker is not None):
        return True
    if {"customer", "agent"} <= roles:
        return False
    named = [each.text.strip() for each in said if each.speaker is not None]
    dated = sum(_ONLY_MOMENT.fullmatch(text.partition("\n")[0][:_HEAD]) is not None for text in named)
    if dated >= _FEWEST_NAMES and 2 * dated >= len(named):
        return True
    return not named and any(_is_marked(each.text) for each in said)


def _is_marked(text: str) -> bool:
    lines = list(_outside_fences(text.split("\n")))
    clocks = [line for line in lines if _CLOCK.search(line) is not None]
    stamped = sum(_STAMPED.match(line) is not None for line in clocks)
    labels = Counter(match["label"].casefold() for line in lines if (match := _LABEL.match(line)) is not None)
    if (stamped >= _FEWEST and 2 * stamped >= len(lines)) or any(count >= _FEWEST for count in labels.values()):
        return True
    cells = [match["name"].casefold() for line in lines if (match := _CELL.match(line)) is not None]
    followed = [match["name"] for line in clocks for match in _NAMED.finditer(line) if match["name"][0].isupper()]
    return (2 * len(cells) >= len(lines) and _alternate(cells)) or _alternate(followed)


def _alternate(names: Iterable[str]) -> bool:
    """Return whether two names or more occur, and two of them again."""
    counts = Counter(name for name in names if not is_field(name))
    return sum(count > 1 for count in counts.values()) >= _FEWEST_NAMES


def _outside_fences(lines: Iterable[str]) -> Iterable[str]:
    mark: str | None = None
    for line in lines:
        inside = mark is not None
        mark = fence_parts(line, mark).open
        if not inside and mark is None and line.strip():
            yield line
