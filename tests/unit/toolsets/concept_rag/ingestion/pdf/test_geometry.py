"""Boxes on a page, and the map from a page's user space to what the reader sees."""

import pytest

from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame, around

BOUNDS = (10.0, 20.0, 110.0, 220.0)
"""A page 100 points wide and 200 high, cropped from a larger one."""


def test_a_box_has_its_measures() -> None:
    box = Box(10, 20, 40, 100)
    assert (box.width, box.height, box.middle) == (30, 80, (25, 60))
    assert box.grown(5) == Box(5, 15, 45, 105)


@pytest.mark.parametrize(
    ("other", "gap", "meets"),
    [
        (Box(20, 20, 30, 30), 0, True),
        (Box(10, 10, 30, 30), 0, True),
        (Box(11, 0, 20, 10), 0, False),
        (Box(11, 0, 20, 10), 1, True),
        (Box(0, 12, 10, 20), 1, False),
        (Box(11, 12, 20, 20), 1, False),
    ],
)
def test_boxes_meet_that_are_near_in_both_directions(other: Box, gap: float, *, meets: bool) -> None:
    box = Box(0, 0, 10, 10) if other.x0 != 20 else Box(0, 0, 20, 20)
    assert box.meets(other, gap) is meets
    assert other.meets(box, gap) is meets


def test_a_box_holds_its_edges() -> None:
    box = Box(0, 0, 10, 20)
    assert box.holds(0, 20)
    assert box.holds(5, 5)
    assert not box.holds(10.1, 5)
    assert not box.holds(5, -0.1)


def test_the_part_within_another_box_has_no_area_if_they_are_apart() -> None:
    assert Box(0, 0, 10, 10).within(Box(5, -5, 20, 5)) == Box(5, 0, 10, 5)
    assert Box(0, 0, 10, 10).within(Box(20, 0, 30, 10)).width < 0


def test_the_box_around_boxes_is_the_smallest_one() -> None:
    assert around([Box(5, 5, 6, 6)]) == Box(5, 5, 6, 6)
    assert around(iter([Box(0, 4, 3, 9), Box(2, 1, 8, 5)])) == Box(0, 1, 8, 9)


@pytest.mark.parametrize(
    ("quarters", "size", "corner"),
    [(0, (100, 200), (0, 200)), (1, (200, 100), (0, 0)), (2, (100, 200), (100, 0)), (3, (200, 100), (200, 100))],
)
def test_a_page_is_turned_clockwise(quarters: int, size: tuple[float, float], corner: tuple[float, float]) -> None:
    frame = Frame(BOUNDS, quarters)
    assert (frame.width, frame.height) == size
    assert frame.page == Box(0, 0, *size)
    assert frame.point(10, 20) == corner, "where the lower left corner of the page is seen"


@pytest.mark.parametrize("quarters", range(4))
def test_a_visible_position_leads_back_to_its_point(quarters: int) -> None:
    frame = Frame(BOUNDS, quarters)
    assert frame.source(*frame.point(33, 77)) == (33, 77)
    box = frame.box(30, 70, 50, 100)
    assert (box.width, box.height) == ((20, 30) if quarters % 2 == 0 else (30, 20))
    assert box == frame.box(50, 100, 30, 70), "whichever corners are given"
    assert (
        around([Box(*frame.point(30, 70), *frame.point(30, 70)), Box(*frame.point(50, 100), *frame.point(50, 100))])
        == box
    )


def test_a_box_is_seen_in_another_frame() -> None:
    upright = Frame(BOUNDS, 3)
    turned = upright.turned(2)
    assert turned == Frame(BOUNDS, 1)
    assert turned.seen_in(turned.box(30, 70, 50, 100), upright) == upright.box(30, 70, 50, 100)
