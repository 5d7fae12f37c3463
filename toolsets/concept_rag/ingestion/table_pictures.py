"""Draws tables of documents without pages as pictures: their rows as text in a grid."""

import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.ingestion.captions import MAX_CAPTION, is_caption
from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.ingestion.pictures import PictureCollector
from toolsets.concept_rag.ingestion.surroundings import Surroundings, VisualContext
from toolsets.concept_rag.ingestion.visual_types import stated_type

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

CELLS: Final = " | "
_BARS: Final = re.compile(r"(?:^| )\|(?= |$)")
"""The separator between the cells of a row in a block; two separators around an empty cell share one space."""
MAX_ROWS: Final = 30
"""With more a picture would be scaled down until it is illegible; the text has all rows."""
MAX_COLUMNS: Final = 10
"""With more a picture would be scaled down until it is illegible; the text has all columns."""
MAX_CELL: Final = 160
"""The most characters of a cell; longer text is cut."""
_MAX_NAVIGATION: Final = 4
"""The most rows of a navigation bar."""
_NAVIGATION: Final = re.compile(r"\W*(?:prev(?:ious)?|next|home|up|contents|index|top)\W*", re.IGNORECASE)
"""The text of a cell that leads to another page of a manual."""
_PLAIN: Final = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2026": "..."}
    | {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
"""Signs missing in the typeface, and their replacements."""
_LACKING: Final = "\uffff"
_NEARBY: Final = 500
"""As of other visuals (`pdf.visuals.MAX_NEARBY`)."""
_SIZE: Final = 20
"""The font size in pixels."""
_STEP: Final = 26
"""Pixels from one line to the next."""
_MARGIN: Final = 10
"""Pixels between a cell's border and its text."""
_LONGEST: Final = 24
"""The most characters of a word; longer words are broken."""
_WIDEST: Final = 380
"""The widest column in pixels; wider cells are wrapped."""


@dataclass(frozen=True, slots=True)
class _Table:
    rows: tuple[tuple[str, ...], ...]
    page: int
    caption: str
    context: VisualContext


def add_tables(gallery: PictureCollector, blocks: Sequence[Block], taken: Collection[int] = ()) -> None:
    """Draw a document's tables of at least two rows and columns, if the typeface has all their letters.

    Boxes of notes and bars of links, which manuals write as tables, are left out.
    A table's caption is the block right above or below it, unless that is the caption of an image: `taken` has the
    positions of those. Rows and columns beyond the limits are left out.
    """
    for table in _tables(blocks, taken):
        if not _is_drawable(table):
            continue
        nearby = " ".join(" ".join(row) for row in table.rows)[:_NEARBY]
        gallery.add(
            _drawn(table.rows),
            page=table.page,
            caption=table.caption,
            nearby_text=nearby,
            context=table.context,
            shown="table",
        )


def _tables(blocks: Sequence[Block], taken: Collection[int]) -> Iterator[_Table]:
    surroundings = Surroundings(blocks)
    for (is_table, page), run in groupby(enumerate(blocks), key=lambda each: (each[1].kind == "table", each[1].page)):
        if not is_table:
            continue
        places = [place for place, _ in run]
        texts = [blocks[place].text for place in places[:MAX_ROWS]]
        rows = tuple(tuple(_cells(text)) for text in texts)
        beside = [place for place in (places[0] - 1, places[-1] + 1) if 0 <= place < len(blocks)]
        caption = next((text for place in beside if (text := _caption(blocks[place], is_taken=place in taken))), "")
        context = surroundings.of(places[0], places[-1] + 1, is_table=True)
        yield _Table(rows, page, caption[:MAX_CAPTION], context)


def _cells(row: str) -> Iterator[str]:
    for cell in _BARS.split(row)[:MAX_COLUMNS]:
        text = cell.strip().translate(_PLAIN)
        yield text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]} ..."


def _caption(block: Block, *, is_taken: bool) -> str:
    """Return the text of a table's caption, else ""; any other caption belongs to an image next to the table."""
    if not is_caption(block):
        return ""
    numbered = is_caption(Block("paragraph", block.text, block.page))
    return block.text if stated_type(block.text) == "table" or not (numbered or is_taken) else ""


def _is_drawable(table: _Table) -> bool:
    if len(table.rows) < 2 or max(map(len, table.rows)) < 2:
        return False
    # The table of a note has its icon, its label and its text, one below another.
    if all(sum(map(bool, row)) <= 1 for row in table.rows) or _is_navigation(table.rows):
        return False
    return all(map(_has_letter, {letter for row in table.rows for cell in row for letter in cell}))


def _is_navigation(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table is a bar of links to the pages before and after, as manuals have at the top and bottom."""
    cells = [cell for row in rows for cell in row if cell]
    links = sum(_NAVIGATION.fullmatch(cell) is not None for cell in cells)
    return len(rows) <= _MAX_NAVIGATION and links >= max(2, len(cells) / 2)


@lru_cache(maxsize=1_000)
def _has_letter(letter: str) -> bool:
    """Return whether the typeface has a letter; it has English letters, and draws the same box for all others."""
    return letter == " " or _shape(letter) != _shape(_LACKING)


def _shape(letter: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("L", (2 * _SIZE, 2 * _SIZE))
    ImageDraw.Draw(image).text((2, 2), letter, fill=255, font=_font())
    return image.tobytes()


@cache
def _font() -> "FreeTypeFont":
    from PIL import ImageFont

    return ImageFont.load_default(_SIZE)  # pyright: ignore[reportReturnType] with a size it is a FreeType font


def _drawn(rows: Sequence[Sequence[str]]) -> bytes:
    """Return a PNG of a table; the first row is its header."""
    from PIL import Image, ImageDraw

    count = max(map(len, rows))
    cells = [[_lines(cell) for cell in row] + [[""]] * (count - len(row)) for row in rows]
    widths = [max(_width(line) for row in cells for line in row[column]) + 2 * _MARGIN for column in range(count)]
    heights = [max(map(len, row)) * _STEP + _MARGIN for row in cells]
    image = Image.new("L", (sum(widths) + 1, sum(heights) + 1), 255)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, image.width - 1, heights[0]), fill=232)
    top = 0
    for row, height in zip(cells, heights, strict=True):
        left = 0
        for lines, width in zip(row, widths, strict=True):
            draw.rectangle((left, top, left + width, top + height), outline=96)
            for place, line in enumerate(lines):
                draw.text((left + _MARGIN, top + _MARGIN // 2 + place * _STEP), line, fill=0, font=_font())
            left += width
        top += height
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _lines(cell: str) -> list[str]:
    """Return the lines of a cell, broken at spaces and inside words that are too long."""
    lines = [""]
    words = (word[at : at + _LONGEST] for word in cell.split() for at in range(0, len(word), _LONGEST))
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer) > _WIDEST:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _width(text: str) -> int:
    return round(_font().getlength(text)) + 1
