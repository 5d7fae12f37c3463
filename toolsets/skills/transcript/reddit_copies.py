"""Reads what is copied from a page of Reddit, with the names of its buttons and its counters."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.skills.transcript.stamps import AGO

_HEAD = re.compile(
    r"(?:u/)?(?P<name>[\w-]{3,20})(?:\s{1,3}(?:OP|MOD))?\s{0,3}[•·]\s{0,3}"
    rf"(?P<time>{AGO})(?:\s{{1,3}}[•·].{{0,60}})?\s*"
)
_SUBREDDIT = re.compile(rf"r/\w{{2,30}}(?:\s{{0,3}}[•·]\s{{0,3}}(?:{AGO}|Posted by))?\s*")
_NAME = re.compile(r"(?:u/)?(?P<name>[\w-]{3,20})")
_BUTTON = re.compile(
    r"(?i)(?:upvote|downvote|reply|award|share|report|save|hide|follow|edited .{1,30} ago|\d{1,6}(?:\.\d)?k?"
    r"|u/[\w-]{3,20} avatar"
    r"|sort by:?|best|comments?|add a comment"
    r"|join the conversation|go to \w{2,30}|comments section|\d{1,6} (?:comments?|more repl(?:y|ies))|level \d)\s*"
)
_FEWEST_HEADS: Final = 2
"""A name with a time may stand in any text once."""
_LONGEST: Final = 200
"""Characters of a line of the page, such as a name with a time; a longer one is text."""


def with_reddit_heads(lines: Sequence[str]) -> list[str]:
    """Return the lines of a copy from Reddit with a name and a time above each text; other lines as they are."""
    joined = list(_joined(lines))
    heads = [match for line in joined if (match := _HEAD.fullmatch(line[:_LONGEST])) is not None]
    above = next((at for at, line in enumerate(joined) if line.strip()), 0)
    subreddit = above < len(joined) and _SUBREDDIT.fullmatch(joined[above][:_LONGEST]) is not None
    marked = subreddit or any(match.group().startswith("u/") for match in heads)
    if len(heads) < _FEWEST_HEADS - subreddit or not marked:
        return list(lines)
    result: list[str] = []
    for at, line in enumerate(joined):
        match = _HEAD.fullmatch(line[:_LONGEST])
        below_subreddit = subreddit and above < at <= above + _FEWEST_HEADS
        lone = _NAME.fullmatch(line.strip()) if below_subreddit else None
        if match is not None:
            result += ["", f"{match['name']} wrote {match['time']}:"]
        elif lone is not None:
            result.append(f"{lone['name']} wrote:")
        elif not (subreddit and at == above) and _BUTTON.fullmatch(line[:_LONGEST]) is None:
            result.append(line)
    return result


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines in which a name, a dot and a time on lines of their own are one."""
    at = 0
    while at < len(lines):
        dot = at + 1
        while dot < min(at + 4, len(lines)) and lines[dot].strip() in {"", "OP", "MOD"}:
            dot += 1
        time = next((line.strip() for line in lines[dot + 1 : dot + 3] if line.strip()), "")
        if (
            dot < len(lines)
            and lines[dot].strip() in {"•", "·"}
            and len(time) < _LONGEST
            and any(form.fullmatch(f"{lines[at].strip()[:40]} • {time}") is not None for form in (_HEAD, _SUBREDDIT))
        ):
            yield f"{lines[at].strip()} • {time}"
            at = next(below for below in range(dot + 1, len(lines)) if lines[below].strip()) + 1
        else:
            yield lines[at]
            at += 1
