"""Splits a turn into sentences, list items and lines of code."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, Literal

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.command_lines import instructs, is_command
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.literal_blocks import LiteralLine, announcing, literal_lines, resumed
from toolsets.skills.extraction.markup import code_spans, without_emoticons, without_markup
from toolsets.skills.extraction.verbs import is_verb
from toolsets.skills.transcript.fences import fence_parts, has_fence

_FENCED_LINE = re.compile(r"\s*```([^`]+)```\s*")
_ROW = re.compile(r"\s*\|.*\|\s*")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*){1,40}\|?\s*")
"""The line below the head of a table."""
_ITEM = re.compile(r"\s{0,12}(?:(?P<number>\(?\d{1,2}[.)]|\(?[a-h]\)|[Ss]tep \d{1,2}[:.)-])|[-*•‣◦–])\s+(?P<text>\S.*)")
_BULLET = re.compile(r"^[-*•‣◦–] (?=[A-Z][\w'’]*(?: \S+))")
"""The mark of an item on the line of the sentence before it."""
_MARK = re.compile(r"(?<![^\s:])\(?(?P<number>\d{1,2})(?P<end>[.)])(?=\s+[^\W\d])")
"""The mark of an item in a list on one line."""
_COMMAND = re.compile(
    r"\s*(?:[$#>%] (?=\S)(?!\d)"
    r"|[$#>%](?=(?:sudo|apt|apt-get|systemctl|docker|git|npm|pip|cd|ls|rm|cp|mv|cat|chmod|curl|ssh)\s)"
    r"|(?:[\w.-]{1,30}@[\w.-]{1,30}[:~][^$#]{0,60}[$#]|PS(?: [A-Z]:[^>]{0,80})?>"
    r"|[A-Z]:\\[^>]{0,80}>) ?)(?P<code>\S.*)"
)
_VARIABLE = re.compile(
    r"\s*(?:\$\{?\w{1,40}\}?[/\\]|%\w{1,40}%[/\\]|#!/|#include\b)[^\s]{0,200}(?: [^\s]{1,80}){0,10}"
    r"(?<![.?])\s*"
)
"""A line that begins with a variable, which is no prompt."""
_ANNOUNCED_CODE = re.compile(r"(?![^\n]{0,200}[.!?,:]$)[a-z/.~$][^\s]{1,60}(?: [^\s]{1,80}){0,8}")
"""A line below a colon that begins in lower case and ends without a mark."""
_SQL = re.compile(
    r"\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|GRANT|REVOKE|VACUUM|REINDEX|ANALYZE|SET"
    r"|BEGIN|COMMIT|EXPLAIN) [^\n]{1,380};\s*"
)
_STOP_AFTER_WORD = re.compile(r"(?<=\w)\.$")
_ENDS = re.compile(r"[.!?…][\"'”’)\]]{0,3}(?=\s)|(?<=[a-z)])[:;] ?(?=[-–] )")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|cf|no|nr|fig|mr|mrs|ms|dr|inc|ltd|max|min|resp|incl|ver|v|vol|sec|ca|dept"
    r"|st|p|pp|z\.b|bzw|ggf|[A-Za-z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION: Final = 8
"""The length includes the full stop and the character before the abbreviation."""
_NUMBERED = re.compile(r"\s*\d{1,2}\.")
_DOTS = re.compile(r"(?:~|\.{1,2})?(?:[/\\]\.{0,2})*[.!?]")
"""A path of dots, or a lone mark, such as the folder in `cp -r . /backup`."""
_GOES_ON = re.compile(r"\s+(?:--?[\w{<]|&&|\|\|?|[<>]{1,2}\s?\S|\d?>&?\d?|;|\\|[/~]\S|\.{1,2}/)")
_GOES_ON_ANYWAY = re.compile(r"\s+(?:--?[a-z]|&&|\|\|?\s|>>?\s?[\w./]+(?:\s|$))")
"""What follows a lone mark, or any word, within a command."""
_OPTION = re.compile(r"\s--?[a-z]|(?<!\S)(?:cd|ls|cp|mv|git|docker|pip|npm|make|find|tar|rsync|scp|du) ")
_CONTINUATION = re.compile(r"[a-z(\[\"'`“/~$<\d]")
_WRAPPED = 45
"""A line at least this long that ends without a mark continues in the next line."""

Kind = Literal["prose", "item", "code", "caption"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, an item of a list, a line of code or the caption of a listing."""

    text: str
    kind: Kind = "prose"
    mark: str | None = None
    """The number or the letter of an item."""
    printed: bool = False
    """Whether the line of code is what a program printed in a session."""
    starts: bool = True
    """Whether a blank line is before it, or nothing."""

    @property
    def ordered(self) -> bool:
        """Whether the sentence is an item of a numbered list."""
        return self.mark is not None


# Cached, because a turn is searched for steps, for explanations and for conditions.
@lru_cache(maxsize=4)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, in order; lines that one sentence was wrapped into are joined again.

    A sentence of more than `MAX_SENTENCE` code points is cut, to bound the work on it.
    """
    reading = _ScanState(" " * (_base_indent(text) + 4))
    lines = text.split("\n")
    literal = literal_lines(lines)
    for number, line in enumerate(lines):
        reading.read(line, literal.get(number))
    reading.close()
    return tuple(_rejoined(reading.found))


def _rejoined(found: list[Sentence]) -> Iterator[Sentence]:
    """Yield sentences, with the place that a sentence names after a block of code put before the block."""
    announcing_at: int | None = None
    for at, sentence in enumerate(found):
        if sentence.kind == "code":
            continue
        if announcing_at is not None and announcing_at < at - 1 and sentence.kind == "prose":
            before, rest = resumed(found[announcing_at].text, sentence.text)
            found[announcing_at] = replace(found[announcing_at], text=_bounded(before))
            found[at] = replace(sentence, text=rest)
        announcing_at = at
    yield from (sentence for sentence in found if sentence.text)


@dataclass(slots=True)
class _ScanState:
    """The part of a text that has been read."""

    indented: str
    """The indentation of a line of code."""
    found: list[Sentence] = field(default_factory=list[Sentence])
    paragraph: list[str] = field(default_factory=list[str])
    item: Sentence | None = None
    fence: str | None = None
    """The mark of the fence that is open."""
    table: bool = False
    after_item: bool = False
    after_blank: bool = True
    fresh: bool = True
    """Whether a blank line was before the item or the paragraph that is being read."""

    def read(self, line: str, literal: LiteralLine | None) -> None:
        """Read the next line; `literal` is what is kept of it if it is no prose by the block it is in."""
        if self.fence is None and not has_fence(line):
            self._read(line, literal)
            return
        parts = fence_parts(line, self.fence)
        if self.fence is None and parts.open is None:
            self._read(line, literal)
            return
        if parts.announces and parts.prose.strip():
            self._read(parts.prose if parts.prose.rstrip()[-1] in ".!?:" else f"{parts.prose.rstrip()}:")
        self.close()
        if parts.code is not None and parts.code.strip():
            self._announce()
            self.found.append(Sentence(parts.code[:_LONGEST_COMMAND], "code"))
        self.fence = parts.open
        if not parts.announces and parts.prose.strip():
            self._read(parts.prose)

    def _read(self, line: str, literal: LiteralLine | None = None) -> None:
        """Read a line outside of fences."""
        if not line.strip():
            self.close()
            self.after_blank = True
            return
        if literal is not None and literal.part == "caption":
            self.close()
            self.found.append(Sentence(literal.text, "caption"))
        elif (code := literal.text if literal is not None else self._continued(line) or self._code(line)) is not None:
            self.close()
            self._announce()
            printed = literal is not None and literal.part == "output"
            self.found.append(Sentence(code[:_LONGEST_COMMAND], "code", printed=printed, starts=self.after_blank))
        elif (match := _ITEM.fullmatch(line)) is not None:
            texts = _items_in(line) if match["number"] is not None else [match["text"]]
            for number, text in enumerate(texts):
                self.close()
                mark = match["number"] if len(texts) == 1 else str(number + 1)
                fresh = self.after_blank and number == 0
                self.item = Sentence(text.strip(), "item", mark and _bare_mark(mark), starts=fresh)
            self.after_item = True
        elif len(texts := _items_in(line)) > 1:
            # "Do this: 1. Open ... 2. Turn on ...": the text before the first mark is a paragraph.
            self._continue(texts[0].strip())
            for number, text in enumerate(texts[1:], 1):
                self.close()
                self.item = Sentence(text.strip(), "item", str(number), starts=False)
            self.after_item = True
        else:
            last = self.paragraph[-1] if self.paragraph else self.item.text if self.item is not None else ""
            if not _continues(last, line):
                self.close()
            self.after_item = self.after_item and line.startswith((" ", "\t"))
            self._continue(line.strip())
        self.after_blank = False

    def _continue(self, line: str) -> None:
        self.fresh = self.fresh if self.paragraph else self.after_blank
        self.paragraph.append(line)

    def _continued(self, line: str) -> str | None:
        """Return a line below a line of code that ends with a backslash."""
        goes_on = not self.after_blank and bool(self.found) and not self.paragraph and self.item is None
        last = self.found[-1] if goes_on else None
        return line.rstrip() if last is not None and last.kind == "code" and last.text.endswith("\\") else None

    def _announce(self) -> None:
        """End the sentence before a line of code with a colon if it announces that line."""
        if self.found and self.found[-1].kind in {"prose", "item"}:
            last = self.found[-1]
            self.found[-1] = replace(last, text=announcing(last.text, apart=self.after_blank))

    def close(self) -> None:
        """End the item or the paragraph that is being read."""
        joined = " ".join(self.paragraph)
        self.paragraph.clear()
        if self.item is not None:
            text = without_markup(" ".join(without_emoticons(f"{self.item.text} {joined}".strip())))
            if text:
                self.found.append(replace(self.item, text=_bounded(text)))
            self.item = None
        elif joined and self.found and self.found[-1].text.endswith(":") and _is_announced(joined):
            self.found.append(Sentence(joined, "code", starts=self.fresh))
        elif joined:
            said = (sentence for part in without_emoticons(joined) for sentence in split(without_markup(part)))
            parts = enumerate(islice(said, MAX_IN_PARAGRAPH))
            self.found.extend(
                Sentence(_bounded(_BULLET.sub("", sentence) if number else sentence), starts=self.fresh and number == 0)
                for number, sentence in parts
            )

    def _code(self, line: str) -> str | None:
        """Return the code in a line, without its prompt; None for prose."""
        if (fence := _FENCED_LINE.fullmatch(line[:_LONGEST_COMMAND])) is not None:
            return fence[1].strip()
        if self._is_row(line):
            return line.strip()
        after_code = bool(self.found) and (self.after_blank or self.found[-1].kind == "code")
        if after_code and not self.after_item and _is_literal(line, self.indented):
            return line.strip()
        if len(line) >= _LONGEST_COMMAND:
            return None
        if (code := _COMMAND.fullmatch(line)) is not None:
            return code["code"].strip()
        if is_command(line) or self._is_like_the_last(line):
            return _STOP_AFTER_WORD.sub("", line.strip())
        return line.strip() if any(form.fullmatch(line) is not None for form in (_SQL, _VARIABLE)) else None

    def _is_like_the_last(self, line: str) -> bool:
        """Return whether a line calls the same program as the line of code before it."""
        if not self.found or self.found[-1].kind != "code" or self.paragraph or line[-1] in ".!?,:":
            return False
        program = line.split(None, 1)[0]
        return (
            is_command(self.found[-1].text) and self.found[-1].text.startswith(f"{program} ") and not is_verb(program)
        )

    def _is_row(self, line: str) -> bool:
        """Return whether a line is a row of a table; the head of a table without outer bars is taken from the paragraph."""
        rule = _RULE.fullmatch(line[:_LONGEST_COMMAND]) is not None
        if rule and self.paragraph and "|" in self.paragraph[-1]:
            head = self.paragraph.pop()
            self.close()
            self.found.append(Sentence(head[:_LONGEST_COMMAND], "code"))
        self.table = "|" in line and (rule or self.table)
        return self.table or _ROW.fullmatch(line[:_LONGEST_COMMAND]) is not None


MAX_SENTENCE: Final = 1_000
"""As much as a whole problem may have; it bounds the work of the expressions."""
MAX_IN_PARAGRAPH: Final = 1_000
"""The sentences of a paragraph that are read; one with more is no prose."""
_LONGEST_COMMAND: Final = 400
"""Characters of a line of code; a longer one is data."""


def _bare_mark(mark: str) -> str:
    """Return the number or the letter in the mark of an item: "2" for "Step 2:"."""
    return mark.removeprefix("Step ").removeprefix("step ").strip("().:-")


def _bounded(text: str) -> str:
    """Return a text of at most `MAX_SENTENCE` code points; inline code at its end is left out rather than cut."""
    if len(text) <= MAX_SENTENCE:
        return text
    code = next((start for start, stop in code_spans(text) if start < MAX_SENTENCE < stop), None)
    return text[:code].rstrip() + "…" if code else text[:MAX_SENTENCE]


def _items_in(line: str) -> list[str]:
    """Return the texts of a line between marks numbered 1, 2, 3; the whole line if its marks are not numbered so.

    The first text is the one before the first mark, unless the line begins with that mark.
    """
    cuts: list[tuple[int, int]] = []
    spans = code_spans(line)
    for mark in _MARK.finditer(line):
        follows = int(mark["number"]) == len(cuts) + 1 and not _is_within(mark.start(), spans)
        if follows and (not cuts or mark["end"] == line[cuts[0][1] - 1 : cuts[0][1]]):
            cuts.append((mark.start(), mark.end("end")))
    if len(cuts) < 2 and not (cuts and not line[: cuts[0][0]].strip()):
        lone = _ITEM.fullmatch(line)
        return [line if lone is None else lone["text"]]
    edges = [*cuts, (len(line), len(line))]
    before = line[: cuts[0][0]]
    texts = [line[stop:start] for (_, stop), (start, _) in pairwise(edges)]
    return [text for text in ([before, *texts] if before.strip() else texts) if text.strip()]


def _is_announced(paragraph: str) -> bool:
    bounded = len(paragraph) < _LONGEST_COMMAND and _ANNOUNCED_CODE.fullmatch(paragraph) is not None
    return bounded and not instructs(paragraph)


def _base_indent(text: str) -> int:
    """Return the indentation of the least indented line."""
    lines = (line for line in text.split("\n") if line.strip())
    return min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)


def _is_literal(line: str, indented: str) -> bool:
    """Return whether a line is indented like code and does not read like a sentence."""
    words = line.split()
    prose = len(words) > 3 and sum(word.strip(",;:()").isalpha() for word in words) > 0.7 * len(words)
    return line.startswith((indented, "\t")) and not prose


def _continues(before: str, line: str) -> bool:
    """Return whether a line continues the sentence of the line before it."""
    if not before:
        return True
    if len(before) < _WRAPPED and (before[-1] in ".!?…:" or _are_two_orders(before, line.strip())):
        return False
    return len(before) >= _WRAPPED or _CONTINUATION.match(line.lstrip()) is not None


def _are_two_orders(before: str, line: str) -> bool:
    """Return whether two short lines are an instruction each, in lower case and without full stops."""
    ends = before[-1].isalnum() and before.rsplit(None, 1)[-1].casefold() not in STOP_WORDS
    return ends and line[0].islower() and is_order(before) and is_order(line)


def split(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph."""
    start = 0
    # A writer who begins in lower case begins all sentences in lower case.
    casual = paragraph[:1].islower()
    spans = code_spans(paragraph)
    for end in _ENDS.finditer(paragraph):
        stop = end.end()
        if _is_within(end.start(), spans) or _is_name(paragraph, end) or _is_in_command(paragraph, start, end):
            continue
        goes_on = _is_lower(paragraph, stop) and not casual
        if (end.group()[0] == "." and (_abbreviates(paragraph, start, stop) or goes_on)) or (
            goes_on and (end.group()[0] == "…" or ")" in end.group())
        ):
            continue
        if sentence := paragraph[start:stop].strip():
            yield sentence
        start = stop
    if sentence := paragraph[start:].strip():
        yield sentence


def _is_name(paragraph: str, end: re.Match[str]) -> bool:
    """Return whether a mark belongs to a name such as `#REF!`, after which the sentence goes on in lower case."""
    word = paragraph[max(0, end.end() - _LONGEST_NAME) : end.end()].rsplit(None, 1)[-1]
    return word.lstrip("\"'(“").startswith("#") and _is_lower(paragraph, end.end())


_LONGEST_NAME: Final = 20


def _is_within(at: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether a position is in one of the spans, which are in order."""
    number = bisect_right(spans, (at, len(spans) and spans[-1][1])) - 1
    return number >= 0 and at < spans[number][1]


def _is_in_command(paragraph: str, start: int, end: re.Match[str]) -> bool:
    """Return whether a mark at the end of a word is an argument of a command that goes on."""
    stop = end.end()
    word = paragraph[max(start, stop - 40) : stop].rsplit(None, 1)[-1]
    lone = _DOTS.fullmatch(word.lstrip("\"'=(")) is not None
    if not lone or _GOES_ON.match(paragraph, stop) is not None:
        return (_GOES_ON if lone else _GOES_ON_ANYWAY).match(paragraph, stop) is not None
    following = _NEXT_WORD.match(paragraph, stop)
    word = "" if following is None else following[1]
    begins = word[:1].isupper() and (is_verb(word.casefold()) or word.casefold() in STOP_WORDS)
    return not begins and _OPTION.search(paragraph, max(start, stop - _COMMAND_REACH), stop) is not None


_COMMAND_REACH: Final = 120
"""The number of characters before a lone mark that are searched for a command."""
_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")


def _abbreviates(paragraph: str, start: int, stop: int) -> bool:
    """Return whether the full stop that ends a part of a paragraph belongs to an abbreviation or to an item's number."""
    tail = paragraph[max(start, stop - 12) : stop]
    return _ABBREVIATION.search(tail[-_LONGEST_ABBREVIATION:]) is not None or _NUMBERED.fullmatch(tail) is not None


def _is_lower(paragraph: str, at: int) -> bool:
    """Return whether the next word is in lower case, so that the full stop did not end a sentence."""
    following = paragraph[at : at + 3].lstrip()
    return bool(following) and following[0].islower()
