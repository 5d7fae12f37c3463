"""Tables of documents without pages are drawn, named and bounded."""

import io
from collections.abc import Sequence

import pytest
from PIL import Image

from toolsets.concept_rag.ingestion import table_pictures
from toolsets.concept_rag.ingestion.document import Block, BlockKind, Picture
from toolsets.concept_rag.ingestion.pictures import PictureCollector
from toolsets.concept_rag.ingestion.table_pictures import MAX_CELL, MAX_COLUMNS, add_tables

RIVERS = ("River | Miles", "Ouse | 52", "Severn | 220")


def rows(texts: Sequence[str] = RIVERS, *, page: int = 1) -> list[Block]:
    return [Block("table", text, page) for text in texts]


def text(words: str, kind: BlockKind = "paragraph") -> Block:
    return Block(kind, words, 1)


def drawn(*blocks: Block) -> tuple[Picture, ...]:
    gallery = PictureCollector()
    add_tables(gallery, blocks)
    assert gallery.notes() == ()
    return gallery.finished()


def test_a_table_is_drawn_with_its_words_and_its_page() -> None:
    (picture,) = drawn(text("Rivers are long."), *rows(page=3))
    assert (picture.visual_type, picture.page, picture.caption) == ("table", 3, "")
    assert picture.nearby_text == "River Miles Ouse 52 Severn 220"
    with Image.open(io.BytesIO(picture.png)) as image:
        assert (image.format, image.size) == ("PNG", (picture.width, picture.height))
        dark = sum(image.convert("L").histogram()[:128])
    assert dark > 500


@pytest.mark.parametrize(
    ("row", "like"),
    [("Ouse | | 52", "Ouse | x | 52"), ("| Ouse | 52", "x | Ouse | 52"), ("Ouse | |", "Ouse | x | x")],
)
def test_an_empty_cell_stays_a_cell(row: str, like: str) -> None:
    head = "River of the north | Miles | Miles"
    (picture,) = drawn(*rows([head, row, "Severn | 220 | 221"]))
    (filled,) = drawn(*rows([head, like, "Severn | 220 | 221"]))
    assert (picture.width, picture.height) == (filled.width, filled.height)
    assert "|" not in picture.nearby_text


@pytest.mark.parametrize(
    "texts",
    [
        ("| Note", "The bank of the river is private."),
        ("Note |", "| The bank of the river is private.", "| So is the weir."),
        ("<<< Prev | Home | Next >>>", "14. Rivers | Up | 14.2. Bridges"),
        ("14.1. Weirs", "<<< Prev | 14. Rivers | Next >>>"),
    ],
)
def test_boxes_of_notes_and_bars_of_links_are_not_drawn(texts: Sequence[str]) -> None:
    assert drawn(*rows(texts)) == ()


def test_a_table_that_has_words_of_navigation_among_others_is_drawn() -> None:
    assert len(drawn(*rows(("Quark | Charge", "Up | 2/3", "Down | -1/3", "Top | 2/3")))) == 1
    assert len(drawn(*rows(("Match | Home | Away", "Ouse | 2 | 1", "Severn | Home | 0")))) == 1


def test_a_table_of_a_river_and_the_next_one_is_drawn() -> None:
    assert len(drawn(*rows(["River | Next", "Ouse | Severn", "Severn | Thames"]))) == 1


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (text("Table 1: Rivers"), text("The end."), "Table 1: Rivers"),
        (text("Rivers", "caption"), text("The end."), "Rivers"),
        (text("Prose."), text("Table 2. Rivers"), "Table 2. Rivers"),
        (text("Figure 1: A weir", "caption"), text("The end."), ""),
        (text("Prose."), text("Figure 2: A weir"), ""),
    ],
)
def test_a_caption_stands_above_or_below(before: Block, after: Block, expected: str) -> None:
    (picture,) = drawn(before, *rows(), after)
    assert (picture.caption, picture.visual_type) == (expected, "table")


def test_a_caption_of_an_image_is_no_caption_of_a_table_unless_it_says_so() -> None:
    gallery = PictureCollector()
    add_tables(gallery, [*rows(), text("A weir", "caption"), *rows(page=2), text("Table 2. Rivers")], {3, 7})
    assert [picture.caption for picture in gallery.finished()] == [""]
    other = PictureCollector()
    add_tables(other, [*rows(), text("Table 2. Rivers")], {3})
    assert [picture.caption for picture in other.finished()] == ["Table 2. Rivers"]


def test_text_between_parts_tables_and_pages_do() -> None:
    found = drawn(*rows(), text("And the lakes:"), *rows(["Lake | Depth", "Ness | 230"]), *rows(page=2))
    # The last one is the first one once more.
    assert [picture.nearby_text[:4] for picture in found] == ["Rive", "Lake"]
    assert len(drawn(*rows(), *rows(["Lake | Depth", "Ness | 230"], page=2))) == 2


@pytest.mark.parametrize(
    "texts", [["One row | only"], ["One", "column", "only"], ["Имя | Мили", "Уза | 52"], ["Fluss | Länge", "Ems | 371"]]
)
def test_what_is_no_grid_or_has_other_letters_is_not_drawn(texts: Sequence[str]) -> None:
    assert drawn(*rows(texts)) == ()


def test_a_huge_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 5
    monkeypatch.setattr(table_pictures, "MAX_ROWS", most)
    wide = " | ".join(["w" * 1_000] * 100)
    (picture,) = drawn(*rows([wide] * 1_000))
    limit = " | ".join([" ".join(["w" * MAX_CELL] * 2)] * MAX_COLUMNS)
    (largest,) = drawn(*rows([limit] * most))
    assert (picture.width, picture.height) == (largest.width, largest.height)
