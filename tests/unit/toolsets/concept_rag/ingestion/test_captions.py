"""Captions and the picture that each belongs to."""

import pytest

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import MAX_CAPTION, ImagePlace, captions, is_caption
from toolsets.concept_rag.ingestion.document import Block, BlockKind


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("caption", "Any words", True),
        ("paragraph", "Figure 3.1: The coil", True),
        ("paragraph", "Fig. 2 – Levels", True),
        ("paragraph", "TABLE IV", True),
        ("paragraph", "Figure 2b (left)", True),
        ("paragraph", "Figure 3 shows the coil", False),
        ("paragraph", "Table 2 Rivers of the north", True),
        ("paragraph", "Table of Contents", False),
        ("paragraph", "Chart the river", False),
        ("paragraph", "The figure 3: it", False),
        ("heading", "Figure 3: The coil", False),
    ],
)
def test_a_caption_is_marked_or_begins_with_its_number(kind: BlockKind, text: str, *, expected: bool) -> None:
    assert is_caption(Block(kind, text, 1)) is expected


def found(texts: list[str], *positions: int, alternative: str = "") -> list[str]:
    blocks = Blocks()
    for text in texts:
        blocks.add("paragraph", text, page=1)
    return captions([ImagePlace("", alternative, 1, position) for position in positions], blocks)


def test_the_caption_after_an_image_goes_before_the_one_above_it() -> None:
    assert found(["Figure 1: One", "Figure 2: Two"], 1) == ["Figure 2: Two"]
    assert found(["Figure 1: One", "text"], 1) == ["Figure 1: One"]
    assert found(["text"], 1, alternative="alt") == ["alt"]
    assert found(["text"], 0) == [""]


def test_a_caption_between_two_images_belongs_to_the_first() -> None:
    assert found(["Figure 1: One", "text"], 0, 1) == ["Figure 1: One", ""]


def test_a_caption_is_bounded() -> None:
    assert len(found(["Figure 1: " + "x" * 2_000], 0)[0]) == MAX_CAPTION
