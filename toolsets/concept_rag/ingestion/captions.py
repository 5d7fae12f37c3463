"""Captions, and the picture that each belongs to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.document import Block

MAX_CAPTION: Final = 1_000
"""A longer text beside an image is a paragraph; its beginning serves as caption."""

_CAPTION: Final = re.compile(
    r"(?i:fig(?:ure|\.)?|table|tab\.|chart|diagram|plate|scheme|graph|illustration|exhibit)\s?"
    r"(?:\d{1,4}|[A-Z]|[IVXLC]{1,7})(?:[.\-–]\d{1,4}){0,3}[a-z]?\s?(?:[:.|—–]|-\s|$|(?=[A-Z\"“(]))"
)
# A sentence may begin with the same words in another case: "Figure 3 shows", "Chart the river".


def is_caption(block: Block) -> bool:
    """Return whether a block is marked as a caption, or begins like "Figure 3.1: ..."."""
    return block.kind == "caption" or (block.kind == "paragraph" and _CAPTION.match(block.text[:80]) is not None)


@dataclass(frozen=True, slots=True)
class ImagePlace:
    """Where a document shows an image: before the block at `position`."""

    source: str
    """The parser's reference to the image."""
    alternative: str
    page: int
    position: int


def captions(places: Sequence[ImagePlace], blocks: Blocks) -> list[str]:
    """Return the caption of each place: the one right after it, else right before it, else the alternative text, else "".

    A caption after one image is not also the caption before the next.
    """
    return [
        (place.alternative if at is None else _text_of(blocks.around(at)[1]))[:MAX_CAPTION]
        for place, at in zip(places, _positions(places, blocks), strict=True)
    ]


def image_captions(places: Sequence[ImagePlace], blocks: Blocks) -> frozenset[int]:
    """Return the positions of the blocks that are captions of images, which are no captions of tables next to them."""
    return frozenset(at for at in _positions(places, blocks) if at is not None)


def _positions(places: Sequence[ImagePlace], blocks: Blocks) -> list[int | None]:
    """Return the position of the block that is the caption of each place."""
    after = [bool(_text_of(blocks.around(place.position)[1])) for place in places]
    taken = {place.position for place, has_caption in zip(places, after, strict=True) if has_caption}
    found: list[int | None] = []
    for place, has_caption in zip(places, after, strict=True):
        before = place.position - 1
        has_before = before not in taken and bool(_text_of(blocks.around(place.position)[0]))
        found.append(place.position if has_caption else before if has_before else None)
    return found


def _text_of(block: Block | None) -> str:
    return block.text if block is not None and is_caption(block) else ""
