"""Drawings with few or scattered parts: panels of one figure, and single paths or boxes assembled near their captions."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from toolsets.concept_rag.ingestion.pdf.captions import Caption
from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame, around
from toolsets.concept_rag.ingestion.pdf.lines import Segment
from toolsets.concept_rag.ingestion.pdf.region import Region

_REACH: Final = 48.0
"""The largest gap in points between a caption and its drawing, and between the drawing's parts."""
_OVERLAP: Final = 15.0
"""Points by which a drawing's box may overlap its caption, because a curve's box includes its control points."""
_ASIDE: Final = 60.0
"""Points by which a drawing may exceed its caption on either side."""
_MIN_WIDTH: Final = 30.0
"""Points; less than of other regions, because a caption says that there is a drawing."""
_MIN_HEIGHT: Final = 18.0
"""Points; less than of other regions, because a caption says that there is a drawing."""
_MIN_PART: Final = 10.0
"""Points; smaller clusters are bullets and signs of the text."""
_MAX_SHARE: Final = 0.9
"""The most of the page: what is gathered to more is its background or its frame."""
_PANEL_GAP: Final = 16.0
"""The largest gap in points between the panels of one figure."""
_PANEL_LETTERS: Final = 25
"""The most characters of a line between two panels."""
_SAME_EDGE: Final = 1.5
"""Points by which the edges of panels may differ."""
_PROSE_LETTERS: Final = 40
"""A line with at least this many characters is text rather than a label, and ends a drawing."""
_MAX_CAPTIONS: Final = 24
"""The most captions of a page for which drawings are searched."""
_MAX_PARTS: Final = 4_000
"""On a page with more segments no drawings are searched here; a page of small print has 500."""


def with_panels(large: Sequence[Region], parts: Sequence[Segment]) -> list[Region]:
    """Return `large` with the panels of one figure merged: drawings in a row or a column with aligned edges."""
    drawn = [region for region in large if region.curves and not region.images]
    rest = [region for region in large if not (region.curves and not region.images)]
    while True:
        merged: list[Region] = []
        for region in drawn:
            near = next((other for other in merged if _are_panels(other.box, region.box, parts)), None)
            if near is None:
                merged.append(region)
            else:
                near.absorb(region)
        if len(merged) == len(drawn):
            return rest + merged
        drawn = merged


def _are_panels(one: Box, other: Box, parts: Sequence[Segment]) -> bool:
    """Return whether two boxes have two edges in common, and at most short labels between them."""
    in_row = abs(one.y0 - other.y0) <= _SAME_EDGE and abs(one.y1 - other.y1) <= _SAME_EDGE
    in_column = abs(one.x0 - other.x0) <= _SAME_EDGE and abs(one.x1 - other.x1) <= _SAME_EDGE
    if not (in_row or in_column) or not one.meets(other, _PANEL_GAP):
        return False
    whole = around((one, other))
    between = (
        part
        for part in parts
        if whole.holds(*part.box.middle) and not one.holds(*part.box.middle) and not other.holds(*part.box.middle)
    )
    return all(sum(len(word.text) for word in part.words) <= _PANEL_LETTERS for part in between)


def gather(
    clusters: Sequence[Region],
    large: Sequence[Region],
    found: Sequence[Caption],
    parts: Sequence[Segment],
    frame: Frame,
) -> list[Region]:
    """Return the drawings of captions without a large region, each assembled from smaller clusters near its caption."""
    if len(parts) > _MAX_PARTS:
        return []
    known = set(map(id, large))
    loose = [region for region in clusters if id(region) not in known and _is_part(region)]
    drawings: list[Region] = []
    for caption in found[:_MAX_CAPTIONS]:
        if not caption.names_drawing or any(region.caption is caption for region in large):
            continue
        walls = [other.box for other in found if other is not caption]
        walls += [region.box for region in large]
        walls += [part.box for part in parts if _is_prose(part, caption)]
        drawing = _gathered(caption, loose, walls)
        if drawing is not None and _is_fit(drawing, parts, frame):
            drawings.append(drawing)
            loose = [region for region in loose if not drawing.box.meets(region.box)]
    return drawings


def _is_part(region: Region) -> bool:
    """Return whether a cluster may be part of a drawing: rules in a single direction belong to the text."""
    drawn = region.images or region.curves or (region.horizontal and region.vertical)
    return bool(drawn) and min(region.box.width, region.box.height) >= _MIN_PART


def _is_prose(part: Segment, caption: Caption) -> bool:
    letters = sum(len(word.text) for word in part.words)
    return letters >= _PROSE_LETTERS and not any(part is own for own in caption.parts)


def _gathered(caption: Caption, loose: Sequence[Region], walls: Sequence[Box]) -> Region | None:
    """Return the parts above a caption, else below it, up to the first wall; None if there are none."""
    for above in (True, False):
        drawing: Region | None = None
        for region in sorted(loose, key=partial(_nearness, caption.box, above=above)):
            known = caption.box if drawing is None else around((caption.box, drawing.box))
            edge = caption.box if drawing is None else drawing.box
            gap = edge.y0 - region.box.y1 if above else region.box.y0 - edge.y1
            beyond = drawing is None and gap < -_OVERLAP
            aside = region.box.x0 > known.x1 + _ASIDE or region.box.x1 < known.x0 - _ASIDE
            if gap > _REACH or beyond or aside or any(_stands_between(wall, caption.box, region.box) for wall in walls):
                continue
            if drawing is None:
                drawing = Region(region.box, caption=caption)
            drawing.absorb(region)
        if drawing is not None:
            return drawing
    return None


def _nearness(caption: Box, region: Region, *, above: bool) -> tuple[float, float]:
    away = -region.box.y1 if above else region.box.y0
    return away, abs(region.box.middle[0] - caption.middle[0])


def _stands_between(wall: Box, caption: Box, box: Box) -> bool:
    """Return whether a line or another visual is between a caption and a part, or beside the part like wrapped text."""
    whole = around((caption, box))
    middle = wall.middle[1]
    return whole.y0 < middle < whole.y1 and wall.x0 < whole.x1 and whole.x0 < wall.x1


def _is_fit(drawing: Region, parts: Sequence[Segment], frame: Frame) -> bool:
    """Return whether a drawing is large enough, and not a frame around a listing."""
    box = drawing.box
    if (
        box.width < _MIN_WIDTH
        or box.height < _MIN_HEIGHT
        or box.width * box.height > _MAX_SHARE * (frame.width * frame.height)
    ):
        return False
    inside = [word for part in parts for word in part.words if box.holds(*word.box.middle)]
    mono = sum(len(word.text) for word in inside if word.style.mono)
    return 2 * mono <= sum(len(word.text) for word in inside)
