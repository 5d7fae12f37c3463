"""Collects the blocks of a document for a parser, within limits."""

from collections.abc import Collection, Sequence
from typing import Final

from toolsets.concept_rag.ingestion.document import Block, BlockKind, Unreadable
from toolsets.concept_rag.ingestion.normal_text import code, prose

MAX_CHARACTERS: Final = 16_000_000
"""The most characters of a document: about 20,000 chunks, and seven times the longest manual tested."""
MAX_BLOCKS: Final = 400_000
"""The most blocks. A block takes about 200 bytes besides its text; 16 million characters are 160,000 paragraphs."""

NEARBY: Final = 500
"""The most characters of text around a picture, half before it and half after it."""


class Blocks:
    """Blocks in reading order. Adding raises `Unreadable` if a document exceeds the limits."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._characters = 0

    def __len__(self) -> int:
        """The position of the next block."""
        return len(self._blocks)

    def add(self, kind: BlockKind, text: str, *, page: int, level: int = 0) -> None:
        """Add a block unless it has no text; white space is normalised outside code."""
        clean = code(text) if kind == "code" else prose(text)
        if not clean:
            return
        self._characters += len(clean)
        if self._characters > MAX_CHARACTERS or len(self._blocks) >= MAX_BLOCKS:
            raise Unreadable(
                "too_large",
                f"The document holds more than {MAX_CHARACTERS:,} characters or {MAX_BLOCKS:,} blocks of text.",
            )
        self._blocks.append(Block(kind, clean, page, level))

    def make_heading(self, position: int, level: int) -> None:
        """Turn the block at `position` into a heading."""
        block = self._blocks[position]
        self._blocks[position] = Block("heading", block.text, block.page, level)

    def drop(self, positions: Collection[int]) -> None:
        """Remove the blocks at these positions."""
        dropped = frozenset(positions)
        self._blocks = [block for position, block in enumerate(self._blocks) if position not in dropped]

    def since(self, position: int) -> Sequence[Block]:
        """The blocks from `position` on."""
        return self._blocks[position:]

    def around(self, position: int) -> tuple[Block | None, Block | None]:
        """The blocks before and after a position between two blocks, or None."""
        before = self._blocks[position - 1] if 0 < position <= len(self._blocks) else None
        after = self._blocks[position] if position < len(self._blocks) else None
        return before, after

    def nearby(self, position: int) -> str:
        """Up to `NEARBY` characters of the text around a position, cut between words."""
        half = NEARBY // 2
        before = " ".join(block.text[-half:] for block in self._blocks[max(0, position - 4) : position])
        after = " ".join(block.text[:half] for block in self._blocks[position : position + 4])
        if len(before) > half:
            before = before[-half:].partition(" ")[2]
        if len(after) >= half:
            after = after[: half - 1].rpartition(" ")[0]
        return prose(f"{before} {after}")

    def finished(self) -> tuple[Block, ...]:
        """All blocks."""
        return tuple(self._blocks)
