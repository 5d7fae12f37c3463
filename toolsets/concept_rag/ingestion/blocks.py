"""The blocks of a document while a parser collects them, within bounds."""

from collections.abc import Sequence
from typing import Final

from toolsets.concept_rag.ingestion.document import Block, BlockKind, Unreadable
from toolsets.concept_rag.ingestion.normal_text import code, prose

MAX_CHARACTERS: Final = 16_000_000
"""Of text in a document: seven times the longest manual at hand, and some 20,000 chunks."""
MAX_BLOCKS: Final = 400_000
"""A block costs some 200 bytes besides its text; 16 million characters are 160,000 paragraphs."""

NEARBY: Final = 500
"""Characters of text that a picture takes along, half from before it and half from after."""


class Blocks:
    """Blocks in reading order. Adding raises `Unreadable` where a document holds more than is taken in."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._characters = 0

    def __len__(self) -> int:
        """The position that the next block gets."""
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

    def since(self, position: int) -> Sequence[Block]:
        """The blocks from `position` on."""
        return self._blocks[position:]

    def around(self, position: int) -> tuple[Block | None, Block | None]:
        """The blocks before and after the place between two blocks; None where there is none."""
        before = self._blocks[position - 1] if 0 < position <= len(self._blocks) else None
        after = self._blocks[position] if position < len(self._blocks) else None
        return before, after

    def nearby(self, position: int) -> str:
        """Up to `NEARBY` characters of the text around a place, cut at words."""
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
