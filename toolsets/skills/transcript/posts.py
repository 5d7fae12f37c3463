"""Reads the posts of forums: a name with label lines such as "Posted: 3 May 2024" above each text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.headings import heading, is_name
from toolsets.skills.transcript.speakers import Utterance, begins_with_a_role, label_role
from toolsets.skills.transcript.stamps import MOMENT, TIME_AHEAD
from toolsets.skills.transcript.words import words

_LABELLED = re.compile(r"[\s*_]{0,4}(?P<label>[^\W\d_][\w -]{0,24}?)[*_]{0,2}\s?:[*_]{0,2}\s{1,3}(?P<value>\S.{0,160})")
_STAMPED = re.compile(
    r"(?:[\s*_]{0,4}(?P<label>[^\W\d_][\w -]{0,24}?)[*_]{0,2}\s?(?::|\son\b:?)[*_]{0,2}\s{1,3}"
    r"|(?P<by>[»›\s]{0,3}(?:\w{2,12} )?by (?P<name>\S.{0,40}?)(?:,|\s[»›|·•–—-]|\son)\s{1,3}))"
    rf"{TIME_AHEAD}(?P<time>{MOMENT})(?P<rest>.{{0,80}})"
)
"""A line with a label and a time, or with "by", a name and a time."""
_NICKNAME = re.compile(r"@?(?=[\w.-]{0,30}[^\W\d_])\w[\w.-]{1,30}")
_NAMES: Final = words("labels_of_names")
_TEXTS: Final = words("labels_of_texts")
_MAIL: Final = frozenset("from von de to an".split())
"""Labels of the headers of mails."""
_MOST_LABELS: Final = 6
"""Lines around a time that belong to the head of a post: an author, a rank, a number of posts and so on."""
_FEWEST_POSTS: Final = 2
"""A label that occurs once may be text."""
_LONGEST_NAME: Final = 40
"""Characters of an author's name; a longer line is text."""
_SIGNATURE = re.compile(r"\s{0,3}(?:--|[-_~=]{3,})\s*")
_LONGEST_SIGNATURE: Final = 4
"""Lines after the mark of a signature; with more the end of the post would be lost."""
_QUOTE = re.compile(r"(?:\s?>)+\s?")
_ATTRIBUTION = re.compile(r"[^\n]{1,60}(?:wrote|said|writes|schrieb)\s?:\s*")
_LEAST_QUOTED: Final = 12
"""The fewest characters of a quoted line that is looked for in earlier posts."""


@dataclass(frozen=True, slots=True)
class _PostHead:
    """The lines from `start` up to `stop` above the text of a post."""

    start: int
    stop: int
    name: str
    text: str = ""
    """The text that a last label such as "Message:" has."""


def read_posts(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the posts in order, None for other lines; signatures and quotes of earlier posts are left out.

    Two heads or more have a time after the same label, and two people or more write. The author of a text after the
    line `GAP` is unknown.
    """
    times = Counter(_label(match) for line in lines if (match := _STAMPED.fullmatch(line[:240])) is not None)
    if not any(count >= _FEWEST_POSTS for count in times.values()):
        return None
    labels = Counter(
        match["label"].casefold() for line in lines if (match := _LABELLED.fullmatch(line[:240])) is not None
    )
    if _MAIL & labels.keys():
        return None
    known = frozenset(label for label, count in (labels + times).items() if count >= _FEWEST_POSTS)
    heads = list(_heads(lines, known, frozenset(label for label, count in times.items() if count >= _FEWEST_POSTS)))
    if len(heads) < _FEWEST_POSTS or len({head.name for head in heads}) < _FEWEST_POSTS:
        return None
    in_heads = {at for head in heads for at in range(head.start, head.stop)}
    # A heading above the first post, such as "Opened by Ann", makes it a chat.
    if any((above := heading(line)) is not None and above.said for line in lines[: heads[0].start]):
        return None
    # Where speakers have labels, label lines with times are part of a message.
    if any(begins_with_a_role(line) for at, line in enumerate(lines) if at not in in_heads):
        return None
    return list(_said(lines, heads))


def _label(match: re.Match[str]) -> str:
    return "by" if match["by"] is not None else match["label"].casefold()


def _heads(lines: Sequence[str], labels: frozenset[str], times: frozenset[str]) -> Iterator[_PostHead]:
    at = 0
    for number, line in enumerate(lines):
        match = _STAMPED.fullmatch(line[:240])
        if number < at or match is None or _label(match) not in times:
            continue
        start, stop = number, number + 1
        while start > at and number - start < _MOST_LABELS and _labelled(lines[start - 1], labels) is not None:
            start -= 1
        while stop < len(lines) and stop - number <= _MOST_LABELS and _is_in_head(lines[stop], labels):
            stop += 1
        head = _head(lines, start, stop, at, match["name"])
        if head is not None:
            yield head
            at = head.stop


def _labelled(line: str, labels: frozenset[str]) -> re.Match[str] | None:
    match = _LABELLED.fullmatch(line[:240])
    known = match is not None and (match["label"].casefold() in labels or match["label"].casefold() in _NAMES)
    return match if known else None


def _is_in_head(line: str, labels: frozenset[str]) -> bool:
    return _labelled(line, labels) is not None or _STAMPED.fullmatch(line[:240]) is not None


def _head(lines: Sequence[str], start: int, stop: int, after: int, name: str | None) -> _PostHead | None:
    """Return the head with these label lines: its name is the value of a label, or else stands above them."""
    text = ""
    for line in lines[start:stop]:
        if (match := _LABELLED.fullmatch(line)) is not None:
            label = match["label"].casefold()
            name = match["value"].strip(" *_") if name is None and label in _NAMES else name
            text = match["value"] if label in _TEXTS else text
    if name is None:
        above = _name_above(lines, start, after)
        if above is None:
            return None
        start, name = above
    return _PostHead(start, stop, name, text) if may_write(name) else None


def _name_above(lines: Sequence[str], start: int, after: int) -> tuple[int, str] | None:
    """Return the line of the name above the labels; a rank may stand between them."""
    at = start - 1
    while at > after and at > start - 3 and not lines[at].strip():
        at -= 1
    if at < after or not may_write(lines[at].strip(" *_#:")):
        return None
    if at > after and may_write(lines[at - 1].strip(" *_#:")) and (at - 1 == after or not lines[at - 2].strip()):
        at -= 1
    return at, lines[at].strip(" *_#:")


def may_write(name: str) -> bool:
    """Return whether a text may name the author of a post: a role, a name or a nickname."""
    if not 1 < len(name) <= _LONGEST_NAME:
        return False
    return label_role(name) is not None or is_name(name) or _NICKNAME.fullmatch(name) is not None


def _said(lines: Sequence[str], heads: Sequence[_PostHead]) -> Iterator[Utterance]:
    yield Utterance(None, "\n".join(line for line in lines[: heads[0].start] if line != GAP))
    seen = ""
    for head, end in zip(heads, (*(head.start for head in heads[1:]), len(lines)), strict=True):
        body = [*([head.text] if head.text else ()), *lines[head.stop : end]]
        left = body.index(GAP) if GAP in body else len(body)
        text = "\n".join(_without_quotes(_without_signature(body[:left]), seen))
        yield Utterance(head.name, text, sent=" ".join(lines[head.start : head.stop]))
        yield Utterance(None, "\n".join(body[left + 1 :]))
        seen += f"\n{text}"


def _without_signature(body: Sequence[str]) -> Sequence[str]:
    while body and not body[-1].strip():
        body = body[:-1]
    first = max(0, len(body) - _LONGEST_SIGNATURE - 1)
    return body[: next((at for at in range(first, len(body)) if _SIGNATURE.fullmatch(body[at])), len(body))]


def _without_quotes(body: Sequence[str], seen: str) -> Iterator[str]:
    for at, line in enumerate(body):
        quote = _QUOTE.match(line)
        bare = "" if quote is None else line[quote.end() :].strip()
        named = at + 1 < len(body) and _QUOTE.match(body[at + 1]) is not None and _ATTRIBUTION.fullmatch(line)
        if not named and (quote is None or (len(bare) >= _LEAST_QUOTED and bare not in seen)):
            yield line
