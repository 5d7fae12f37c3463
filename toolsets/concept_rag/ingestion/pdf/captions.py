"""Captions: the lines that name a figure or a table."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from toolsets.concept_rag.ingestion.pdf.geometry import Box, around
from toolsets.concept_rag.ingestion.pdf.hyphens import HYPHEN_AT_END
from toolsets.concept_rag.ingestion.pdf.lines import Segment

MAX_CAPTIONS: Final = 100
"""The most captions per page; a page with more is a list of figures."""
_MAX_LINES: Final = 6
"""A longer one is a paragraph that begins like a caption."""
_MAX_LOOK: Final = 200
"""The other lines of a caption are among this many segments after the first."""
_CAPTION: Final = re.compile(
    r"(?i:fig(?:ure|\.)?|table|tab\.|chart|diagram|plate|scheme|graph|illustration|exhibit|box|listing|algorithm)\s{0,3}"
    r"(?:\d{1,4}|[A-Z]|[IVXLC]{1,7})(?:[.\-–]\d{1,4}){0,3}[a-z]?"
    r"(?:\s{0,2}(?:[:.|—–]|-\s)|\s{0,2}$|\s{1,3}(?=[A-Z\"“(]))"
)
# A sentence may begin with the same words: "Table 3 shows"; "Figure 2 The" is a caption.
_SENTENCE: Final = re.compile(r"\w+\.?\s{1,3}[\w.\-–]{0,11}\w\s{1,3}[a-z]")
_TEXT: Final = re.compile(r"\s*(?:tab(?:le|\.)|box|listing|algorithm|exhibit)", re.IGNORECASE)
_CODE: Final = re.compile(r"\s*(?:listing|algorithm)", re.IGNORECASE)
_TABLE: Final = re.compile(r"\s*tab(?:le|\.)", re.IGNORECASE)


class Caption(NamedTuple):
    """A caption and its lines."""

    text: str
    """With `HYPHEN_AT_END` after the first part of a broken word."""
    box: Box
    parts: tuple[Segment, ...]

    @property
    def names_table(self) -> bool:
        """Whether the caption names a table."""
        return _TABLE.match(self.text) is not None

    @property
    def names_code(self) -> bool:
        """Whether the caption names a listing or an algorithm."""
        return _CODE.match(self.text) is not None

    @property
    def names_drawing(self) -> bool:
        """Whether the caption names a drawing: neither a table nor text in a frame."""
        return _TEXT.match(self.text) is None


def is_caption(text: str) -> bool:
    """Return whether a line begins a caption: "Figure 3.1: ...", "Table 2 Results"; not "Table 2 shows ..."."""
    return _CAPTION.match(text) is not None and not _SENTENCE.match(text[:60])


def captions(parts: Sequence[Segment]) -> list[Caption]:
    """Return the captions of a page, each with its continuation lines."""
    texts = sorted((part for part in parts if part.words), key=lambda part: (part.baseline, part.box.x0))
    firsts = [place for place, part in enumerate(texts) if is_caption(_text(part)[:200])]
    return [_whole(texts, place) for place in firsts[:MAX_CAPTIONS]]


def _text(part: Segment) -> str:
    return " ".join(word.text for word in part.words)


def _whole(texts: Sequence[Segment], place: int) -> Caption:
    """Return the caption that begins at `place`, with the lines close below it in the same size and within its width.

    It ends above a row of cells, which is the first one of its table.
    """
    first = texts[place]
    lines = [first]
    for part in islice(texts, place + 1, place + 1 + _MAX_LOOK):
        last = lines[-1]
        beside = part.baseline - last.baseline < 0.3 * first.size
        below = part.baseline - last.baseline <= 1.45 * first.size
        level = part.box.x0 < first.box.x1 and part.box.x1 > first.box.x0
        if len(lines) >= _MAX_LINES or not below or abs(part.size - first.size) > 0.6:
            if part.baseline - last.baseline > 3 * first.size:
                break
            continue
        if not beside and level and _is_row(texts, part, first):
            break
        if (beside and part.box.x0 - last.box.x1 < 3 * first.size and part.box.x0 > last.box.x0) or (
            not beside and level and not is_caption(_text(part)[:200]) and _same_edges(first, last, part)
        ):
            lines.append(part)
    texts_ = [_text(part) + HYPHEN_AT_END * part.words[-1].broken for part in lines]
    return Caption(" ".join(texts_)[:1_000], around(part.box for part in lines), tuple(lines))


def _is_row(texts: Sequence[Segment], part: Segment, first: Segment) -> bool:
    """Return whether `part` is a cell in a row of a table: other cells are at its height, below the caption's first line."""
    across = (other for other in texts if other is not part and abs(other.baseline - part.baseline) < 0.3 * first.size)
    return any(other.box.x0 < first.box.x1 and other.box.x1 > first.box.x0 for other in across)


def _same_edges(first: Segment, last: Segment, part: Segment) -> bool:
    """Return whether `part` can continue the line `last`: it starts at the caption's left edge, or is centred below it."""
    centre = (part.box.x0 + part.box.x1) / 2 - (last.box.x0 + last.box.x1) / 2
    full = last.box.width >= 0.8 * part.box.width
    return full and (abs(centre) < 4 or -3 <= part.box.x0 - first.box.x0 < 60)
