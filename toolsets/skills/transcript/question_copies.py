"""Reads what is copied from a page of Stack Exchange, with the names of its buttons, its counters and its badges."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.headings import is_name
from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.stamps import MOMENT

_POSTED = re.compile(rf"(?P<verb>asked|answered)\s{{1,3}}{MOMENT}\s*")
"""The line below a question or an answer, above its author."""
_BADGES = re.compile(
    r"\d[\d,.]*k?(?:\s?\d{0,6}\s?(?:gold|silver|bronze) badges?)*|.{1,60}'s user avatar"
    r"|.{0,10}\d{1,9} (?:gold|silver|bronze) badges?.{0,80}"
)
_OF_PAGE = re.compile(
    r"(?i:share|follow|cite|flag|edit|delete|save this (?:question|answer)\.?|improve this (?:question|answer)|add a comment"
    r"|show activity on this post\.?|show \d{1,4} more comments?|\+?\d{1,7}(?:\.\d)?k?|sorted by:?(?:\s*highest score.{0,20})?"
    r"|highest score(?: \(default\))?|reset to default|\d{1,4} answers?|\|)[\s|]*"
    rf"|(?:Asked|Modified|Active|Viewed)\b.{{1,60}}|(?:edited|Commented)\s{{0,3}}(?:on )?{MOMENT}\s*"
)
"""A button or a counter of the page."""
_TAGS = re.compile(r"[a-z\d][a-z\d.+#-]{0,34}(?:\s{1,3}[a-z\d][a-z\d.+#-]{0,34}){0,5}\s*")
_COMMENT_END = re.compile(
    r"(?P<text>.*?)\s[–—-]\s{0,3}(?:(?P<name>@?[^\W\d_][\w.'’ -]{0,38}?)"
    rf"(?:\s{{0,3}}(?:Commented\s?)?(?:on )?(?P<time>{MOMENT}))?)?\s*"
)
_COMMENTED = re.compile(rf"Commented\s{{0,3}}(?:on )?{MOMENT}\s*")
_LONGEST: Final = 200
"""Characters of a line of the page, such as a badge; a longer one is text."""


def read_question_copy(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the question, its answers and their comments in order; None for lines that are no copy of such a page.

    The first line is the title. The first answer has the highest score; the others have the role `other`, like the comments
    of third persons.
    """
    posts = [at for at, line in enumerate(lines) if len(line) <= _LONGEST and _POSTED.fullmatch(line) is not None]
    verbs = [lines[at].split()[0] for at in posts]
    if verbs[:1] != ["asked"] or "answered" not in verbs or verbs.count("asked") > 1:
        return None
    first = next(at for at, line in enumerate(lines) if line.strip())
    people = [_author(lines, at) for at in posts]
    roles: dict[str, Role] = {people[0][0]: "customer"}
    roles.setdefault(people[1][0], "agent")
    said = [Utterance(None, f"# {lines[first].strip()}")]
    start = first + 1
    for at, (name, end) in zip(posts, people, strict=True):
        comments, body = _comments(lines[start:at]) if start > first + 1 else ([], _without_tags(lines[start:at]))
        said += (Utterance(author, text, roles.get(author, "other")) for author, text in comments)
        said.append(Utterance(name, _text(body), roles.get(name, "other")))
        start = end
    said += (Utterance(author, text, roles.get(author, "other")) for author, text in _comments(lines[start:])[0])
    return said


def _without_tags(body: Sequence[str]) -> Sequence[str]:
    """Return the lines of a question without the line of its tags above the buttons."""
    kept = list(body)
    while kept and (not kept[-1].strip() or _is_of_page(kept[-1])):
        kept.pop()
    return (
        kept[:-1]
        if len(kept) > 1 and not kept[-2].strip() and _TAGS.fullmatch(kept[-1][:_LONGEST]) is not None
        else kept
    )


def _author(lines: Sequence[str], at: int) -> tuple[str, int]:
    """Return the name below the line with the time, and the line after the author's badges."""
    name = ""
    at += 1
    while at < len(lines):
        line = lines[at].strip()
        if line and _BADGES.fullmatch(line[:_LONGEST]) is None:
            if name or not is_name(line):
                break
            name = line
        at += 1
    return name or "unknown", at


def _text(body: Sequence[str]) -> str:
    """Return a text without the buttons and counters around it."""
    kept = [line for line in body if line != GAP and not _is_of_page(line)]
    return "\n".join(kept).strip()


def _is_of_page(line: str) -> bool:
    return _OF_PAGE.fullmatch(line.strip()[:_LONGEST]) is not None


def _comments(lines: Sequence[str]) -> tuple[list[tuple[str, str]], Sequence[str]]:
    """Return the authors and texts of the comments at the beginning of lines, and the lines after the last one."""
    comments: list[tuple[str, str]] = []
    rest = 0
    for at in range(len(lines)):
        end = _comment_end(lines, at) if at >= rest else None
        if end is not None:
            name, text, stop = end
            comments.append((name, _text([*lines[rest:at], text])))
            rest = stop
    return comments, lines[rest:]


def _comment_end(lines: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """Return the author, the text in the last line of a comment and the line after it; None if no comment ends in the line."""
    line = lines[at].rstrip()
    match = _COMMENT_END.fullmatch(line, max(0, len(line) - _LONGEST)) if line[-_LONGEST:].find(" ") >= 0 else None
    if match is None:
        return None
    below = [number for number in range(at + 1, min(at + 5, len(lines))) if lines[number].strip()]
    name = match["name"] or (lines[below.pop(0)].strip() if below else "")
    timed = bool(below) and _COMMENTED.fullmatch(lines[below[0]].strip()[:_LONGEST]) is not None
    if not is_name(name) or not (match["time"] or timed):
        return None
    return name, line[: match.end("text")], below[0] + 1 if timed else at + 1
