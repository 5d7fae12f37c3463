"""Reads lines that stand above a message: a name and a time in any order, or a name and a verb such as "replied"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.transcript.stamps import MOMENT
from toolsets.skills.transcript.words import any_of, words

NAME_SHAPE: Final = re.compile(
    r"@?(?:[^\W\d_][\w.'’-]{0,30})(?: (?:[^\W\d_][\w.'’-]{0,30}|\d{1,6}|\([\w .&/-]{1,40}\)|\[[\w .&/-]{1,40}\]|\|)){0,4}"
)
_JOINT = re.compile(
    r"\s?[|/·•]\s?|\s[@–—-]{1,2}\s|\s@(?=\w)|,\s(?=[^,]{0,60}\s)|\s(?:at|bei|chez|from|of|via|von|with)\s(?=[A-Z])"
)
"""What joins a name and a company or a position, as in "Ann | Acme Support", "Ann @ Acme" or "Ann via Help Center"."""
_AFFILIATION = re.compile(r"(?=[^a-z]|[a-z]+[A-Z])(?:[^\W_][\w.'’&-]{0,30}|&)(?: (?:[^\W_][\w.'’&-]{0,30}|&)){0,4}")
_MOST_AFFILIATIONS: Final = 2
"""What may follow a name: a role and a company."""
_IN_FRONT = re.compile(r"\[[\w .&-]{1,40}\]\s")
PICTOGRAPHS: Final = "[\u2600-\u27bf\ufe0f\u200d\U0001f000-\U0001faff]{1,8}"
_PICTOGRAPHS = re.compile(rf"\s?{PICTOGRAPHS}")
_LONGEST: Final = 120
"""Characters; a longer line is text."""
_MOST_WORDS: Final = 16
"""A name, a role, a company, a date and a time; a longer line is text."""
_ADDRESS = re.compile(r"\s*(?:<[^<>\s]{3,80}>|\([^()\s]{1,60}@[^()\s]{1,60}\))|(?<=\w) \(?@[\w.-]{2,40}\)?(?=\s|$)")
_SENDER = re.compile(r"(?i)(?:from|von|by|author|sender)\s?:\s+")
_MAILBOX = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_LEVEL = re.compile(r"\s{0,3}(?:#{1,6}\s+|[-*•]\s+(?=\S))?(?:@|u/)?")
_STRESS = re.compile(r"\*\*|__|`")
_MOMENT = re.compile(rf"(?<![\w.:/-])(?=\w){MOMENT}(?![\w/-]|:\d)")
_FIRST_MOMENT = re.compile(rf"[\W_]{{0,6}}(?i:{any_of('before_a_time')}[\s:]+)?{MOMENT}(?![\w/-]|:\d)")
_LONGEST_MOMENT: Final = 60
"""The number of characters at the end of a line that are searched for a time and what programs add to it."""
_MARKS: Final = " \t\u00a0\u200b\u200e\u200f()[]{}<>|,;:.–—•·~*_-"
_BEFORE_TIME = re.compile(rf"(?i)(?:(?:^|(?<=[\s,(\[])){any_of('before_a_time')}[\s:]*)$")
_REMARK = re.compile(rf"(?i)(?:[\s(\[]|^)(?:{any_of('remarks')}|uhr)[\s)\]:,.]*$")
_SAID = re.compile(rf"(?i)^(?P<name>.{{1,60}}?)[\s,]+{any_of('said')}$")
_SAID_BY = re.compile(rf"(?i)^{any_of('said_by')}[\s:]+(?P<name>.{{1,60}})$")
_BADGE = re.compile(r"(?i)\s\((?:author|collaborator|contributor|member|owner)\)$")
"""What trackers of issues add to a name; a member of a project does not ask, unlike one of a club."""
_SENTENCE_END = re.compile(r"(?:[!?…;]|[^\W\d_]{5}\.|\d{5}\.?)$")
"""The end of a sentence or a number, which neither a name nor a time has."""
_NOBODY: Final = words("no_names")
_FIRST_PERSON: Final = (["me"], ["you"])
"""Programs call the person so who exports a chat."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The line above a message; `said` means that it has a verb of saying, so that it needs no time."""

    name: str
    said: bool


def heading(line: str) -> Heading | None:
    """Return the heading that a line is, None for another line.

    All of the line must be the name, a time or a verb of saying, and what programs add, such as "APP" or "(edited)".
    """
    bare = _STRESS.sub("", line[_end_of_level(line) :]).strip()
    if (
        not 2 < len(bare) <= _LONGEST
        or bare.count(" ") >= _MOST_WORDS
        or _SENTENCE_END.search(bare, len(bare) - 6) is not None
    ):
        return None
    rest, timed, in_a_sentence = _without_time(_ADDRESS.sub("", bare))
    if timed and rest.endswith(_AGO_ENDS):
        # Exports have "3 days ago (Mon, 2 Mar 2026 at 8:01 AM)".
        rest = _without_time(rest)[0]
    rest = _SENDER.sub("", _without_remarks(rest), count=1) if timed else _without_remarks(rest)
    match = _SAID.match(rest) or _SAID_BY.match(rest)
    if match is None and not timed:
        return None
    name = rest if match is None else _BADGE.sub("", match["name"])
    name = name.strip(_NAME_MARKS)
    name = name.removesuffix(",").strip()
    if not is_name(name) or (match is None and name[0].islower() and in_a_sentence):
        return None
    return Heading(name, match is not None)


_AGO_ENDS: Final = ("ago", "now", "yesterday", "today")
_NAME_MARKS: Final = " \t\u00a0\u200b\u200e\u200f|,;:–—•·~*_-"


def _end_of_level(line: str) -> int:
    match = _LEVEL.match(line)
    return 0 if match is None else match.end()


def _without_time(text: str) -> tuple[str, bool, bool]:
    """Return a line without the time that it begins or ends with, whether it has one, and whether a word leads to it.

    Such a word as in "lunch at 12:30" is rare above a message.
    """
    if (first := _FIRST_MOMENT.match(text)) is not None and _without_remarks(text[first.end() :]).strip(_MARKS):
        return text[first.end() :].lstrip(_CLOSING), True, False
    for match in _MOMENT.finditer(text, max(0, len(text) - _LONGEST_MOMENT)):
        before, after = text[: match.start()], text[match.end() :]
        if not _without_remarks(after).strip(_MARKS):
            bare = before.rstrip(_OPENING)
            rest = _BEFORE_TIME.sub("", bare)
            return rest.rstrip(_OPENING), True, rest != bare
    return text, False, False


_OPENING: Final = " \t\u00a0\u202f([{<|,;:–—•·~*_-"
_CLOSING: Final = " \t\u00a0\u202f)]}>|,;:–—•·~*_-"


def _without_remarks(text: str) -> str:
    for _ in range(2):
        text = _REMARK.sub("", text.rstrip(" \t\u00a0:,·•"))
    return text


def is_name(text: str) -> bool:
    """Return whether a text may be the name of a person or a program."""
    if _MAILBOX.fullmatch(text) is not None:
        return True
    text = without_affiliation(text)
    parts = text.replace(", ", " ", 1).casefold().split()
    if not parts or (_NOBODY & frozenset(parts) and parts not in _FIRST_PERSON):
        return False
    return NAME_SHAPE.fullmatch(text.replace(", ", " ", 1)) is not None


def without_affiliation(name: str) -> str:
    """Return a name without pictographs and without the companies and positions beside it."""
    name = _PICTOGRAPHS.sub("", _IN_FRONT.sub("", name, count=1))
    parts = [part for part in _JOINT.split(name) if part]
    if not 1 < len(parts) <= _MOST_AFFILIATIONS + 1 or any(_AFFILIATION.fullmatch(part) is None for part in parts[1:]):
        return name
    return next((part for part in parts if NAME_SHAPE.fullmatch(part) is not None), name)


_TIME_ALONE = re.compile(
    r"\s{0,8}(?P<status>:[a-z\d_+-]{2,40}:\s{0,3})?"
    rf"[\[(]?{MOMENT}[\])]?(?: \(?(?:edited|bearbeitet)\)?)?\s*"
)
_SHORT: Final = 60
"""Characters of a line with nothing but a name or a time."""


def join_headings(lines: Sequence[str]) -> list[str]:
    """Return lines in which a name on a line of its own and the time below it are one heading.

    A time alone below another message of the same person is left out. Lines are returned as they are if fewer than two
    names stand above a time.
    """
    found = dict(_names_above_times(lines))
    names = set(found.values())
    if found and len(names) < _ALTERNATING:
        names |= {above.name for line in lines if (above := heading(line)) is not None}
    if len(names) < _ALTERNATING:
        return list(lines)
    result: list[str] = []
    for at, line in enumerate(lines):
        if at in found:
            time = _TIME_ALONE.fullmatch(lines[at + 1])
            start = 0 if time is None or time["status"] is None else time.end("status")
            result.append(f"{found[at]}  {lines[at + 1][start:].strip()}")
        elif not is_time(line):
            result.append(line)
    return result


_ALTERNATING: Final = 2
"""The fewest names of a conversation."""


def _names_above_times(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    found = [
        (at, lines[at].strip().strip("*"))
        for at in range(len(lines) - 2)
        if is_time(lines[at + 1]) and lines[at].strip() and not is_time(lines[at]) and lines[at + 2].strip()
    ]
    names = [name for _, name in found]
    for at, name in found:
        if len(name) <= _SHORT and is_name(name) and (names.count(name) > 1 or name[:1].isupper() or " " not in name):
            yield at, name


def is_time(line: str) -> bool:
    """Return whether a line is a time."""
    return len(line) <= _SHORT and line.strip() != "" and _TIME_ALONE.fullmatch(line) is not None
