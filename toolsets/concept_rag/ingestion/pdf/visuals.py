"""Renders visuals of pages as PNG, without duplicates, within limits of number and size."""

import io
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from toolsets.concept_rag.ingestion.document import Picture
from toolsets.concept_rag.ingestion.pdf.blocks import PlacedBlock
from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame
from toolsets.concept_rag.ingestion.pdf.hyphens import HYPHEN_AT_END, Hyphens
from toolsets.concept_rag.ingestion.pdf.library import PdfPage
from toolsets.concept_rag.ingestion.pdf.lines import Segment
from toolsets.concept_rag.ingestion.pdf.region import Region
from toolsets.concept_rag.ingestion.surroundings import Surroundings, described
from toolsets.concept_rag.ingestion.visual_types import stated_type

if TYPE_CHECKING:
    from PIL.Image import Image

_Colour: TypeAlias = tuple[int, int, int]

DPI: Final = 144
"""Two pixels for each point of the page: labels of six points stay legible."""
MAX_PIXELS: Final = 2_500_000
"""The most pixels of a picture; a full page at 144 dpi has 2.0 million."""
MAX_BYTES: Final = 128 * 2**20
"""The most bytes of all pictures of a document, which are in memory until the document is read."""
MAX_NEARBY: Final = 500
"""A few sentences; with more, a visual is found by what it does not show."""
_ATTEMPTS: Final = 4
"""At most this multiple of the limit of pictures is rendered, including duplicates."""
_PADDING: Final = 2.5
"""Points around a region, for the width of its outermost strokes."""
_STROKE: Final = 0.5
"""The same for a region enclosed by rules, close to which there may be text."""
_THUMBNAIL: Final = 32
"""Pixels of a side at which visuals are compared; with fewer, charts that differ in a curve would be alike."""
_ALIKE: Final = 2.5
_ALIKE_EVERYWHERE: Final = 64
"""Two thumbnails with a smaller mean and a smaller largest difference, of 255, are equal; two charts of thin lines differ
little on average, and much in some places."""
_COMPRESSION: Final = 4
"""The level of PNG's compression. The usual one, 6, makes files 2 % smaller in half as much time again."""
_SAME_EDGE: Final = 24.0
"""The most points between the left edges of two lines of a column: an indent."""
_REPEATED: Final = 3
"""A picture without a caption on at least this many pages is page furniture, such as a logo."""
_WHOLE_SIDE: Final = 0.9
"""The least share of a page's side along which a sidebar or a bar runs."""
_STRIP_SHARE: Final = 0.25
"""The most that it takes of the other side."""
_AT_EDGE: Final = 12.0
"""The most points between it and the edge of the page."""


@dataclass(slots=True)
class _Shown:
    thumbnail: bytes
    picture: Picture
    box: Box
    times: int = 1
    named: bool = False
    strip: tuple[int, ...] = ()
    """The box in whole points if it is a strip along an edge of the page."""


@dataclass(slots=True)
class Gallery:
    """The pictures of a document."""

    limit: int
    left_out: int = 0
    """Visuals beyond the limits."""
    _groups: dict[tuple[str, int, int], list[_Shown]] = field(default_factory=dict[tuple[str, int, int], list[_Shown]])
    _shown: list[_Shown] = field(default_factory=list[_Shown])
    _kept: int = 0
    _drawn: int = 0
    _bytes: int = 0

    def add(self, page: PdfPage, number: int, frame: Frame, page_frame: Frame, region: Region, nearby: str) -> None:
        """Render `region` of `page`, and keep it unless it is a duplicate or a limit is reached.

        `frame` is the frame of the region's box, and `page_frame` the frame in which the page is rendered.
        """
        if self._drawn >= _ATTEMPTS * self.limit or self._kept >= self.limit or self._bytes >= MAX_BYTES:
            self.left_out += 1
            return
        self._drawn += 1
        image = _draw(page, frame, page_frame, region.box.grown(_STROKE if region.closed else _PADDING))
        caption = region.caption.text if region.caption else ""
        words = " ".join(word.text for word in region.words)
        key = f"{caption}\n{words}", image.width // 6, image.height // 6
        thumbnail = image.convert("L").resize((_THUMBNAIL, _THUMBNAIL)).tobytes()
        same = next((shown for shown in self._groups.get(key, ()) if _are_alike(shown.thumbnail, thumbnail)), None)
        if same is not None:
            same.times += 1
            return
        png = _png(image)
        picture = Picture(png, number, region.visual_type, caption, nearby, image.width, image.height)
        shown = _Shown(thumbnail, picture, region.box, named=bool(caption), strip=_strip(region.box, frame.page))
        self._groups.setdefault(key, []).append(shown)
        self._shown.append(shown)
        self._kept += 1
        self._bytes += len(png)

    def continues_with(self, other: "Gallery") -> bool:
        """Add the pictures of the following pages; false, without a change, if a limit is reached with them."""
        if (
            self.left_out
            or other.left_out
            or self._drawn + other._drawn > _ATTEMPTS * self.limit
            or self._kept + other._kept > self.limit
            or self._bytes + other._bytes > MAX_BYTES
        ):
            return False
        self._drawn += other._drawn
        keys = {id(shown): key for key, group in other._groups.items() for shown in group}
        for shown in other._shown:
            group = self._groups.setdefault(keys[id(shown)], [])
            same = next((each for each in group if _are_alike(each.thumbnail, shown.thumbnail)), None)
            if same is not None:
                same.times += shown.times
                continue
            group.append(shown)
            self._shown.append(shown)
            self._kept += 1
            self._bytes += len(shown.picture.png)
        return True

    def pictures(self, blocks: Sequence[PlacedBlock], hyphens: Hyphens) -> tuple[Picture, ...]:
        """Return the pictures in page order, with what `blocks` say about them, without those that repeat on many pages.

        A strip along an edge of many pages repeats even if it changes, as a sidebar that highlights the current section.
        `hyphens` joins the broken words of their texts.
        """
        strips = Counter[tuple[int, ...]]()
        for shown in self._shown:
            strips[shown.strip] += shown.times if shown.strip and not shown.named else 0
        kept = [shown for shown in self._shown if shown.named or max(shown.times, strips[shown.strip]) < _REPEATED]
        surroundings = Surroundings([placed.block for placed in blocks]) if kept else None
        pages = [placed.block.page for placed in blocks]
        for shown in kept:
            caption, nearby = hyphens.mended(shown.picture.caption), hyphens.mended(shown.picture.nearby_text)
            shown.picture = replace(shown.picture, caption=caption, nearby_text=nearby)
        return tuple(
            shown.picture if surroundings is None else _in_context(shown, blocks, pages, surroundings) for shown in kept
        )


def _in_context(
    shown: _Shown, blocks: Sequence[PlacedBlock], pages: Sequence[int], surroundings: Surroundings
) -> Picture:
    """Return a picture with its context, and with the type named there if the caption and its rules leave it open."""
    picture = shown.picture
    is_table = picture.visual_type == "table"
    start = _place(shown, blocks, pages)
    end = start
    while end < len(blocks) and blocks[end].block.page == picture.page and shown.box.holds(*blocks[end].box.middle):
        end += 1
    context = surroundings.of(start, end, is_table=is_table)
    is_open = not is_table and stated_type(picture.caption) is None
    named = context.visual_type if is_open else None
    return replace(picture, visual_type=named or picture.visual_type, context=described(picture.caption, context.text))


def _place(shown: _Shown, blocks: Sequence[PlacedBlock], pages: Sequence[int]) -> int:
    """Return the index of the block before which a picture stands: after the last block of its column that begins above it."""
    first, last = bisect_left(pages, shown.picture.page), bisect_right(pages, shown.picture.page)
    box = shown.box
    column = [
        place for place in range(first, last) if blocks[place].box.x0 < box.x1 and blocks[place].box.x1 > box.x0
    ] or range(first, last)
    above = [place for place in column if blocks[place].box.middle[1] < box.y0]
    return max(above) + 1 if above else min(column, default=first)


def _strip(box: Box, page: Box) -> tuple[int, ...]:
    """Return the box of a sidebar, or of a bar at the top or bottom of its page, in whole points; () for other boxes."""
    beside = box.height >= _WHOLE_SIDE * page.height and box.width <= _STRIP_SHARE * page.width
    across = box.width >= _WHOLE_SIDE * page.width and box.height <= _STRIP_SHARE * page.height
    at_edge = (beside and min(box.x0, page.x1 - box.x1) <= _AT_EDGE) or (
        across and min(box.y0, page.y1 - box.y1) <= _AT_EDGE
    )
    return tuple(map(round, box)) if at_edge else ()


def _are_alike(one: bytes, other: bytes) -> bool:
    differences = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(differences) < _ALIKE * len(differences) and max(differences) < _ALIKE_EVERYWHERE


def _draw(page: PdfPage, frame: Frame, page_frame: Frame, box: Box) -> "Image":
    area = frame.seen_in(box.within(frame.page), page_frame).within(page_frame.page)
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / max(area.width * area.height, 1)))
    crop = (area.x0, page_frame.height - area.y1, page_frame.width - area.x1, area.y0)
    bitmap = page.render(scale=scale, crop=(crop[0], crop[1], crop[2], crop[3]))
    try:
        image = bitmap.to_pil().convert("RGB")
    finally:
        bitmap.close()
    turn = (frame.quarters - page_frame.quarters) % 4
    return image.rotate(-90 * turn, expand=True) if turn else image


def _png(image: "Image") -> bytes:
    """Return `image` as PNG; drawings with few colours get a palette, which takes a third of the size."""
    from PIL.Image import Dither

    if (counts := image.getcolors(256)) is not None:
        colours = [cast("_Colour", colour) for _, colour in counts]
        is_grey = all(red == green == blue for red, green, blue in colours)
        image = _grey(image, sorted(colours)) if is_grey else image.quantize(256, dither=Dither.NONE)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_COMPRESSION)
    return buffer.getvalue()


def _grey(image: "Image", colours: Sequence[_Colour]) -> "Image":
    """Return an image of these shades of grey with a palette; `quantize` takes 20 times as long to choose one."""
    places = [0] * 256
    for place, (shade, _, _) in enumerate(colours):
        places[shade] = place
    indexed = image.getchannel("R").point(places)
    indexed.putpalette([*chain.from_iterable(colours)])
    return indexed


def nearby_text(region: Region, parts: Sequence[Segment]) -> str:
    """Return the words inside `region`, then those of the nearest lines above and below it.

    `HYPHEN_AT_END` follows the first part of a word broken between two of these lines.
    """
    caption = set(map(id, region.caption.parts)) if region.caption else set[int]()
    inner = {id(word) for word in region.words}
    lines = [
        part
        for part in parts
        if part.words and id(part) not in caption and not any(id(word) in inner for word in part.words)
        if part.box.x0 < region.box.x1 + 36 and part.box.x1 > region.box.x0 - 36
    ]
    above = sorted((part for part in lines if part.box.y1 <= region.box.y0 + 4), key=lambda part: -part.baseline)
    below = sorted((part for part in lines if part.box.y0 >= region.box.y1 - 4), key=lambda part: part.baseline)
    labels = " ".join(word.text for word in region.words)[:160]
    before = _joined(_nearest(above, 170)[::-1])
    after = _joined(_nearest(below, MAX_NEARBY - len(labels) - len(before) - 20))
    text = f"{labels} {before} {after}"
    return " ".join(text.split())[:MAX_NEARBY].strip()


def _nearest(parts: Sequence[Segment], letters: int) -> list[Segment]:
    """Return the first `parts`, of about `letters` characters in total."""
    chosen: list[Segment] = []
    for part in parts:
        if letters <= 0:
            break
        chosen.append(part)
        letters -= sum(len(word.text) + 1 for word in part.words)
    return chosen


def _joined(parts: Sequence[Segment]) -> str:
    """Return the texts of lines from the top, with the hyphen of each broken word."""
    texts: list[str] = []
    for part, following in zip_longest(parts, parts[1:]):
        hyphen = "" if not part.words[-1].broken else HYPHEN_AT_END if _is_below(part, following) else "-"
        texts.append(" ".join(word.text for word in part.words) + hyphen)
    return " ".join(texts)


def _is_below(part: Segment, following: Segment | None) -> bool:
    """Return whether a line is the next one of the same column."""
    return (
        following is not None
        and 0 < following.baseline - part.baseline < 2 * part.size
        and abs(following.box.x0 - part.box.x0) < _SAME_EDGE
    )
