"""Boxes on a page as seen by the reader: points from the upper left corner, after cropping and rotation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle: left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Points from left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Points from top to bottom."""
        return self.y1 - self.y0

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def grown(self, margin: float) -> "Box":
        """Return the box enlarged by `margin` on each side."""
        return Box(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)

    def meets(self, other: "Box", gap: float = 0) -> bool:
        """Return whether the boxes are at most `gap` apart in both directions."""
        return (
            self.x0 <= other.x1 + gap
            and other.x0 <= self.x1 + gap
            and self.y0 <= other.y1 + gap
            and other.y0 <= self.y1 + gap
        )

    def holds(self, x: float, y: float) -> bool:
        """Return whether the point is inside."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def within(self, outer: "Box") -> "Box":
        """Return the part inside `outer`; its width or height is negative if there is none."""
        return Box(max(self.x0, outer.x0), max(self.y0, outer.y0), min(self.x1, outer.x1), min(self.y1, outer.y1))


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around `boxes`, which must not be empty."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return Box(min(left), min(top), max(right), max(bottom))


@dataclass(frozen=True, slots=True)
class Frame:
    """The map from a page's user space to the page as seen by the reader."""

    bounds: tuple[float, float, float, float]
    """The visible part in user space: left, bottom, right, top."""
    quarters: int
    """Quarter turns clockwise, 0 to 3."""

    @property
    def width(self) -> float:
        """Points, after rotation."""
        left, bottom, right, top = self.bounds
        return right - left if self.quarters % 2 == 0 else top - bottom

    @property
    def height(self) -> float:
        """Points, after rotation."""
        left, bottom, right, top = self.bounds
        return top - bottom if self.quarters % 2 == 0 else right - left

    @property
    def page(self) -> Box:
        """The whole page."""
        return Box(0, 0, self.width, self.height)

    def turned(self, quarters: int) -> "Frame":
        """Return the frame of the page rotated by further quarter turns."""
        return Frame(self.bounds, (self.quarters + quarters) % 4)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the visible position of a point of user space."""
        left, bottom, right, top = self.bounds
        if self.quarters == 0:
            return x - left, top - y
        if self.quarters == 1:
            return y - bottom, x - left
        if self.quarters == 2:
            return right - x, y - bottom
        return top - y, right - x

    def source(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of user space at a visible position."""
        left, bottom, right, top = self.bounds
        if self.quarters == 0:
            return x + left, top - y
        if self.quarters == 1:
            return y + left, x + bottom
        if self.quarters == 2:
            return right - x, y + bottom
        return right - y, top - x

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """Return the visible box of two opposite corners in user space."""
        # Called twice per word: comparisons take half the time of `min` and `max`.
        if self.quarters == 0:
            left, _, _, top = self.bounds
            ax, ay, bx, by = x0 - left, top - y0, x1 - left, top - y1
        else:
            (ax, ay), (bx, by) = self.point(x0, y0), self.point(x1, y1)
        if bx < ax:
            ax, bx = bx, ax
        if by < ay:
            ay, by = by, ay
        return Box(ax, ay, bx, by)

    def seen_in(self, box: Box, other: "Frame") -> Box:
        """Return a box of this frame in the frame `other`."""
        return other.box(*self.source(box.x0, box.y0), *self.source(box.x1, box.y1))
