"""Blocks are collected in reading order, within limits."""

import pytest

from toolsets.concept_rag.ingestion import blocks as module
from toolsets.concept_rag.ingestion.blocks import NEARBY, Blocks
from toolsets.concept_rag.ingestion.document import Block, Unreadable


def collected(*texts: str) -> Blocks:
    blocks = Blocks()
    for page, text in enumerate(texts, 1):
        blocks.add("paragraph", text, page=page)
    return blocks


def test_white_space_is_normalised_outside_code() -> None:
    blocks = collected("  a \n b ", " \u200b ")
    blocks.add("code", "  x:\n    y  \n", page=2)
    assert blocks.finished() == (Block("paragraph", "a b", 1), Block("code", "x:\n  y", 2))
    assert len(blocks) == 2


def test_blocks_are_found_by_their_position() -> None:
    blocks = collected("a", "b", "c")
    assert [block.text for block in blocks.since(1)] == ["b", "c"]
    around = [blocks.around(position) for position in (0, 1, 3, 4)]
    assert [tuple(block and block.text for block in pair) for pair in around] == [
        (None, "a"),
        ("a", "b"),
        ("c", None),
        (None, None),
    ]


def test_blocks_become_headings_and_are_dropped() -> None:
    blocks = collected("a", "b", "c")
    blocks.make_heading(1, 3)
    blocks.drop([0, 2])
    assert blocks.finished() == (Block("heading", "b", 2, 3),)


def test_the_text_around_a_position_is_cut_between_words() -> None:
    assert collected("before it", "after it").nearby(1) == "before it after it"
    assert collected("only").nearby(0) == "only"
    nearby = collected("begin " + "left " * 200, "right " * 200 + "end").nearby(1)
    assert NEARBY * 0.9 < len(nearby) <= NEARBY
    assert set(nearby.split()) == {"left", "right"}


@pytest.mark.parametrize(("limit", "value"), [("MAX_CHARACTERS", 5), ("MAX_BLOCKS", 1)])
def test_a_document_that_exceeds_a_limit_is_too_large(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, limit, value)
    blocks = collected("abc")
    with pytest.raises(Unreadable) as failure:
        blocks.add("paragraph", "def", page=1)
    assert failure.value.kind == "too_large"
