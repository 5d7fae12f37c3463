"""Paragraphs: the lines that begin or continue one, and the kind of text of a line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from toolsets.concept_rag.ingestion.document import BlockKind
from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.characters import BULLET
from toolsets.concept_rag.ingestion.pdf.hyphens import Hyphens
from toolsets.concept_rag.ingestion.pdf.lines import PdfLine

_ITEM: Final = re.compile(
    rf"(?:(?P<bullet>(?:{BULLET.pattern})\s*)|(?P<dash>[-–—*·]\s+)|(?P<number>(?:\d{{1,3}}[.)]|[a-z][.)]|[A-Z]\)|[ivx]{{2,5}}[.)]|\((?:\d{{1,3}}|[A-Za-z]|[ivx]{{2,5}})\)|\[(?:\d{{1,3}}|[A-Z][A-Za-z+]{{1,8}}\d{{2,4}}[a-z]?)\])\s+))(?=\S)"
)
_LONE_BULLET: Final = re.compile(rf"(?:{BULLET.pattern})")
_LEADERS: Final = re.compile(r"(?:\s{0,3}[.·…]){4,}\s{0,3}")
_ENTRY: Final = re.compile(r"(?:\s{0,3}[.·…]){4,}\s{0,3}[ivxlcIVXLC\d\-]{0,8}$")
_ENDS_WITH_PAGES: Final = re.compile(
    r"[,\s.…]\s{0,3}[ivxlc\d]{1,6}(?:[–-]\d{1,5})?(?:,\s{0,2}\d{1,5}(?:[–-]\d{1,5})?){0,40}$"
)
_ONLY_PAGES: Final = re.compile(r"[\d,\s–-]{1,200}$")
_NOTE: Final = re.compile(r"(?:\[\d{1,3}\]|\d{1,3}|[*†‡§¶])\s{0,3}\S")
_SENTENCE_END: Final = re.compile(r"[.!?:;][\"'”’)\]]{0,2}$")
_OPEN_ADDRESS: Final = re.compile(r"(?:https?://|www\.|ftp://)\S{1,400}[/.?&=_-]$")
_ADDRESS: Final = re.compile(r"[\w-]{1,63}[./][\w-]")
_CHAPTER: Final = re.compile(r"(?:(?:chapter|part|appendix)(?:\s\w{1,12})?|\d{1,3}|[A-Z])[.:]?", re.IGNORECASE)
_CONTINUED: Final = re.compile(r"\(continue[sd] (?:on|from) (?:the )?(?:next|previous) page\)", re.IGNORECASE)
_HYPHENS: Final = ("-", "‐")

MAX_LETTERS: Final = 20_000
"""The most letters of a paragraph; ten pages without a break are not a paragraph."""
MAX_CODE_LINES: Final = 2_000
"""A longer listing is cut into several blocks, so that a hostile file does not make one of any size."""
_MORE_SPACE: Final = 1.3
"""A larger multiple of the usual line distance separates paragraphs."""
_INDENT: Final = 0.8
"""The least indent, in multiples of the size."""


@dataclass(slots=True)
class OpenBlock:
    """A block that further lines may continue."""

    kind: BlockKind
    text: str
    page: int
    first: PdfLine
    last: PdfLine
    level: int = 0
    count: int = 1
    right: float = 0
    """The right edge of its lines."""
    floating: bool = False
    """Whether it interrupts the text: a note at the foot, a caption, a table."""
    code: list[PdfLine] = field(default_factory=list[PdfLine])


def entry_text(text: str) -> str:
    """Return a line of a table of contents, with its dot leader replaced by an ellipsis."""
    return _LEADERS.sub(" … ", text).strip()


def is_chapter_label(draft: OpenBlock) -> bool:
    """Return whether a heading is only a chapter's number, whose title is the next heading."""
    return draft.kind == "heading" and _CHAPTER.fullmatch(draft.text) is not None


def is_entry(line: PdfLine) -> bool:
    """Return whether a line has a dot leader to a page number."""
    return _ENTRY.search(line.text[-300:]) is not None


def ends_with_page(line: PdfLine) -> bool:
    """Return whether a line of a table of contents ends with a separate number."""
    last = line.cells[-1].text if len(line.cells) > 1 else ""
    return 0 < len(last) <= 6 and (last.isdecimal() or not last.strip("ivxlc"))


def is_contents(lines: Sequence[PdfLine]) -> bool:
    """Return whether a page is a table of contents."""
    entries = sum(is_entry(line) for line in lines)
    return entries >= 5 and entries >= 0.3 * len(lines)


def is_index(lines: Sequence[PdfLine]) -> bool:
    """Return whether a page is an index: many short lines that end with page numbers."""
    texts = [line for line in lines if line.text]
    if len(texts) < 15 or any(line.special for line in lines):
        return False
    short = sum(len(line.text) < 70 for line in texts)
    return short >= 0.8 * len(texts) and sum(
        bool(_ENDS_WITH_PAGES.search(line.text[-200:])) for line in texts
    ) >= 0.5 * len(texts)


def is_only_pages(line: PdfLine) -> bool:
    """Return whether a line of an index continues the page numbers of the previous line."""
    return _ONLY_PAGES.match(line.text) is not None


def item_mark(line: PdfLine) -> re.Match[str] | None:
    """Return the match of the sign or number at the start of a list item, or None."""
    return _ITEM.match(line.text)


def is_lone_bullet(line: PdfLine) -> bool:
    """Return whether a line is only a list item's sign, with the text on the next line."""
    return _LONE_BULLET.fullmatch(line.text) is not None


def is_note(line: PdfLine, body: BodyStyle, bottom: float) -> bool:
    """Return whether a footnote begins: small type in the lower part of the page, after a mark."""
    return line.size <= 0.9 * body.size and line.box.y0 > bottom and _NOTE.match(line.text) is not None


def follows_closely(last: PdfLine, line: PdfLine, body: BodyStyle) -> bool:
    """Return whether `line` is right below `last` in its column, at the usual line distance."""
    step = line.baseline - last.baseline
    same = last.page == line.page and last.column == line.column
    return same and 0 < step < _MORE_SPACE * body.leading * max(last.size, line.size) + 0.5


def goes_on(draft: OpenBlock, line: PdfLine, body: BodyStyle) -> bool:
    """Return whether `line`, right below the draft's last line, belongs to the same paragraph."""
    last = draft.last
    if (
        len(draft.text) > MAX_LETTERS
        or not follows_closely(last, line, body)
        or abs(last.size - line.size) > 0.08 * last.size + 0.3
    ):
        return False
    if last.broken:
        return True
    indent = _INDENT * line.size
    step = line.box.x0 - last.box.x0
    if draft.kind == "list_item":
        return step > -indent and not (_breaks_off(draft, line) and step < indent and _ends(last))
    if _is_centred(last) and _is_centred(line):
        return True
    if step > indent:
        # The second line of a hanging entry, such as one of a bibliography, is indented further.
        return (
            draft.count == 1
            and step < 5 * line.size
            and not _ends(last)
            and last.column[1] - last.box.x1 < 2 * line.size
        )
    if draft.count > 1 and step < -indent:
        return False
    return not (_breaks_off(draft, line) and (_ends(last) or draft.count > 1))


def resumes(draft: OpenBlock, line: PdfLine) -> bool:
    """Return whether `line` continues the draft's paragraph after a float, or on a new column or page."""
    last = draft.last
    if abs(last.size - line.size) > 0.08 * last.size + 0.3 or line.text[:1] in "•(" or len(draft.text) > MAX_LETTERS:
        return False
    if last.broken:
        return True
    if _ends(last) or not draft.text:
        return False
    if line.text[:1].islower():
        return True
    width = last.column[1] - last.column[0]
    return draft.count > 1 and last.column[1] - last.box.x1 < 0.06 * width and line.indent < _INDENT * line.size


def _ends(line: PdfLine) -> bool:
    return _SENTENCE_END.search(line.text) is not None


def _is_centred(line: PdfLine) -> bool:
    left, right = line.box.x0 - line.column[0], line.column[1] - line.box.x1
    return left > 2 * line.size and abs(left - right) < line.size


def _breaks_off(draft: OpenBlock, line: PdfLine) -> bool:
    """Return whether the first word of `line` would have fitted on the previous line, so that the break is intended."""
    first = line.text.split(maxsplit=1)[0]
    room = max(draft.right, draft.last.column[1] if draft.count == 1 else draft.right) - draft.last.box.x1
    spare = 0.03 if _ends(draft.last) else 0.15
    return room > (len(first) + 2) * line.width + spare * (line.column[1] - line.column[0])


def extend(draft: OpenBlock, line: PdfLine, hyphens: Hyphens) -> None:
    """Append a line to the draft's text, joining a broken word."""
    draft.text = run_on(draft.text, draft.last, line.text, hyphens)
    draft.last = line
    draft.count += 1
    draft.right = max(draft.right, line.box.x1)


def run_on(text: str, last: PdfLine, more: str, hyphens: Hyphens) -> str:
    """Return `text`, whose last line is `last`, and `more` as running text."""
    if last.broken:
        return hyphens.joined(text, more, soft=last.soft)
    if text.endswith(_HYPHENS) and text[-2:-1].isalpha() and more[:1].isalpha():
        return hyphens.joined(text[:-1], more)
    if (
        has_open_address(text)
        and more[:1].isalnum()
        and (more[0].islower() or text[-1] in "/=&" or _ADDRESS.match(more))
    ):
        return text + more
    return f"{text} {more}"


def has_open_address(text: str) -> bool:
    """Return whether a text ends inside a URL that the next line continues."""
    return _OPEN_ADDRESS.search(text[-420:]) is not None


def is_ornament(line: PdfLine) -> bool:
    """Return whether a line is not text: stars, corners of a printed box, or a note that a listing continues."""
    if _CONTINUED.fullmatch(line.text):
        return True
    signs = set(line.text)
    return len(line.text) <= 20 and not line.mono and not signs & set("=+<>") and not any(map(str.isalnum, signs))


def code_text(lines: Sequence[PdfLine]) -> str:
    """Return the lines of a listing, with the printed indentation and empty lines."""
    edges: dict[tuple[int, float], float] = {}
    for line in lines:
        place = line.page, line.column[0]
        edges[place] = min(edges.get(place, line.box.x0), line.box.x0)
    width = max(line.width for line in lines) or 1
    steps = [after.baseline - before.baseline for before, after in pairwise(lines)]
    usual = min((step for step in steps if step > 0.5 * lines[0].size), default=0)
    texts: list[str] = []
    for line, step in zip(lines, [0.0, *steps], strict=True):
        if usual and step > 1.6 * usual:
            texts.append("")
        indent = round((line.box.x0 - edges[line.page, line.column[0]]) / width)
        texts.append(" " * min(indent, 80) + line.text + ("-" if line.broken else ""))
    return "\n".join(texts)
