"""Reads chats: lines that begin with a speaker, in the forms that programs export and people write."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.transcript.fences import fenced
from toolsets.skills.transcript.speakers import Utterance, is_field, label_role, section_role

GAP: Final = "\x1f"
"""A line in place of an omitted part of the conversation; the speaker after it is unknown."""
_HEAD = 300
"""The number of characters of a line that are searched for a speaker."""
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,6})?)?(?:[ \u00a0\u202f]?[AaPp]\.?[Mm]\.?)?"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}\.? [A-Z][a-z]{2,8}\.?,?(?: \d{4})?"
    r"|(?:[A-Z][a-z]{2,8},? )?[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|[Tt]oday|[Yy]esterday"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
)
_STAMP = rf"(?:{_DAY}(?:,|T| at)? ?{_CLOCK}(?:Z| ?UTC| ?GMT| ?[+-]\d\d:?\d\d)?|{_CLOCK}(?:,? {_DAY})?)"
_NAME = r"[^\W_](?:[^\n:<>\[\]|*#]{0,58}[\w.)'])?"
_NAME_IN_ROW = r"[^\W_][^\t\n:<>]{0,58}"
_FORMS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "[time] name:",
        re.compile(rf"[\u200e\u200f]?[\[(]{_STAMP}[\])]\s{{0,3}}(?:[-–]\s?)?~?\s?(?P<name>{_NAME})\s?:(?:\s|$)"),
    ),
    ("time, tab, name", re.compile(rf"[\[(]?{_STAMP}[\])]?\t(?P<name>{_NAME_IN_ROW})\t")),
    (
        "[time] <name>",
        re.compile(
            rf"[\[(]?(?:{_STAMP})?[\])]?\s{{0,3}}(?:[-–|]\s?)?<[@+%~& ]?(?P<name>[^\s<>@:][^<>:]{{0,58}})>(?:\s|$)"
        ),
    ),
    ("time - name:", re.compile(rf"{_STAMP}\s{{0,3}}(?:[-–|,]\s?)?(?P<name>{_NAME})\s?:(?:\s|$)")),
    (
        "name time:",
        re.compile(
            rf"(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?,?\s{{1,4}}(?:\||-|–|•|·|at|on"
            rf"|APP)?\s{{0,3}}[\[(]?{_STAMP}[\])]?\s?:(?:\s|$)"
        ),
    ),
    (
        "name time",
        re.compile(
            rf"(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?,?\s{{1,4}}(?:(?:\||-|–|•|·|at|on"
            rf"|APP)\s{{0,3}})?[\[(]?{_STAMP}[\])]?\s{{0,3}}$"
        ),
    ),
    ("[time] name", re.compile(rf"\[{_STAMP}\]\s{{1,3}}(?P<name>{_NAME})\s{{0,3}}$")),
    (
        "**name:**",
        re.compile(
            rf"\s{{0,3}}(?:[-*]\s+)?(?:\*\*|__)(?P<name>{_NAME})\s?(?::(?:\*\*|__)|(?:\*\*"
            rf"|__)\s?(?:\([^()]{{1,40}}\)\s?)?:)"
        ),
    ),
    ("# name", re.compile(rf"#{{1,6}}\s+(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?\s?:?\s{{0,3}}$")),
    ("name:", re.compile(rf"\s{{0,3}}(?P<name>{_NAME})\s?:(?:\s|$)")),
    ("- name:", re.compile(rf"\s{{0,3}}[-*•]\s{{1,3}}(?P<name>{_NAME})\s?:(?:\s|$)")),
    ("name -", re.compile(rf"\s{{0,3}}(?P<name>{_NAME})\s?(?:[-–—>]|>>|->|=>)\s")),
    ("name, tab", re.compile(rf"(?P<name>{_NAME_IN_ROW})\t(?=\S)")),
    ("name.", re.compile(r"\s{0,3}(?P<name>[QA]\d{0,3})[.)]\s")),
)
"""The forms, the surest first. In weak forms, only labels that state a role or occur more than once count."""
_WEAK: Final = frozenset({"name:", "- name:", "# name", "**name:**", "name time"})
_LABELS: Final = frozenset({"name:", "# name", "**name:**"})
"""Forms that occur together in one conversation."""
_ROLES_ONLY: Final = frozenset({"name -", "name, tab", "name."})
_NAME_SHAPE = re.compile(r"@?(?:[^\W\d_][\w.'’-]{0,30})(?: (?:[^\W\d_][\w.'’-]{0,30}|\([\w .&/-]{1,40}\)|\|)){0,4}")
_SMALL_WORDS: Final = frozenset(
    """to the for of and a an from that this is number no nr id address name email phone code reference segment since type
    tier plan status account country region language""".split()
)
"""Words of a label that names a field: a customer number is not a customer."""
_NOBODY = (
    r"(?:i|you|he|she|it|we|they|nobody|everybody|everyone|somebody|someone|nothing|none|something|one|two|three|four|five|the|a|an|no|my"
    r"|our|your|his|her|their|this|that|these|those|there|what|who|which|not|is|are|was|were|only|and|or|but|if|when|on|in|to|at|has"
    r"|have|had|just|still|all|any|some|few|much|many|more|already|turn(?:ed)?|key|arrow|upper|lower|bottom|top|right)"
)
_NICK = (
    rf"(?:(?!{_NOBODY}\b)[^\s,;!?]{{1,32}}|(?-i:(?!(?:The|My|A|An|No|I|We|It|This|That|There|Our|Your)\b)[A-Z][^\s,;!?]{{0,30}}"
    r"(?: [A-Z(][^\s,;!?]{0,30}){1,3})|[^\s]{1,32} [\[(][^\n()\[\]]{1,60}[\])])"
)
"""A name as programs write it: one word, or several with capitals, but not a pronoun or a noun with an article."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_REOPENS = re.compile(r"\S[^`]*```[\w+#-]{2,}\s*")
"""A fence that begins after text, while another one was not closed."""
_EVENT = re.compile(
    rf"(?i)\s*(?:[\[(]?{_STAMP}[\])]?\s{{0,3}}(?:-!-|[-–|])?\s{{0,3}})?(?:(?:[-=]{{1,2}}>|<[-=]{{1,2}}|[→←])\s"
    rf"|[\[(<*]{{1,4}}(?:system|info)?[\])>*]{{0,4}}\s?)?"
    rf"(?:(?!{_NOBODY}\b|(?:when|after|before|since|until"
    rf"|once)\b)\S{{1,32}}(?: \S{{1,32}}){{0,2}} (?:has )?(?:joined|left|entered)"
    r" the (?:chat|conversation|channel|room|meeting|session|group)"
    rf"|{_NICK} (?:has |have )?(?:joined|left|entered|quit"
    r"|disconnected)(?: [#&]?[\w.-]{1,40})?(?: the (?:chat|conversation|channel|room|meeting|session|group))?"
    r"(?: \(.{0,80}\))?|<?media omitted>?|(?:image|video|audio|sticker|gif|document) omitted"
    r"|messages and calls are end-to-end encrypted.{0,120}"
    r"|(?:chat|conversation|session|call) (?:started|ended|closed|transferred|begins|ends).{0,60}"
    r"|this message was deleted|you are now (?:chatting|connected) (?:with|to).{0,60}"
    r"|(?:please wait|connecting you|an agent will).{0,80}|.{1,60} (?:is typing|changed the (?:subject|topic)"
    r"|set the topic).{0,80})[\])>*.! ]*"
)


@dataclass(frozen=True, slots=True)
class _Header:
    form: str
    name: str
    end: int
    """Where the text of the speaker begins in the line."""


def read_chat(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the utterances in order, None for a text in which no line names a speaker.

    Text before the first speaker has the speaker None. Lines without a speaker continue the last utterance.
    """
    headers = _accepted(list(_headers(lines)))
    if not any(header is not None for header in headers):
        return None
    return list(_blocks(lines, headers))


def _blocks(lines: Sequence[str], headers: Sequence[_Header | None]) -> Iterator[Utterance]:
    speaker: str | None = None
    role = None
    block: list[str] = []
    for line, header in zip(lines, headers, strict=True):
        if line == GAP:
            yield Utterance(speaker, "\n".join(block), role)
            speaker, role, block = None, None, []
            continue
        if header is None:
            if not _is_event(line):
                block.append(line)
            continue
        yield Utterance(speaker, "\n".join(block), role)
        role = section_role(header.name)
        speaker = role or header.name
        said = line[header.end :].lstrip()
        block = [] if _is_event(said) else [said]
    yield Utterance(speaker, "\n".join(block), role)


def _headers(lines: Sequence[str]) -> Iterator[_Header | None]:
    """Yield the header of each line, None if it has none; lines between fences are code and have none."""
    inside = _fenced_lines(lines)
    for line, code in zip(lines, inside, strict=True):
        yield None if code or _FENCE.match(line) is not None else _header(line)


def _fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is below an open fence.

    If the last fence is never closed, one of them was forgotten: then a label that states a role ends a fence.
    """
    inside, left_open = _below_fences(lines, until_label=False)
    return _below_fences(lines, until_label=True)[0] if left_open else inside


def _below_fences(lines: Sequence[str], *, until_label: bool) -> tuple[list[bool], bool]:
    inside: list[bool] = []
    mark: str | None = None
    for line in lines:
        labelled = (
            until_label and mark is not None and (header := _header(line)) is not None and _states_role(header.name)
        )
        if line == GAP or labelled or (mark is not None and _REOPENS.fullmatch(line[:_HEAD]) is not None):
            mark = None
        inside.append(mark is not None)
        mark = fenced(line, mark).open
    return inside, mark is not None


def _is_event(line: str) -> bool:
    """Return whether a line is a message of the program: who joined or left, or what it omitted."""
    return _EVENT.fullmatch(line[:_HEAD]) is not None


def _header(line: str) -> _Header | None:
    head = line[:_HEAD].rstrip("\r")
    if not head.strip() or _is_event(head):
        return None
    for form, pattern in _FORMS:
        if (match := pattern.match(head)) is not None:
            name = match["name"].strip(" *_@~")
            if name and not is_field(name) and (form not in _ROLES_ONLY or _states_role(name)):
                return _Header(form, name, match.end())
    return None


def _states_role(name: str) -> bool:
    return label_role(name) is not None or section_role(name) is not None


def _accepted(headers: Sequence[_Header | None]) -> list[_Header | None]:
    """Return the headers that name speakers; they have one form, so that lines of a pasted log are not among them."""
    found = [header for header in headers if header is not None and _plausible(header)]
    people = [header for header in found if section_role(header.name) is None]
    names = Counter((header.form, header.name) for header in people)
    sure = [h for h in people if label_role(h.name) is not None or h.form not in _WEAK or names[h.form, h.name] > 1]
    if not sure:
        sections = {h.form for h in found if section_role(h.name) is not None}
        return [
            h if h is not None and h.form in sections and section_role(h.name) is not None else None for h in headers
        ]
    form = Counter(header.form for header in sure).most_common(1)[0][0]
    known = {header.name for header in sure if header.form == form}
    return [header if header is not None and _names_speaker(header, form, known) else None for header in headers]


def _names_speaker(header: _Header, form: str, known: set[str]) -> bool:
    """Return whether a header has the conversation's form; a name that occurs once must look like that of a person."""
    if header.form != form:
        return header.name in known or (label_role(header.name) is not None and {form, header.form} <= _LABELS)
    if header.name in known or label_role(header.name) is not None or form not in _WEAK:
        return _plausible(header)
    return form != "# name" and _NAME_SHAPE.fullmatch(header.name) is not None and _is_capitalized(header.name)


def _plausible(header: _Header) -> bool:
    """Return whether a label is short and shaped like a name, unlike a clause before a colon."""
    if _states_role(header.name):
        words = header.name.casefold().split()
        return len(words) <= 4 and not is_field(words[0]) and _SMALL_WORDS.isdisjoint(words)
    if header.form not in _WEAK:
        # Programs also write "Lee, Ann"; before a colon alone that would be a clause.
        return _NAME_SHAPE.fullmatch(header.name.replace(", ", " ", 1)) is not None
    return _NAME_SHAPE.fullmatch(header.name) is not None and _is_capitalized(header.name)


def _is_capitalized(name: str) -> bool:
    words = name.split()
    return len(words) <= 3 and (len(words) == 1 or all(not word[0].islower() for word in words))
