"""Plain text in any encoding: paragraphs between blank lines, joined lines, and headings by their shape."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.ingestion.encodings import decode_text
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    first_heading,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)
from toolsets.concept_rag.ingestion.outline_entries import numbered_entry

MAX_HEADING: Final = 80
"""The most characters of a heading."""
_MIN_WRAP: Final = 30
"""Narrower texts are lists and verses, whose line ends count."""
_MAX_WRAP: Final = 120
"""The longest line, in characters, of a text that was wrapped by hand or by an editor."""
_LONG_LINE: Final = 100
"""The average length from which unwrapped lines are whole paragraphs."""
_MAX_STANZA: Final = 30
"""The most unwrapped lines that are joined, such as an address or a stanza."""
_MAX_FORMS: Final = 300_000
"""The most distinct words kept for joining broken words, about 40 MB."""
_HEADER_LINES: Final = 60
"""A mail's header also lists the servers that it passed; fields farther down are quotations."""
_CENTRED: Final = 10
"""The least indentation of a centred line."""
_MAX_CENTRED: Final = 4
"""More centred lines are a poem or a title page, not headings."""
_ENTRIES: Final = 4
"""The least number of numbered lines that are entries of a list, such as a table of contents."""
_ENTRY_SHARE: Final = 0.6
"""The least share of them in their group; the others are the rest of a long entry, or entries without a number."""

_UNDERLINE: Final = re.compile(r"([=\-~^*#])\1{2,}$")
_NUMBERED: Final = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s{1,4}(?P<words>[^\W\d_a-z].*)$")
_CHAPTER: Final = re.compile(
    r"(?:chapter|part|book|section|appendix|preface|introduction|prologue|epilogue|contents)\b"
    r"(?:\s+(?:\d{1,3}|[ivxlc]{1,7}|[a-z]))?(?:[.:]?\s+\S.{0,60}|[.:]?)$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:chapter|part|book|section|appendix)\s+(?:the\s+)?(?:\d{1,3}|[ivxlc]{1,7}|[a-z]|one|two|three|four|five|six|seven|eight"
    r"|nine|ten|eleven|twelve|first|second|third|fourth|fifth)\b",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"\s{0,8}(?:(?P<sign>[-*•‣◦·+])|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_RULE: Final = re.compile(r"[\W_]+$")
_OF_A_PART: Final = re.compile(
    r"(?:table of )?contents|introduction|preface|foreword|abstract|overview|summary", re.IGNORECASE
)
"""Headings that are never a document's title."""
_DIRECTIVE: Final = re.compile(r"\s{0,16}\.\. (?:_[^:]{1,80}:|(?P<name>[a-z][a-z-]{1,30})::)\s*(?P<words>.*)$")
_ADMONITIONS: Final = frozenset("note tip hint important caution warning danger attention seealso topic rubric".split())
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_STATED: Final = re.compile(r"(title|authors?|release date|date|published|subject|from)\s*:\s*(\S.*)$", re.IGNORECASE)


_LEVELS: Final = {"=": 1, "#": 1, "*": 1, "-": 2}


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines between blank lines; a form feed counts as one."""

    lines: tuple[str, ...]
    level: int = 0
    """The level of an underlined heading, else 0."""


_Neighbours: TypeAlias = tuple[_Group | None, _Group | None]
"""The groups before and after a group."""


def parse_text(path: Path, data: bytes) -> ParsedDocument:
    """Return the content of a text file. Raises `Unreadable` for binary data."""
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    lines = [_without_directive(line) for line in text.split("\n")]
    forms = _Forms(lines)
    blocks = Blocks()
    groups = list(_groups(lines))
    for index, group in enumerate(groups):
        neighbours = (groups[index - 1] if index else None, groups[index + 1] if index + 1 < len(groups) else None)
        _add(group, neighbours, blocks, forms)
    found = blocks.finished()
    stated = _stated(lines[:_HEADER_LINES])
    if {"subject", "from", "date"} <= stated.keys():
        # The file is a message.
        stated = {"title": stated["subject"], "author": stated["from"], **stated}
    return ParsedDocument(
        format="text",
        title=title_from([stated.get("title")]) or _title(found, groups) or _first_line(lines),
        author=authors_from([stated.get("author") or stated.get("authors")]) or first_page_author(found),
        year=year_from(map(stated.get, ("published", "date", "release date"))) or first_page_year(found),
        pages=1,
        blocks=found,
    )


def _without_directive(line: str) -> str:
    """Return a line without a directive of reStructuredText; the words of a note after it are kept."""
    match = _DIRECTIVE.match(line) if ".. " in line[:20] else None
    if match is None:
        return line
    return match["words"] if match["name"] in _ADMONITIONS else ""


def _groups(lines: Sequence[str]) -> Iterator[_Group]:
    """Yield the groups in order; an underlined heading is a group of its own."""
    group: list[str] = []
    for index, line in enumerate(lines):
        expanded = line.expandtabs(8).rstrip()
        previous = lines[index - 1].strip() if index else ""
        level = _underlined(previous, expanded) if group else 0
        if level:
            if len(group) > 1 and _is_overlined(group):
                level = 1
            if len(group) > 1:
                yield _Group(tuple(group[:-1]))
            yield _Group((previous,), level)
            group = []
        elif expanded:
            group.append(expanded)
        elif group:
            yield _Group(tuple(group))
            group = []
    if group:
        yield _Group(tuple(group))


def _is_overlined(group: Sequence[str]) -> bool:
    """Return whether the last line of a group has a rule above it, as titles have."""
    return _UNDERLINE.match(group[-2].strip()) is not None


def _add(group: _Group, neighbours: _Neighbours, blocks: Blocks, forms: "_Forms") -> None:
    """Add the content of a group: a heading, a list, code or paragraphs."""
    lines = group.lines
    if all(_RULE.match(line) for line in lines):
        return
    level = group.level or (_heading_level(lines[0], neighbours) if len(lines) == 1 else 0)
    if level:
        blocks.add("heading", lines[0], page=1, level=level)
    elif _are_entries(lines):
        _add_entries(lines, blocks, forms)
    elif _is_code(lines):
        blocks.add("code", "\n".join(lines), page=1)
    elif _BULLET.match(lines[0]):
        _add_list(lines, blocks, forms)
    elif _are_paragraphs(lines):
        for line in lines:
            blocks.add("paragraph", line, page=1)
    else:
        blocks.add("paragraph", forms.join_lines([line for line in lines if not _RULE.match(line)]), page=1)


def _underlined(text: str, signs: str) -> int:
    """Return the level of a heading that is underlined by signs over its whole length, or 0."""
    match = _UNDERLINE.match(signs.strip())
    if match is None or not 2 <= len(text) <= MAX_HEADING or _RULE.match(text):
        return 0
    return _LEVELS.get(match[1], 3) if abs(len(signs.strip()) - len(text)) <= 3 else 0


def _heading_level(line: str, neighbours: _Neighbours) -> int:
    """Return the level of a single line with the shape of a heading, or 0."""
    text = line.strip()
    if len(text) > MAX_HEADING or text[-1] in ".,;" or neighbours[1] is None:
        return 0
    depth = _number_depth(text)
    if depth:
        before, after = (
            neighbour.lines[0] if neighbour and len(neighbour.lines) == 1 else "" for neighbour in neighbours
        )
        # Next to the line with the number before or after it, it is a list item.
        listed = _follows(before, text) or _follows(text, after)
        return 0 if listed or len(line) - len(text) >= 8 else min(6, depth)
    if _NAMED.match(text) or (_CHAPTER.match(text) and text[0].isupper() and len(text) <= 40):
        return 1
    letters = [character for character in text if character.isalpha()]
    capitals = len(letters) >= 4 and all(character.isupper() for character in letters)
    return 2 if capitals and len(letters) * 2 >= len(text) and len(text) <= 60 else 0


def _follows(before: str, after: str) -> bool:
    """Return whether two numbered lines have the same depth and the same or ascending numbers."""
    first, second = _NUMBERED.match(before.strip()), _NUMBERED.match(after.strip())
    if first is None or second is None:
        return False
    one, other = ([int(part) for part in match["number"].split(".")] for match in (first, second))
    return len(one) == len(other) and one <= other


def _number_depth(text: str) -> int:
    """Return 1 for "1. Words", 2 for "1.1 Words" and so on; 0 without a number before capitalised words."""
    numbered = _NUMBERED.match(text)
    return 1 + numbered["number"].count(".") if numbered else 0


def _is_code(lines: Sequence[str]) -> bool:
    """Return whether lines are a drawn table, or indented and not prose: starting at many columns, or with many signs."""
    if all(line.lstrip().startswith(("|", "+")) for line in lines) and len(lines) > 2:
        return True
    if not all(line.startswith("    ") for line in lines):
        return False
    text = "".join(lines)
    signs = sum(not character.isalnum() and not character.isspace() for character in text)
    starts = {len(line) - len(line.lstrip()) for line in lines}
    return len(starts) > 2 or signs > 0.1 * len(text.replace(" ", ""))


def _are_entries(lines: Sequence[str]) -> bool:
    """Return whether lines are the numbered entries of a table of contents, or one such entry after a bullet."""
    if len(lines) == 1:
        bullet = _BULLET.match(lines[0].lstrip())
        return bullet is not None and bullet["sign"] is not None and numbered_entry(lines[0]) is not None
    numbered = sum(numbered_entry(line) is not None for line in lines)
    return numbered >= max(_ENTRIES, _ENTRY_SHARE * len(lines))


def _add_entries(lines: Sequence[str], blocks: Blocks, forms: "_Forms") -> None:
    """Add each entry; a line without a number continues the entry before it if it is indented at least as far."""
    entry: list[str] = []
    for line in lines:
        continues = (
            bool(entry) and numbered_entry(line) is None and _indent(line) >= _indent(entry[0]) and line[:1] == " "
        )
        if entry and not continues:
            blocks.add("list_item", _without_sign(forms.join_lines(entry)), page=1)
            entry = []
        entry.append(line)
    blocks.add("list_item", _without_sign(forms.join_lines(entry)), page=1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_sign(text: str) -> str:
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet and bullet["sign"] else text


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Return whether most lines end where the next word would not have fitted."""
    width = max(map(len, lines))
    if not _MIN_WRAP <= width <= _MAX_WRAP:
        return False
    pairs = list(pairwise(lines))
    full = sum(len(line) + 1 + len(after.strip().partition(" ")[0]) > 0.9 * width for line, after in pairs)
    return full >= 0.6 * len(pairs)


def _are_paragraphs(lines: Sequence[str]) -> bool:
    """Return whether each line is a whole paragraph or list entry, rather than a part of one."""
    is_much = len(lines) > _MAX_STANZA or sum(map(len, lines)) > _LONG_LINE * len(lines)
    return len(lines) > 1 and is_much and not _is_wrapped(lines)


def _add_list(lines: Sequence[str], blocks: Blocks, forms: "_Forms") -> None:
    item: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet and item:
            blocks.add("list_item", forms.join_lines(item), page=1)
            item = []
        item.append(line[bullet.end() :] if bullet and bullet["sign"] else line)
    blocks.add("list_item", forms.join_lines(item), page=1)


class _Forms:
    """The words of a text, used to join words that are broken at the end of a line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._forms: set[str] = set()
        for line in lines:
            if len(self._forms) >= _MAX_FORMS:
                break
            self._forms.update(word.lower() for word in _WORD.findall(line))

    def join_lines(self, lines: Sequence[str]) -> str:
        """Return the lines as one; a final hyphen is removed if the text has the word without it, or never with it."""
        parts: list[str] = []
        for index, line in enumerate(lines):
            clean = line.strip()
            following = lines[index + 1].strip() if index + 1 < len(lines) else ""
            if clean.endswith("-") and len(clean) > 2 and clean[-2].isalpha() and following[:1].islower():
                parts.append(clean if self._keeps_hyphen(clean, following) else clean[:-1])
            else:
                parts.append(f"{clean} ")
        return "".join(parts)

    def _keeps_hyphen(self, line: str, following: str) -> bool:
        last = line.rsplit(maxsplit=1)[-1].lower().lstrip("([\"'“‘")
        first = _WORD.match(following)
        if first is None:
            return True
        word = first[0].lower()
        return last + word in self._forms or ("-" in last[:-1] and last[:-1] + word not in self._forms)


def _stated(lines: Sequence[str]) -> dict[str, str]:
    """Return the title, author and date stated in the first lines."""
    found: dict[str, str] = {}
    for line in lines:
        match = _STATED.match(line)
        if match:
            found.setdefault(match[1].lower(), match[2])
    return found


def _title(blocks: Sequence[Block], groups: Sequence[_Group]) -> str:
    """Return the first heading; if it is a chapter's, the line before all other text, single or centred, if any."""
    heading = first_heading(blocks)
    opening = groups[0].lines[0].strip() if groups and _stands_alone(groups[0].lines) else ""
    is_line = bool(opening) and len(opening) <= MAX_HEADING and opening[0].isalnum() and opening[-1] not in ".,;:"
    is_part = _number_depth(heading) or _OF_A_PART.fullmatch(heading) or _NAMED.match(heading)
    return title_from([opening]) if is_line and is_part else heading


def _stands_alone(lines: Sequence[str]) -> bool:
    """Return whether the first of the lines is one of its own: there is no other, or all of a few are centred."""
    is_centred = all(line[:_CENTRED].isspace() for line in lines)
    return len(lines) == 1 or (is_centred and len(lines) <= _MAX_CENTRED)


def _first_line(lines: Sequence[str]) -> str:
    line = next((line.strip() for line in lines if line.strip()), "")
    return title_from([line]) if len(line) <= MAX_HEADING else ""
