"""Visuals on a page: clusters of images and paths, and tables between rules, each with its caption."""

import re
from collections.abc import Sequence
from statistics import median
from typing import Final

from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.ingestion.pdf.axes import NUMBER, with_axes
from toolsets.concept_rag.ingestion.pdf.captions import Caption
from toolsets.concept_rag.ingestion.pdf.drawings import Mark
from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame, around
from toolsets.concept_rag.ingestion.pdf.lines import Segment, rows_of, segments
from toolsets.concept_rag.ingestion.pdf.region import Region
from toolsets.concept_rag.ingestion.pdf.scattered import gather, with_panels
from toolsets.concept_rag.ingestion.pdf.tables import rule_places
from toolsets.concept_rag.ingestion.pdf.words import SMALL, PdfWord
from toolsets.concept_rag.ingestion.visual_types import stated_type

MAX_REGIONS: Final = 12
"""The most visuals per page; a page with more is a page of icons or a contact sheet."""
_GAP: Final = 9.0
"""The largest gap in points between the parts of one drawing."""
_MIN_IMAGE: Final = 20.0
"""Points, 7 mm; smaller images are icons in the text."""
_MIN_WIDTH: Final = 50.0
"""Points; narrower regions are ornaments, and narrower rules are no frames."""
_MIN_HEIGHT: Final = 35.0
"""Points; lower regions are rules and single lines of formulae."""
_MIN_SHARE: Final = 0.012
"""The least share of the page; smaller regions are decorations."""
_MAX_SHARE: Final = 0.9
"""The most of the page: a larger region is its background or its frame."""
_MANY: Final = 400
"""With more marks, those whose corners share a square of 24 points are merged first."""
_CAPTION_BELOW: Final = 48.0
"""Points, about four lines; a caption that is farther away belongs to another visual."""
_CAPTION_ABOVE: Final = 40.0
"""Points; less than below, since text above a drawing more often belongs to the one before."""
_FRAME: Final = 24.0
"""Points added to the distance between a frame and the caption of a table, so that tables are preferred."""
_LABEL_GAP: Final = 11.0
"""The largest distance in points from a drawing to its labels, such as those of an axis."""
_MAX_PARTS: Final = 4_000
"""On a page with more segments, labels are not searched for; a page of small print has 500."""
_MIN_STROKES: Final = 8
"""With fewer strokes a region with text is a box of advice rather than a drawing."""
_LABEL_LETTERS: Final = 25
"""The most letters of the median row: rows of labels are short, lines of prose are not."""
_MARGIN: Final = 0.08
"""Rules in this share of the page's height at the top and bottom belong to running heads and feet."""
_MIN_IMAGE_SHARE: Final = 0.12
"""With a smaller image a region is a box of text with an icon."""
_SAME_RULE: Final = 5.0
"""Two strokes within this many points are one rule of a table."""
_MOST_OF_IT: Final = 0.6
"""The least share of a table's height that its upright rules cover."""
_WORD: Final = re.compile(r"[A-Za-z]{3,}")


def regions(
    marks: Sequence[Mark],
    parts: Sequence[Segment],
    found: Sequence[Caption],
    frame: Frame,
    sideways: Sequence[PdfWord] = (),
) -> list[Region]:
    """Return the visuals of a page from the top, without decorations, code boxes and frames around text.

    Visuals with an image, a caption, or table rules besides a frame are kept. `parts` has the upright text of the page,
    and `sideways` the words that may label an axis.
    """
    drawn = [_region(mark) for mark in marks if _counts(mark) and not _is_note_rule(mark, parts, frame)]
    clusters = _clusters(_thinned(drawn) if len(drawn) > _MANY else drawn)
    clusters = _clusters(clusters + _between_rules(clusters, found, frame))
    large = with_panels([region for region in clusters if _is_large(region, frame)], parts)
    _name(large, found)
    clusters = _families(large) + gather(clusters, large, found, parts, frame)
    taken = {id(word) for caption in found for part in caption.parts for word in part.words}
    words = [word for part in parts for word in part.words if id(word) not in taken]
    for region in clusters:
        region.core = region.box
        _label(region, parts, taken, frame, sideways)
        region.words = [word for word in words if region.box.holds(*word.box.middle)]
        region.sideways = [word for word in sideways if region.box.holds(*word.box.middle)]
        region.visual_type = _type(region)
        if region.curves and len(parts) <= _MAX_PARTS:
            free = [part for part in parts if part.words and id(part.words[0]) not in taken]
            region.box = around((region.box, with_axes(region.core, free, sideways))).within(frame.page)
            region.words = [word for word in words if region.box.holds(*word.box.middle)]
            region.sideways = [word for word in sideways if region.box.holds(*word.box.middle)]
        _trim(region)
    _name_by_axes(clusters, found)
    kept = [region for region in clusters if _is_visual(region)]
    return sorted(kept, key=lambda region: (region.box.y0, region.box.x0))[:MAX_REGIONS]


def _counts(mark: Mark) -> bool:
    return mark.shape != "image" or min(mark.box.width, mark.box.height) >= _MIN_IMAGE


def _is_note_rule(mark: Mark, parts: Sequence[Segment], frame: Frame) -> bool:
    """Return whether a mark is the short rule above footnotes, with smaller type right below it."""
    box = mark.box
    if mark.shape != "horizontal" or box.y0 < 0.4 * frame.height or box.width > 0.45 * frame.width or not parts:
        return False
    below = [
        part for part in parts if 0 < part.baseline - box.y1 < 22 and abs(part.box.x0 - box.x0) < 20 and part.words
    ]
    usual = sorted(part.size for part in parts)[len(parts) // 2]
    return bool(below) and min(below, key=lambda part: part.baseline).size < SMALL * usual


def _region(mark: Mark) -> Region:
    region = Region(mark.box)
    if mark.shape == "image":
        region.images = 1
        region.image_area = mark.box.width * mark.box.height
    elif mark.shape == "curve":
        region.curves = 1
    elif mark.shape == "horizontal":
        region.horizontal.append(mark.box)
    else:
        region.vertical.append(mark.box)
    return region


def _thinned(drawn: Sequence[Region]) -> list[Region]:
    """Return `drawn`, with regions merged whose upper left corners share a square, which keeps clustering cheap."""
    squares: dict[tuple[int, int], Region] = {}
    for region in drawn:
        key = int(region.box.x0 // 24), int(region.box.y0 // 24)
        if key in squares:
            squares[key].absorb(region)
        else:
            squares[key] = region
    return list(squares.values())


def _clusters(regions_: Sequence[Region]) -> list[Region]:
    """Return `regions_`, merged until no two are closer than the gap."""
    pending = list(regions_)
    while True:
        merged: list[Region] = []
        for region in pending:
            near = next((other for other in merged if other.box.meets(region.box, _GAP)), None)
            if near is None:
                merged.append(region)
            else:
                near.absorb(region)
        if len(merged) == len(pending):
            return merged
        pending = merged


def _between_rules(clusters: Sequence[Region], found: Sequence[Caption], frame: Frame) -> list[Region]:
    """Return the tables with horizontal rules only: a table's caption, with rules of equal width near it."""
    top, bottom = _MARGIN * frame.height, (1 - _MARGIN) * frame.height
    rules = [rule for region in clusters for rule in region.horizontal if top < rule.y0 < bottom]
    rules.sort(key=lambda rule: rule.y0)
    tables: list[Region] = []
    for caption in (caption for caption in found if caption.names_table):
        least = _overlap(caption)
        near = [
            rule for rule in rules if least <= rule.y0 - caption.box.y1 <= _CAPTION_ABOVE and _overlaps(rule, caption)
        ]
        above = [rule for rule in rules if 0 <= caption.box.y0 - rule.y1 <= _CAPTION_BELOW and _overlaps(rule, caption)]
        anchor = near[0] if near else above[-1] if above else None
        if anchor is None:
            continue
        same = [rule for rule in rules if abs(rule.x0 - anchor.x0) <= 3 and abs(rule.x1 - anchor.x1) <= 3]
        same = [rule for rule in same if (rule.y0 >= anchor.y0) == bool(near) or rule is anchor]
        limits = [other.box for other in found if other is not caption]
        table = around(same)
        crossed = any(table.meets(limit) for limit in limits)
        if len(same) >= 2 and table.height < 0.85 * frame.height and not crossed:
            tables.append(Region(table, horizontal=[]))
    return tables


def _overlap(caption: Caption) -> float:
    """Return the least distance in points, which is negative, of a caption from its visual."""
    return -0.3 * caption.box.height - 3


def _overlaps(rule: Box, caption: Caption) -> bool:
    return rule.x0 < caption.box.x1 and caption.box.x0 < rule.x1 and rule.width >= _MIN_WIDTH


def _is_large(region: Region, frame: Frame) -> bool:
    area = region.box.width * region.box.height
    whole = frame.width * frame.height
    if region.box.width < _MIN_WIDTH or region.box.height < _MIN_HEIGHT:
        return False
    if not _MIN_SHARE * whole <= area <= _MAX_SHARE * whole:
        return False
    return region.images > 0 or region.marks >= 4 or (len(region.horizontal) >= 2 and region.curves == 0)


def _name(clusters: Sequence[Region], found: Sequence[Caption]) -> None:
    """Assign each caption to the nearest region, and each region the nearest caption."""
    pairs: list[tuple[float, int, int]] = []
    for number, region in enumerate(clusters):
        for other, caption in enumerate(found):
            distance = _distance(region.box, caption)
            if distance is not None:
                # A box of advice below a caption of the table above it has two rules without a cell between them.
                frame = _FRAME if caption.names_table and _is_frame(region) else 0.0
                pairs.append((distance + frame, number, other))
    used = {id(region.caption) for region in clusters}
    for _, number, other in sorted(pairs):
        if clusters[number].caption is None and id(found[other]) not in used:
            clusters[number].caption = found[other]
            used.add(id(found[other]))


def _name_by_axes(clusters: Sequence[Region], found: Sequence[Caption]) -> None:
    """Assign a caption to each drawing without one that has the titles of its axes between it and the caption."""
    nameless = [region for region in clusters if region.caption is None and region.curves]
    if not nameless:
        return
    used = {id(region.caption) for region in clusters}
    _name(nameless, [caption for caption in found if caption.names_drawing and id(caption) not in used])
    for region in nameless:
        if region.caption is not None:
            region.visual_type = stated_type(region.caption.text) or region.visual_type


def _is_frame(region: Region) -> bool:
    """Return whether a region is a pair of rules with nothing drawn between them."""
    return len(region.horizontal) == 2 and region.marks == 2


def _distance(box: Box, caption: Caption) -> float | None:
    """Return the points from a region to a caption, plus one for the unusual side; None if the caption is not its own."""
    if caption.box.x0 > box.x1 + 60 or caption.box.x1 < box.x0 - 60:
        return None
    below, above = caption.box.y0 - box.y1, box.y0 - caption.box.y1
    tolerance = _overlap(caption)
    if tolerance <= below <= _CAPTION_BELOW:
        return max(below, 0) + (6 if caption.names_table else 0)
    if tolerance <= above <= _CAPTION_ABOVE:
        return max(above, 0) + (0 if caption.names_table else 6)
    inside = box.y0 <= caption.box.y0 and caption.box.y1 <= box.y1
    return 0 if inside else None


def _families(clusters: Sequence[Region]) -> list[Region]:
    """Return the regions, with each unnamed region next to a named one merged into it, as parts of one figure."""
    named = [region for region in clusters if region.caption is not None]
    rest: list[Region] = []
    for region in (region for region in clusters if region.caption is None):
        family = next((other for other in named if _is_beside(region.box, other)), None)
        if family is None:
            rest.append(region)
        else:
            family.absorb(region)
    return named + rest


def _is_beside(box: Box, named: Region) -> bool:
    shared = min(box.y1, named.box.y1) - max(box.y0, named.box.y0)
    caption = named.caption
    reach = caption is not None and box.x0 < caption.box.x1 and box.x1 > caption.box.x0
    return shared > 0.5 * min(box.height, named.box.height) and (reach or box.meets(named.box, 24))


def _label(
    region: Region, parts: Sequence[Segment], taken: set[int], frame: Frame, sideways: Sequence[PdfWord]
) -> None:
    """Extend `region` by the words across its edge, and by short labels next to it."""
    ruled = region.images == 0 and region.curves == 0 and len(region.horizontal) >= 2
    if ruled or len(parts) > _MAX_PARTS:
        return
    grown = region.box
    for part in parts:
        if not part.words or id(part.words[0]) in taken or part.words[0].style.mono:
            continue
        letters = sum(len(word.text) for word in part.words)
        crosses = part.box.meets(region.box) and part.box.width <= 0.6 * region.box.width
        beside = part.box.meets(region.box, _LABEL_GAP) and letters <= 14 and part.box.width < 0.3 * region.box.width
        if crosses or (beside and _in_shadow(part.box, region.box) and not _ends_paragraph(part, parts)):
            grown = around((grown, part.box))
    for word in sideways:
        if word.box.meets(region.box, _LABEL_GAP) and word.box.height <= 1.1 * region.box.height:
            grown = around((grown, word.box))
    region.box = grown.within(frame.page)


def _trim(region: Region) -> None:
    """Cut a table to its upright rules; anything outside is a fraction bar in the adjacent text."""
    if region.visual_type != "table" or region.images or region.curves or not _is_ruled(region):
        return
    upright = around(region.vertical)
    if len(_rules(region)[1]) >= 2 and upright.height > _MOST_OF_IT * region.box.height:
        top, bottom = max(region.box.y0, upright.y0 - 1), min(region.box.y1, upright.y1 + 1)
        region.box = region.box._replace(y0=top, y1=bottom)
        region.words = [word for word in region.words if region.box.holds(*word.box.middle)]
        region.closed = True


def _ends_paragraph(part: Segment, parts: Sequence[Segment]) -> bool:
    """Return whether a short line is right below or above a long one with the same left edge."""
    return any(
        0 < abs(other.baseline - part.baseline) < 1.7 * part.size
        and abs(other.box.x0 - part.box.x0) < 3 * part.size
        and other.box.width > 3 * part.box.width
        for other in parts
    )


def _in_shadow(box: Box, region: Box) -> bool:
    """Return whether a box is directly above, below or beside a region, rather than off a corner."""
    return (region.x0 - 5 <= (box.x0 + box.x1) / 2 <= region.x1 + 5) or (
        region.y0 - 5 <= (box.y0 + box.y1) / 2 <= region.y1 + 5
    )


def _is_visual(region: Region) -> bool:
    letters = sum(len(word.text) for word in region.words)
    mono = sum(len(word.text) for word in region.words if word.style.mono)
    # The icon of a box of advice covers a small part of it.
    if region.image_area >= _MIN_IMAGE_SHARE * region.box.width * region.box.height:
        return True
    if letters and mono > 0.6 * letters:
        return region.caption is not None and not region.caption.names_table
    return region.caption is not None or _is_ruled(region) or _is_drawn(region)


def _rules(region: Region) -> tuple[list[float], list[float]]:
    """Return the positions of long rules: the y of horizontal ones, and the x of upright ones."""
    box = region.core or region.box
    across = rule_places(((rule.y0, rule.width) for rule in region.horizontal), 0.4 * box.width)
    return across, rule_places(((rule.x0, rule.height) for rule in region.vertical), 0.4 * box.height)


def _is_ruled(region: Region) -> bool:
    """Return whether a region has the rules of a table: long rules, at least one of them inside its frame."""
    if len(region.horizontal) < 4 and len(region.vertical) < 2:
        return False
    box = region.core or region.box
    across, upright = _rules(region)
    inner = [place for place in across if box.y0 + _SAME_RULE < place < box.y1 - _SAME_RULE]
    inner += [place for place in upright if box.x0 + _SAME_RULE < place < box.x1 - _SAME_RULE]
    return len(across) >= 2 and len(upright) >= 1 and len(inner) >= 1


def _is_drawn(region: Region) -> bool:
    """Return whether a region has strokes of a drawing, such as curves and axis ticks, and no lines of text."""
    across, upright = _rules(region)
    ticks = sum(all(abs(rule.y0 - level) > _SAME_RULE for level in across) for rule in region.horizontal)
    ticks += sum(all(abs(rule.x0 - place) > _SAME_RULE for place in upright) for rule in region.vertical)
    rows = [sum(len(word.text) for part in row for word in part.words) for row in rows_of(segments(region.words))]
    return region.curves + ticks >= _MIN_STROKES and (not rows or median(rows) <= _LABEL_LETTERS)


def _type(region: Region) -> VisualType:
    """Return the type by the words of the caption, else by the drawn objects."""
    stated = stated_type(region.caption.text) if region.caption else None
    ruled = region.images == 0 and region.curves == 0 and len(region.vertical) >= 2 and _is_ruled(region)
    if stated is not None:
        return "table" if ruled and region.words else stated
    if region.caption is not None and region.caption.names_code:
        return "figure"
    across, upright = len(region.horizontal), len(region.vertical)
    if region.images == 0 and region.curves == 0 and across >= 2 and (upright >= 2 or across >= 3) and region.words:
        return "table"
    if region.images == 0 and across >= 3 and region.curves <= across + upright and (upright >= 2 or across >= 4):
        return "table"
    if region.images == 0 and region.curves >= 6:
        inner = [word.text for word in (*region.words, *region.sideways)]
        numbers = sum(NUMBER.fullmatch(text) is not None for text in inner)
        return "chart" if numbers >= 6 and numbers >= sum(bool(_WORD.search(text)) for text in inner) else "diagram"
    return "figure"
