"""Reads pages with a question, its answers and the comments below them, as sites for questions and answers have them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.fences import fence_parts, has_fence
from toolsets.skills.transcript.headings import is_name
from toolsets.skills.transcript.model import Role
from toolsets.skills.transcript.speakers import Utterance, begins_with_a_role
from toolsets.skills.transcript.stamps import MOMENT
from toolsets.skills.transcript.words import any_of

_MARKED: Final = r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:\*\*|__)?"
_NAME: Final = r"(?:\*\*|__|\*|_)?(?P<name>@?[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,2}?)(?:\*\*|__|\*|_)?"
_BESIDE: Final = rf"(?:[,;|·•\s–—-]{{1,3}}(?:\(?(?i:{any_of('beside_an_answer')})\)?|(?i:(?:on|at)\s)?{MOMENT})){{0,4}}"
_QUESTION = re.compile(
    rf"{_MARKED}(?i:{any_of('question_by')})(?:\*\*|__)?:?[ \t]{{1,3}}{_NAME}{_BESIDE}[ \t.:*_]{{0,4}}"
)
_ANSWER = re.compile(rf"{_MARKED}(?i:{any_of('answer_by')})(?:\*\*|__)?:?[ \t]{{1,3}}{_NAME}{_BESIDE}[ \t.:*_]{{0,4}}")
_BY = re.compile(r"(?i)\bby\b(?:\*\*|__)?[ \t:]")
_COMMENTS = re.compile(rf"{_MARKED}(?:\d{{1,4}} )?[Cc]omments?(?: \(\d{{1,4}}\))?:?(?:\*\*|__)?:?[ \t]*")
_QUOTED = re.compile(r"[ \t]{0,3}>[ \t]?")
_SIGNED = re.compile(rf"\s*[–—-]{{1,2}}\s?{_NAME}(?:,?\s(?:\(?(?:on\s)?{MOMENT}\)?))?[ \t]*")
"""The author and the time at the end of a comment."""
_MARK = re.compile(r"[*_\dA-ZÄÖÜ]")
"""What a name has that is no plain word: emphasis, a time or a capital."""
_TITLE = re.compile(r"[ \t]{0,3}#[ \t]+\S")
_ACCEPTED = re.compile(r"(?i)\b(?:accepted|best answer|solution)\b")
_LONGEST: Final = 200
"""Characters of a line of the page, such as an author; a longer one is text."""
_LONGEST_SIGNED: Final = 80
"""Characters from the end of a comment in which its author's name is searched."""


@dataclass(frozen=True, slots=True)
class _AuthorLine:
    """The author of a question or an answer, as the line above it says."""

    name: str
    answers: bool
    accepted: bool


@dataclass(slots=True)
class _PageState:
    """The part of a page that has been read."""

    said: list[Utterance] = field(default_factory=list[Utterance])
    speaker: str = "question"
    role: Role = "customer"
    asker: str | None = None
    answerers: set[str] = field(default_factory=set[str])
    lines: list[str] = field(default_factory=list[str])
    quote: list[str] = field(default_factory=list[str])

    def begin(self, head: _AuthorLine, role: Role) -> None:
        """Begin a question, or an answer by someone of that role."""
        self.speaker = head.name
        self.role = role if head.answers else "customer"
        if head.answers:
            self.answerers.add(head.name)
        else:
            self.asker = head.name

    def close(self) -> None:
        """End the text of a question or an answer."""
        self.close_quote()
        self.said.append(Utterance(self.speaker, "\n".join(self.lines), self.role))
        self.lines = []

    def close_quote(self) -> None:
        """End a quotation, which is a comment if its author stands at its end."""
        if not self.quote:
            return
        quote, self.quote = self.quote, []
        *bare, last = (_QUOTED.sub("", line, count=1) for line in quote)
        dashes = _DASH.finditer(last, max(0, len(last) - _LONGEST_SIGNED))
        match = next((found for dash in dashes if (found := _SIGNED.fullmatch(last, dash.start())) is not None), None)
        if match is None or not is_name(match["name"]) or _MARK.search(match.group()) is None:
            self.lines += quote
            return
        self.said.append(Utterance(self.speaker, "\n".join(self.lines), self.role))
        self.lines = []
        text = "\n".join([*bare, last[: match.start()]])
        self.said.append(Utterance(match["name"], text, self._role_of(match["name"], text)))

    def _role_of(self, name: str, text: str) -> Role:
        if name in self.answerers:
            return "agent"
        if self.asker is None and self.answerers and _THANKS.search(text) is not None:
            self.asker = name
        return "customer" if name == self.asker else "other"


_DASH = re.compile(r"\s*(?<![\w–—-])[–—-]{1,2}\s?(?=\S)")
_THANKS = re.compile(rf"(?i)\b(?:{any_of('thanks')}|{any_of('thanks_for_help')})")


def read_question_page(lines: Sequence[str]) -> list[Utterance] | None:
    """Return the question, the answers and the comments in order; None for lines that are no such page.

    Above an answer stands a line with its author ("Answer by Ann (accepted), 3 May 2026"), and above the first one a question
    below a title or its author. If an answer is accepted, the others have the role `other`, like the comments of third persons
    and the text after the line `GAP`.
    """
    if not any(_BY.search(line) is not None for line in lines if len(line) <= _LONGEST):
        return None
    inside = list(_fenced(lines))
    heads = {at: head for at, line in enumerate(lines) if not inside[at] and (head := _head(line)) is not None}
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    titled = bool(heads) and _TITLE.match(lines[first]) is not None
    if not any(head.answers for head in heads.values()) or (not titled and heads[min(heads)].answers):
        return None
    if any(begins_with_a_role(line) for line, code in zip(lines, inside, strict=True) if not code):
        return None
    accepted = any(head.accepted for head in heads.values())
    page = _PageState([Utterance(None, lines[first])] if titled else [])
    for at in range(first + titled, len(lines)):
        if (head := heads.get(at)) is not None:
            page.close()
            page.begin(head, "agent" if head.accepted or not accepted else "other")
        elif lines[at] == GAP:
            page.close()
            page.speaker, page.role = "unknown", "other"
        elif not inside[at] and _QUOTED.match(lines[at]) is not None:
            page.quote.append(lines[at])
        elif inside[at] or _COMMENTS.fullmatch(lines[at][:_LONGEST]) is None:
            page.close_quote()
            page.lines.append(lines[at])
    page.close()
    return page.said


def _fenced(lines: Sequence[str]) -> Iterator[bool]:
    """Yield for each line whether it is below an open fence."""
    mark: str | None = None
    for line in lines:
        yield mark is not None
        mark = fence_parts(line, mark).open if mark is not None or has_fence(line) else None


def _head(line: str) -> _AuthorLine | None:
    """Return what a line says of the author below it; None for other lines."""
    if len(line) > _LONGEST or _BY.search(line) is None:
        return None
    answer = _ANSWER.fullmatch(line)
    match = answer if answer is not None else _QUESTION.fullmatch(line)
    if match is None or not is_name(match["name"]):
        return None
    return _AuthorLine(match["name"], answer is not None, answer is not None and _ACCEPTED.search(line) is not None)
