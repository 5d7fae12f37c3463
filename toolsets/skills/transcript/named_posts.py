"""Reads posts, comments and mails whose heads have a name but no time of their own, such as "**ann** (owner)" above a text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.fences import fence_parts, has_fence
from toolsets.skills.transcript.headings import heading
from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.posts import may_write
from toolsets.skills.transcript.speakers import Utterance, begins_with_a_role, is_field, label_role, section_role
from toolsets.skills.transcript.stamps import CLOCK, MOMENT
from toolsets.skills.transcript.words import any_of, words

_NAME: Final = r"@?(?P<name>[^\W_][^\n:<>()\[\]*|,]{0,39}?(?:\[bot\])?)"
_ACCOUNT: Final = r"@?(?P<name>[^\W_][\w.-]{1,30}(?:\[bot\])?)"
_RANK: Final = r"(?:\s{1,2}[(\[](?P<rank>[^\n()\[\]]{1,30})[)\]])?"
_RANK_BEHIND_MARK: Final = r"(?:\s{0,2}(?:[(\[]|[-–—·|,]\s)(?P<rank>[\w .&/-]{1,30})[)\]]?)?"


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    own_line: bool = True
    """Whether the head is a line of its own that begins a paragraph; otherwise the text follows in the same line."""
    recurring: int = 1
    """The fewest names that occur more than once; 0 for a form that is sure without any."""
    nicknames: bool = False
    """Whether one of the names must be that of an account, because headings of sections have the same form."""
    ranked: bool = False
    """Whether one of the names must have a rank after it, because captions have the same form."""
    below_separator: bool = False


_ENTRY: Final = rf"[\s*_#]{{0,6}}(?i:{any_of('entries')})"
_DATED_NAME: Final = _NAME.replace("<name>", "<dated_name>") + _RANK.replace("<rank>", "<dated_rank>")
_SAID: Final = rf"(?:\s{any_of('said')})?:?\s*"
_FORMS: Final = (
    _Form(
        re.compile(
            rf"{_ENTRY}(?: ?#?\d{{1,4}},\s{_NAME}{_RANK}(?:,?\s{MOMENT})?|,\s{_DATED_NAME},?\s{MOMENT})[\s*_:]{{0,4}}"
        ),
        recurring=0,
    ),
    _Form(re.compile(rf"(?i:from|von|de):\s{{1,3}}{_NAME}\s*"), recurring=0, below_separator=True),
    _Form(re.compile(rf"\s{{0,3}}(?:#{{1,6}} |[-*] )?(?:\*\*|__){_NAME}(?:\*\*|__){_RANK_BEHIND_MARK}{_SAID}")),
    _Form(re.compile(rf"\s{{0,3}}(?=@){_ACCOUNT}{_RANK}{_SAID}")),
    _Form(re.compile(rf"\s{{0,3}}{_NAME}{_RANK}\s?:\s*"), ranked=True),
    _Form(re.compile(rf"{_NAME}{_RANK}\s*"), recurring=2, nicknames=True),
    _Form(re.compile(rf"[*_]{{0,2}}{_NAME}[*_]{{0,2}} [(\[]{MOMENT}[)\]]:\s{{1,3}}(?=\S)"), own_line=False),
    _Form(re.compile(rf"{_ACCOUNT} {CLOCK}\s{{1,3}}(?=\S)"), own_line=False, recurring=2),
    _Form(re.compile(rf"(?P<mark>[*_]){_NAME}{_RANK}(?::(?P=mark)|(?P=mark):)\s{{1,3}}(?=\S)"), own_line=False),
)
"""The forms of heads, the surest first."""
SEPARATOR = re.compile(r"\s{0,3}(?:[-=_*~]{2,}|\* \* \*)(?:(?:[^\W_]| ){1,24}[-=_*~]{2,})?\s*")
MAIL_HEADER = re.compile(r"(?i)(?:from|to|cc|date|sent|subject|von|an|datum|betreff|de|à|objet):\s.{0,300}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_OF_ONESELF: Final = words("of_oneself")
_NO_AUTHORS: Final = words("no_authors")
_NICKNAME = re.compile(r"[a-z0-9].*|\S*[\d_]\S*|\S*[a-z][A-Z]\S*")
_PARTICLES: Final = frozenset("al bin da de del den der di du el la le ten ter van von y zu".split())
_NO_ROLE: Final = "member"
"""A rank that helpers have, too."""
_LONGEST: Final = 160
"""Characters of a line with a name; a longer one is text."""
_FEWEST_HEADS: Final = 3
"""With two, the names of a text may look like speakers by accident."""
_FEWEST_NAMES: Final = 2
"""A conversation has two people."""
_MOST_ABOVE: Final = 3
"""The most lines above the first head, such as a title; bare names below a sentence may be signatures."""
_LONGEST_HEARD: Final = 2_000
"""The characters of a text that are searched for words of a person."""


@dataclass(frozen=True, slots=True)
class _NamedPostHead:
    at: int
    end: int
    """Where the text begins in the line of the head."""
    name: str
    role: Role | None
    ranked: bool = False


def read_named_posts(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the posts in order, None for other lines.

    The heads have one form, and two people or more write. Unless the form is sure, most names occur again, at least two
    people speak of themselves, say thanks or have a rank, and only a title stands above. The author of a text after the
    line `GAP` is unknown.
    """
    code = list(_in_fences(lines))
    for form in _FORMS:
        heads = list(_heads(lines, code, form))
        if not _may_be_posts(heads, form):
            continue
        said = list(_said(lines, heads, form))
        if not form.recurring or _are_posts(said, heads, lines, form):
            return said
    return None


def _in_fences(lines: Sequence[str]) -> Iterator[bool]:
    mark: str | None = None
    for line in lines:
        yield mark is not None
        mark = fence_parts(line, mark).open if mark is not None or has_fence(line) else None


def _heads(lines: Sequence[str], code: Sequence[bool], form: _Form) -> Iterator[_NamedPostHead]:
    first = True
    for at, line in enumerate(lines):
        if code[at] or not line or (len(line) > _LONGEST and form.own_line):
            continue
        opened = heading(line) if first and form.own_line and not form.below_separator else None
        if opened is not None and opened.said:
            yield _NamedPostHead(at, len(line), opened.name.removeprefix("@"), label_role(opened.name))
            first = False
        elif (head := _head(line, at, form)) is not None and (not form.own_line or _is_above_a_text(lines, at, form)):
            yield head
            first = False


def _head(line: str, at: int, form: _Form) -> _NamedPostHead | None:
    match = form.pattern.fullmatch(line) if form.own_line else form.pattern.match(line[:_LONGEST])
    if match is None:
        return None
    found = match.groupdict()
    name = (found["name"] or found.get("dated_name") or "").strip()
    rank = found.get("rank") or found.get("dated_rank") or ""
    folded = name.casefold()
    if is_field(name) or section_role(name) is not None or folded in _NO_AUTHORS or not may_write(name):
        return None
    if " " in name and any(word[0].islower() and word not in _PARTICLES for word in name.split()):
        return None
    role = label_role(name) or (None if _NO_ROLE in rank.casefold() else label_role(rank))
    return _NamedPostHead(at, match.end(), name, role, bool(rank))


def _is_above_a_text(lines: Sequence[str], at: int, form: _Form) -> bool:
    """Return whether a line begins a paragraph, or stands below a separator, and a text follows."""
    if form.below_separator:
        above = next((line for line in reversed(lines[max(0, at - 3) : at]) if line.strip()), "")
        begins = not above or SEPARATOR.fullmatch(above) is not None or MAIL_HEADER.fullmatch(above) is not None
    else:
        begins = at == 0 or not lines[at - 1].strip() or lines[at - 1] == GAP
    below = lines[at + 1 : at + (2 if form.nicknames else 3)]
    if form.nicknames and below and below[0][:1] in {" ", "\t"}:
        # An indented text belongs to an item of a list.
        return False
    return begins and any(line.strip() for line in below)


def _may_be_posts(heads: Sequence[_NamedPostHead], form: _Form) -> bool:
    counts = Counter(head.name for head in heads)
    if len(counts) < _FEWEST_NAMES:
        return False
    if not form.recurring:
        return True
    again = [count for count in counts.values() if count > 1]
    if len(heads) < _FEWEST_HEADS or len(again) < form.recurring or 2 * sum(again) < len(heads):
        return False
    if form.ranked and not any(head.ranked for head in heads):
        return False
    return not form.nicknames or any(_NICKNAME.fullmatch(name) is not None for name in counts)


def _are_posts(said: Sequence[Utterance], heads: Sequence[_NamedPostHead], lines: Sequence[str], form: _Form) -> bool:
    above = [line.rstrip() for line in lines[: heads[0].at] if line.strip()]
    if len(above) > _MOST_ABOVE or (form.nicknames and any(line.endswith((".", ",")) for line in above)):
        return False
    # Where speakers have labels, such names are part of a message.
    in_heads = {head.at for head in heads}
    if any(begins_with_a_role(line) for at, line in enumerate(lines) if at not in in_heads):
        return False
    people = {each.speaker for each in said if each.speaker is not None and (each.role or _speaks(each.text))}
    return len(people) >= _FEWEST_NAMES


def _speaks(text: str) -> bool:
    return any(word.casefold().replace("’", "'") in _OF_ONESELF for word in _WORD.findall(text[:_LONGEST_HEARD]))


def _said(lines: Sequence[str], heads: Sequence[_NamedPostHead], form: _Form) -> Iterator[Utterance]:
    roles: dict[str, Role] = {head.name: head.role for head in heads if head.role is not None}
    above = [line for line in lines[: heads[0].at] if line != GAP]
    yield (
        Utterance(_signer(above, heads), "\n".join(_text(above, form)))
        if form.below_separator
        else Utterance(None, "\n".join(above))
    )
    for head, end in zip(heads, (*(head.at for head in heads[1:]), len(lines)), strict=True):
        body = [lines[head.at][head.end :], *lines[head.at + 1 : end]]
        left = body.index(GAP) if GAP in body else len(body)
        yield Utterance(
            head.name,
            "\n".join(_text(body[:left], form)).strip(),
            roles.get(head.name),
            sent=lines[head.at][: head.end],
        )
        yield Utterance(None, "\n".join(body[left + 1 :]))


def _text(body: Sequence[str], form: _Form) -> list[str]:
    """Return the lines of a text; those of a mail without its headers and the separator below it."""
    if not form.below_separator:
        return list(body)
    first = next((at for at, line in enumerate(body) if line and MAIL_HEADER.fullmatch(line) is None), len(body))
    kept = list(body[first:])
    while kept and (not kept[-1].strip() or SEPARATOR.fullmatch(kept[-1]) is not None):
        kept.pop()
    return kept


def _signer(above: Sequence[str], heads: Sequence[_NamedPostHead]) -> str | None:
    """Return the name of a sender below whose name ends the text above the first head."""
    text = " ".join(" ".join(line.split()) for line in above if SEPARATOR.fullmatch(line) is None).rstrip(" .")
    return next((head.name for head in heads if text.endswith(f" {head.name}")), None)
