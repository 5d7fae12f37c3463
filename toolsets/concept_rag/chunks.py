"""Splits a document into chunks: passages of 200 to 220 tokens that end with a sentence, each with its position."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.sections import SectionKind
from toolsets.concept_rag.sentences import Span, lines, pieces, sentences
from toolsets.concept_rag.tokens import estimate_tokens

MAX_TOKENS: Final = 220
"""The shipped embedder reads 254 tokens besides its two markers; an estimate may be a seventh too low."""
_SMALL: Final = 48
"""Subsections with fewer tokens are merged with the next one, since a single line is too short to search by."""
_LONGEST_SENTENCE: Final = 20_000
"""Characters; longer sentences are split without counting all their tokens, which would use too much memory."""
_TITLE: Final = 300
"""The most characters of a heading that are stored with each chunk below it."""
_UNSEARCHED: Final = frozenset({"contents", "references", "back_matter"})
"""Section kinds whose headings do not start a new chunk, because broad searches skip these sections."""
_TIGHT: Final = frozenset({"list_item", "table", "code"})
"""Kinds of blocks that are joined with one line feed when they follow one another."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document."""

    text: str
    """Exactly `document_text(document)[start:end]`."""
    start: int
    end: int
    page: int
    """The page on which it begins."""
    last_page: int
    headings: tuple[str, ...]
    """The titles of the enclosing sections, outermost first."""
    kind: SectionKind
    tokens: int
    """As counted by the counter that was used for splitting."""


@dataclass(slots=True)
class _Unit:
    """A sentence, a line, or a piece of one."""

    start: int
    end: int
    tokens: int
    block: int
    starts_block: bool


def document_text(document: ParsedDocument) -> str:
    """Return the text to which the offsets of chunks refer.

    Blocks are separated by an empty line. Consecutive list items, table rows or code blocks of the same kind are
    separated by a line feed.
    """
    return "".join(
        text
        for block in zip(_joints(document.blocks), document.blocks, strict=True)
        for text in (block[0], block[1].text)
    )


def _joints(blocks: Sequence[Block]) -> list[str]:
    """Return the separator before each block."""
    if not blocks:
        return []
    tight = (before.kind == block.kind and block.kind in _TIGHT for before, block in pairwise(blocks))
    return ["", *("\n" if each else "\n\n" for each in tight)]


def chunks_of(
    document: ParsedDocument, kinds: Sequence[SectionKind], count_tokens: Callable[[str], int] = estimate_tokens
) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order; each word is in exactly one chunk. `kinds` has the section kind of each block.

    A chunk has at most `MAX_TOKENS` tokens. It ends with a sentence or a line of code, unless one alone, or with the
    heading above it, is longer. Headings without text after them are front matter, unless there is no other text.
    A chunk is shorter if the next sentence does not fit, or if its section ends. A new chunk starts at each heading,
    where the section kind changes, and after a page that fits into one chunk. Text of fewer than 48 tokens below a
    heading of level 3 or deeper, or on such a page, is merged with the text after it. Runs in linear time.
    """
    return tuple(_Packer(document, kinds, count_tokens).chunks())


class _Packer:
    """Fills chunks one after another."""

    def __init__(
        self, document: ParsedDocument, kinds: Sequence[SectionKind], count_tokens: Callable[[str], int]
    ) -> None:
        self._blocks = document.blocks
        self._text = document_text(document)
        self._count = count_tokens
        self._kinds = kinds
        self._paths = _heading_paths(document.blocks)
        self._has_text = any(block.kind != "heading" for block in document.blocks)

    def chunks(self) -> Iterator[Chunk]:
        units: list[_Unit] = []
        tokens = 0
        for unit in self._units():
            if tokens + unit.tokens > MAX_TOKENS > 2 * tokens and units and self._is_heading(units):
                first, *rest = self._cut(unit, MAX_TOKENS - tokens)
                yield self._chunk([*units, first])
                units, tokens = rest, sum(each.tokens for each in rest)
                continue
            if units and (tokens + unit.tokens > MAX_TOKENS or self._parts(units, unit, tokens)):
                kept = self._trailing_headings(units) if tokens + unit.tokens > MAX_TOKENS else 0
                if cut := units[: len(units) - kept]:
                    yield self._chunk(cut)
                units = units[len(cut) :]
                tokens = sum(each.tokens for each in units)
            units.append(unit)
            tokens += unit.tokens
        if units:
            yield self._chunk(units)

    def _units(self) -> Iterator[_Unit]:
        place = 0
        for number, (joint, block) in enumerate(zip(_joints(self._blocks), self._blocks, strict=True)):
            start = place + len(joint)
            place = start + len(block.text)
            for span in self._spans(block, start, place):
                if span[1] - span[0] <= _LONGEST_SENTENCE:
                    tokens = max(1, self._count(self._text[span[0] : span[1]]))
                    if tokens <= MAX_TOKENS:
                        yield _Unit(*span, tokens, number, span[0] == start)
                        continue
                for first, end in pieces(self._text, span, MAX_TOKENS, self._count):
                    yield _Unit(first, end, max(1, self._count(self._text[first:end])), number, first == start)

    def _cut(self, unit: _Unit, limit: int) -> Iterator[_Unit]:
        """Yield the pieces of a unit that is too long for the chunk of its heading."""
        for first, end in pieces(self._text, (unit.start, unit.end), limit, self._count):
            tokens = max(1, self._count(self._text[first:end]))
            yield _Unit(first, end, tokens, unit.block, unit.starts_block and first == unit.start)

    def _spans(self, block: Block, start: int, end: int) -> Iterator[Span]:
        if block.kind in {"code", "table"}:
            return lines(self._text, start, end)
        return sentences(self._text, start, end)

    def _parts(self, units: Sequence[_Unit], unit: _Unit, tokens: int) -> bool:
        """Return whether a section or a short page ends between `units` and `unit`."""
        last, block = units[-1].block, unit.block
        if last == block:
            return False
        if self._kinds[last] != self._kinds[block] or self._is_short_page(units, block, tokens):
            return True
        heading = self._blocks[block]
        if heading.kind != "heading" or self._kinds[block] in _UNSEARCHED or self._is_heading(units):
            return False
        first = self._blocks[units[0].block]
        is_small = tokens < _SMALL and heading.level >= 3 and (first.kind != "heading" or first.level <= heading.level)
        return not is_small

    def _is_short_page(self, units: Sequence[_Unit], block: int, tokens: int) -> bool:
        """Return whether `units` end with a whole page, such as a slide, and `block` begins the next page.

        Only the first page of a chunk is cited, so a page with enough text to search by gets a chunk of its own.
        """
        last = units[-1].block
        page = self._blocks[last].page
        if self._blocks[block].page == page or self._kinds[block] in _UNSEARCHED or tokens < _SMALL:
            return False
        if self._blocks[last].kind == "heading":
            return False
        first = units[0].block
        before = first - 1 if units[0].starts_block else first
        # Blocks are in page order: the page is complete if the text before the chunk is on another page.
        return before < 0 or self._blocks[before].page != page

    def _is_heading(self, units: Sequence[_Unit]) -> bool:
        """Return whether `units` are all headings: a chapter's title is kept with its first section."""
        return all(self._blocks[unit.block].kind == "heading" for unit in units)

    def _trailing_headings(self, units: Sequence[_Unit]) -> int:
        """Return the number of headings at the end, which belong to the next chunk; 0 if all units are headings."""
        count = 0
        while count < len(units) and self._blocks[units[-1 - count].block].kind == "heading":
            count += 1
        return 0 if count == len(units) else count

    def _chunk(self, units: Sequence[_Unit]) -> Chunk:
        start, end = units[0].start, units[-1].end
        first, last = units[0].block, units[-1].block
        # A chunk that begins with headings belongs to the section of the last one.
        opening = next((unit.block for unit in units if self._blocks[unit.block].kind != "heading"), last)
        pages = [self._blocks[block].page for block in range(first, last + 1)]
        tokens = sum(unit.tokens for unit in units)
        kind = self._kinds[first]
        if kind == "body" and self._has_text and self._is_heading(units):
            kind = "front_matter"
        return Chunk(self._text[start:end], start, end, pages[0], max(pages), self._paths[opening], kind, tokens)


def _heading_paths(blocks: Sequence[Block]) -> list[tuple[str, ...]]:
    """Return the heading path of each block, outermost first; a heading's path includes itself."""
    path: tuple[tuple[int, str], ...] = ()
    titles: tuple[str, ...] = ()
    paths: list[tuple[str, ...]] = []
    for block in blocks:
        if block.kind == "heading":
            path = (*(each for each in path if each[0] < block.level), (block.level, block.text[:_TITLE]))
            titles = tuple(title for _, title in path)
        paths.append(titles)
    return paths
