"""Finds the fences around code, at the beginning of a line or after other text."""

import re
from dataclasses import dataclass

_MARK = re.compile(r"`{3,}|~{3,}")
_INFO = re.compile(r"[\w+#.-]{0,30}\s*")


@dataclass(frozen=True, slots=True)
class FencedLine:
    """A line by what is before, in and after a fence; `open` is the mark of the fence that is open after the line."""

    prose: str
    """Text outside of fences; inline code in three backticks is part of it."""
    code: str | None
    """Text within the fence; None if the line has none."""
    open: str | None
    announces: bool = False
    """Whether the fence begins after the prose; otherwise the prose, if any, follows the code."""


def has_fence(line: str) -> bool:
    """Return whether a line has a mark that may begin or end a fence."""
    return "```" in line or "~~~" in line


def fence_parts(line: str, mark: str | None) -> FencedLine:
    """Return the parts of a line; `mark` is that of the fence that is open before it, None if there is none."""
    return _outside(line) if mark is None else _inside(line, mark)


def _outside(line: str) -> FencedLine:
    opened: re.Match[str] | None = None
    for match in _MARK.finditer(line):
        if opened is None:
            opened = match if _may_open(line, match) else None
        elif _closes(match.group(), opened.group()):
            opened = None
    if opened is None:
        return FencedLine(line, None, None)
    after = line[opened.end() :]
    code = None if _INFO.fullmatch(after) is not None else after.strip()
    return FencedLine(line[: opened.start()], code, opened.group(), announces=True)


def _may_open(line: str, match: re.Match[str]) -> bool:
    """Return whether a mark may begin a fence; tildes after other text than a label are an ornament."""
    before = line[: match.start()].rstrip()
    return match.group()[0] == "`" or not before or before.endswith(":")


def _inside(line: str, mark: str) -> FencedLine:
    text = line.rstrip()
    match = _MARK.match(text.lstrip())
    if match is not None and _closes(match.group(), mark):
        return FencedLine(text.lstrip()[match.end() :], None, None)
    if (last := re.search(r"(?:`{3,}|~{3,})$", text[-80:])) is not None and _closes(last.group(), mark):
        return FencedLine("", text[: -len(last.group())], None)
    return FencedLine("", text, mark)


def _closes(mark: str, opened: str) -> bool:
    return mark[0] == opened[0] and len(mark) >= len(opened)
