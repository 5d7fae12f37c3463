"""The scales and titles of a chart's axes, which are printed beside its drawn parts."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.concept_rag.ingestion.pdf.geometry import Box, around
from toolsets.concept_rag.ingestion.pdf.lines import Segment
from toolsets.concept_rag.ingestion.pdf.words import PdfWord

NUMBER: Final = re.compile(r"[-+−]?\d{1,12}(?:[.,]\d{1,12})?%?")
_SCALE_GAP: Final = 11.0
"""The largest distance in points from an axis to its numbers."""
_BEYOND: Final = 15.0
"""Points by which a scale's first and last number may exceed the axis."""
_TITLE_GAP: Final = 1.8
"""In multiples of the size: the largest distance from the numbers to the title."""
_TITLE_WIDTH: Final = 0.6
"""The most of the axis that its title takes; a line of the text below takes more."""
_OFF_CENTRE: Final = 0.05
"""The largest distance of the middles of an axis and its title, as a share of the axis."""
_SIZES: Final = 1.3
"""The largest ratio of the sizes of the title and the numbers."""


def with_axes(core: Box, parts: Sequence[Segment], sideways: Sequence[PdfWord]) -> Box:
    """Return the box of a drawing with the numbers below and left of it, and the titles centred beside them.

    `parts` and `sideways` are the upright and the sideways words that may be labels. `core` has the drawn parts only.
    """
    labels = [part for part in parts if part.words]
    scale = [part for part in labels if _is_scale(part) and _is_below(part.box, core)]
    boxes = [core, *(part.box for part in scale)]
    if scale:
        bottom, size = max(part.box.y1 for part in scale), scale[0].size
        titles = [part for part in labels if 0 <= part.box.y0 - bottom <= _TITLE_GAP * size]
        axis = around(part.box for part in scale)
        boxes += [
            part.box
            for part in titles
            if (_is_title(part, core, size) or _is_title(part, axis, size)) and _is_lone(part, core, labels)
        ]
    numbers = [word.box for word in sideways if NUMBER.fullmatch(word.text) and _is_left(word.box, core)]
    numbers += [part.box for part in labels if _is_scale(part) and _is_left(part.box, core)]
    if numbers:
        left = min(box.x0 for box in numbers)
        words = [word for word in sideways if 0 <= left - word.box.x1 <= _TITLE_GAP * word.style.size]
        title = [word.box for word in words if core.y0 <= word.box.middle[1] <= core.y1]
        boxes += [*numbers, *title]
    return around(boxes)


def _is_scale(part: Segment) -> bool:
    return all(NUMBER.fullmatch(word.text) for word in part.words)


def _is_below(box: Box, core: Box) -> bool:
    within = core.x0 - _BEYOND <= box.x0 and box.x1 <= core.x1 + _BEYOND
    return within and core.y1 - 2 <= box.y0 <= core.y1 + _SCALE_GAP


def _is_left(box: Box, core: Box) -> bool:
    within = core.y0 - _BEYOND <= box.y0 and box.y1 <= core.y1 + _BEYOND
    return within and -2 <= core.x0 - box.x1 <= _SCALE_GAP


def _is_title(part: Segment, axis: Box, size: float) -> bool:
    """Return whether a line is centred below an axis, in about the size of its numbers, and is no line of the text."""
    centred = abs(part.box.middle[0] - axis.middle[0]) <= _OFF_CENTRE * axis.width
    alike = size / _SIZES <= part.size <= size * _SIZES
    return centred and alike and part.box.width <= _TITLE_WIDTH * axis.width and not part.words[0].style.mono


def _is_lone(part: Segment, core: Box, labels: Sequence[Segment]) -> bool:
    """Return whether no other text is at the height of a line, below the drawing."""
    return not any(
        other is not part
        and abs(other.baseline - part.baseline) < 0.5 * part.size
        and other.box.x0 < core.x1
        and other.box.x1 > core.x0
        for other in labels
    )
