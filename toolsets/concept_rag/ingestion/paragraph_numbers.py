"""Drops the numbers with which a book labels its paragraphs: "1", "2", "3" before each of them."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import ImagePlace
from toolsets.concept_rag.ingestion.document import Block

_FEWEST: Final = 10
"""Fewer numbers in sequence may be steps or entries of a list."""
_SHARE: Final = 0.33
"""The least share of a document's blocks that are such numbers: other numbers stand alone less often."""
_SKIPPED: Final = 3
"""The most by which a number exceeds the one before it: a paragraph without text has a number too."""
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,6})[\])]?")


def without_paragraph_numbers(blocks: Blocks, places: Sequence[ImagePlace]) -> list[ImagePlace]:
    """Drop the paragraph numbers from `blocks`, and return the image places with their new positions."""
    numbers = _in_sequence(blocks.finished())
    if len(numbers) < _FEWEST or len(numbers) < _SHARE * len(blocks):
        return list(places)
    blocks.drop(numbers)
    return [replace(place, position=place.position - bisect_left(numbers, place.position)) for place in places]


def _in_sequence(found: Sequence[Block]) -> list[int]:
    """Return the positions of paragraphs that hold only a number, each a little higher than the one before."""
    chosen: list[int] = []
    last = 0
    for position, block in enumerate(found):
        match = _NUMBER.fullmatch(block.text) if block.kind == "paragraph" else None
        if match is None:
            continue
        number = int(match[1])
        if 0 < number - last <= _SKIPPED:
            chosen.append(position)
        elif len(chosen) < _SKIPPED:
            chosen = [position]
        else:
            continue
        last = number
    return chosen
