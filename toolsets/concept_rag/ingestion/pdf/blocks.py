"""Blocks: joins the lines of all pages to headings, paragraphs, items, listings, tables and captions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolsets.concept_rag.ingestion.document import Block, BlockKind
from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.captions import is_caption
from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.headings import Headings
from toolsets.concept_rag.ingestion.pdf.hyphens import Hyphens
from toolsets.concept_rag.ingestion.pdf.lines import PageText, PdfLine
from toolsets.concept_rag.ingestion.pdf.paragraphs import (
    MAX_CODE_LINES,
    OpenBlock,
    code_text,
    ends_with_page,
    entry_text,
    extend,
    goes_on,
    has_open_address,
    is_chapter_label,
    is_contents,
    is_entry,
    is_index,
    is_lone_bullet,
    is_note,
    is_only_pages,
    is_ornament,
    item_mark,
    resumes,
    run_on,
)
from toolsets.concept_rag.ingestion.pdf.tables import line_rows, table_end

_LOOK_BACK: Final = 12
"""The most floats between two parts of one paragraph."""
_FOOT: Final = 0.55
"""Footnotes are below this share of the page's height."""


class PlacedBlock(NamedTuple):
    """A block, and the box of its first line on its page."""

    block: Block
    box: Box


def hyphens_of(pages: Sequence[PageText]) -> Hyphens:
    """Return what joins broken words as the lines of `pages` spell them."""
    hyphens = Hyphens()
    for page in pages:
        hyphens.learn_all(line.text.rpartition(" ")[0] if line.broken else line.text for line in page.lines)
    return hyphens


def blocks_of(pages: Sequence[PageText], headings: Headings, body: BodyStyle, hyphens: Hyphens) -> list[PlacedBlock]:
    """Return the blocks of a document in reading order; `pages` must be without furniture."""
    assembly = _Assembly(headings, body, hyphens)
    for page in pages:
        assembly.add(page)
    return assembly.blocks()


@dataclass(slots=True)
class _Assembly:
    headings: Headings
    body: BodyStyle
    hyphens: Hyphens
    drafts: list[OpenBlock] = field(default_factory=list[OpenBlock])

    def blocks(self) -> list[PlacedBlock]:
        """Return the blocks added so far."""
        found: list[PlacedBlock] = []
        for draft in self.drafts:
            if draft.kind == "code":
                text = code_text(draft.code)
            else:
                hyphen = "-" if draft.last.broken and draft.kind != "table" else ""
                text = " ".join((draft.text + hyphen).split())
            # A single letter on a line is a remnant of a formula.
            if sum(char.isalnum() for char in text.strip()[:8]) > (draft.kind == "paragraph"):
                found.append(PlacedBlock(Block(draft.kind, text, draft.page, draft.level), draft.first.box))
        return found

    def add(self, page: PageText) -> None:
        """Add the lines of one page."""
        lines = page.lines
        texts = [line for line in lines if not line.special]
        contents, index = is_contents(texts), is_index(lines)
        at = 0
        while at < len(lines):
            heading = self.headings.match(lines, at, listing=contents or index)
            if heading is not None and not (contents and (is_entry(lines[at]) or ends_with_page(lines[at]))):
                at = self._heading(lines, at, *heading)
            elif contents or index:
                at = self._listed(lines, at, contents=contents)
            else:
                at = self._text(lines, at, page)

    def _start(self, kind: BlockKind, line: PdfLine, text: str, *, level: int = 0, floating: bool = False) -> OpenBlock:
        draft = OpenBlock(kind, text, line.page, line, line, level, right=line.box.x1, floating=floating)
        self.drafts.append(draft)
        return draft

    def _heading(self, lines: Sequence[PdfLine], at: int, count: int, level: int) -> int:
        last = self.drafts[-1] if self.drafts else None
        if last is not None and last.page == lines[at].page and is_chapter_label(last):
            last.text, last.last, last.level = f"{last.text} {lines[at].text}", lines[at], level
            draft = last
        else:
            draft = self._start("heading", lines[at], lines[at].text, level=level)
        for line in lines[at + 1 : at + count]:
            extend(draft, line, self.hyphens)
        return at + count

    def _listed(self, lines: Sequence[PdfLine], at: int, *, contents: bool) -> int:
        """Add a line of a table of contents or an index: an item, or the rest of the previous one."""
        line = lines[at]
        if line.special:
            return self._special(lines, at)
        last = self.drafts[-1] if self.drafts else None
        goes_on_ = last is not None and last.kind == "list_item" and last.page == line.page and (
            last.last.broken
            or (not contents and is_only_pages(line))
            or (contents and not is_entry(last.last) and not ends_with_page(last.last) and line.indent >= last.first.indent)
        )  # fmt: skip
        text = entry_text(line.text)
        if contents and not is_entry(line) and ends_with_page(line):
            text = " ".join(cell.text for cell in line.cells[:-1]) + " … " + line.cells[-1].text
        if last is not None and goes_on_:
            last.text, last.last = run_on(last.text, last.last, text, self.hyphens), line
        else:
            self._start("list_item", line, text)
        return at + 1

    def _special(self, lines: Sequence[PdfLine], at: int) -> int:
        line = lines[at]
        if line.special == "table":
            for row in line.rows:
                self._start("table", line, row, floating=True)
        elif line.rows:
            self._start("labels", line, " · ".join(line.rows), floating=True)
        return at + 1

    def _text(self, lines: Sequence[PdfLine], at: int, page: PageText) -> int:
        line = lines[at]
        if line.special:
            return self._special(lines, at)
        if is_ornament(line):
            return at + 1
        end = table_end(lines, at)
        if end > at:
            for row in line_rows(lines[at:end]):
                self._start("table", line, row, floating=True)
            return end
        if self._is_code(line):
            self._code(line)
            return at + 1
        draft = self.drafts[-1] if self.drafts else None
        if draft is not None and self._extends(draft, line, page):
            extend(draft, line, self.hyphens)
            return at + 1
        return self._new(lines, at, page)

    def _is_code(self, line: PdfLine) -> bool:
        """Return whether a line is part of a listing, rather than prose that is one long name."""
        if not line.mono or self.body.typewritten:
            return False
        draft = self.drafts[-1] if self.drafts else None
        if draft is None or draft.kind not in ("paragraph", "list_item"):
            return True
        within = abs(line.box.x0 - draft.last.box.x0) < 2 or draft.kind == "list_item"
        ends = draft.text.endswith((":", ".")) and not has_open_address(draft.text)
        return not (within and not ends and goes_on(draft, line, self.body))

    def _code(self, line: PdfLine) -> None:
        draft = self.drafts[-1] if self.drafts else None
        if (
            draft is not None
            and draft.kind == "code"
            and len(draft.code) < MAX_CODE_LINES
            and _same_listing(draft.last, line)
        ):
            draft.code.append(line)
            draft.last = line
        else:
            self._start("code", line, line.text).code.append(line)

    def _extends(self, draft: OpenBlock, line: PdfLine, page: PageText) -> bool:
        """Return whether `line` continues the last draft."""
        if draft.kind == "caption":
            return draft.count < 6 and draft.first.size == line.size and goes_on(draft, line, self.body)
        if draft.kind not in ("paragraph", "list_item") or draft.last.special:
            return False
        if (
            is_note(line, self.body, _FOOT * page.height)
            and not draft.last.broken
            and not _follows_as_prose(draft, line)
        ):
            return False
        mark = item_mark(line)
        if mark and (mark["bullet"] or not self._runs_through(draft, line)):
            return False
        return goes_on(draft, line, self.body)

    def _runs_through(self, draft: OpenBlock, line: PdfLine) -> bool:
        """Return whether an apparent item number is the start of a wrapped line: "see section\\n3. The ..."."""
        sibling = draft.kind == "list_item" and abs(line.box.x0 - draft.first.box.x0) < 2
        ends = draft.text.endswith((".", ":", ";", "!", "?", ","))
        return not sibling and not ends and abs(line.box.x0 - draft.last.box.x0) < 2 and draft.count > 1

    def _new(self, lines: Sequence[PdfLine], at: int, page: PageText) -> int:
        """Begin a block, or continue a paragraph interrupted by a float, or by the end of a column or page."""
        line = lines[at]
        if is_entry(line):
            self._start("list_item", line, entry_text(line.text))
            return at + 1
        if is_caption(line.text):
            self._start("caption", line, line.text, floating=True)
            return at + 1
        if is_lone_bullet(line) and at + 1 < len(lines) and not lines[at + 1].special:
            self._start("list_item", lines[at + 1], lines[at + 1].text)
            return at + 2
        mark = item_mark(line)
        note = is_note(line, self.body, _FOOT * page.height)
        interrupted = None if mark or note else self._interrupted(line)
        if interrupted is not None:
            extend(interrupted, line, self.hyphens)
        elif mark and not note:
            self._start("list_item", line, line.text if mark["number"] else line.text[mark.end() :])
        else:
            self._start("paragraph", line, line.text, floating=note)
        return at + 1

    def _interrupted(self, line: PdfLine) -> OpenBlock | None:
        """Return the paragraph that `line` continues after a float or on a new page or column, or None."""
        for draft in reversed(self.drafts[-_LOOK_BACK:]):
            if draft.floating and draft.page >= line.page - 1:
                continue
            if draft.kind not in ("paragraph", "list_item") or draft.page < line.page - 2:
                return None
            apart = draft is not self.drafts[-1] or draft.last.page != line.page or draft.last.column != line.column
            return draft if apart and resumes(draft, line) else None
        return None


def _follows_as_prose(draft: OpenBlock, line: PdfLine) -> bool:
    """Return whether a line in small type continues a paragraph in the same type."""
    return (
        draft.last.size == line.size
        and draft.last.page == line.page
        and draft.last.box.y1 > line.box.y0 - 0.2 * line.size
    )


def _same_listing(last: PdfLine, line: PdfLine) -> bool:
    """Return whether a monospaced line continues the listing above it or on the previous page."""
    if last.page != line.page or last.column != line.column:
        return line.page - last.page <= 1 and abs(last.size - line.size) < 0.3
    return 0 < line.baseline - last.baseline < 3.2 * max(line.size, last.size)
