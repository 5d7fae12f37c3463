"""The words of a page with their boxes and type, from PDFium's text page."""

import ctypes
import math
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from struct import Struct
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from toolsets.concept_rag.ingestion.pdf.characters import plain, with_ligatures, with_mark
from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame
from toolsets.concept_rag.ingestion.pdf.library import (
    INVISIBLE,
    PdfPage,
    Raw,
    TextPage,
    address,
    raw,
    reference,
    text_calls,
)
from toolsets.concept_rag.ingestion.pdf.right_to_left import RIGHT_TO_LEFT, words_as_read

MAX_CHARACTERS: Final = 200_000
"""Per page. A page of small print has 10,000; a poster of a code listing some 100,000."""
_MAX_SIZE: Final = 2_000.0
"""The largest size in points; damaged files have larger values."""
_HYPHEN: Final = "\x02"
"""What PDFium writes for a hyphen at the end of a line."""
_HYPHENS: Final = re.compile(_HYPHEN)
_WRITTEN_ELSE: Final = re.compile("[\ufffd\ufffe]")
"""PDFium's replacements for such a hyphen, or for no character."""
_NO_CHARACTER: Final = "\uffff"
_UNBROKEN: Final = re.compile("[^\x00-\x20\xa0\u2028\u3000]+")
_SOFT_HYPHEN: Final = "\xad"
_DELETE: Final = "\x7f"
"""The only character in ASCII that neither separates words nor is printed."""
SMALL: Final = 0.92
"""A raised mark is smaller than this multiple of the adjacent size (TeX: 0.7 to 0.9, word processors: 0.58)."""
_MONOSPACED: Final = re.compile(
    r"mono|couri|consol|typewriter|cmtt|cmsltt|cmitt|cmtcsc|sftt|sfst|sfit|ectt|lmtt|txtt|t1xb?tt|tcxb?tt|pcrr|menlo|"
    r"inconsolata|source ?code|fira ?code|nimbusmon|fixed|terminal|letter ?gothic|andale|hack-|cascadia|jetbrains"
)
_BOLD: Final = re.compile(r"bold|black|heavy|demi|medi(?:ital)?$|cmbx|cmssbx|cmb1|sfbx|ecbx|sfsx|t1xbtt|t1xb")
"""Matches names of bold fonts; PDFium's weight, from stem thickness, is unreliable (some regular fonts have 635)."""
_FIXED_PITCH_FLAG: Final = 1
"""A bit of a font's flags, which are -1 if PDFium cannot tell them."""
_WIDE: Final = frozenset("WF")
"""The widths of East Asian letters in Unicode's terms: wide and full width."""
_MARGIN: Final = 20
"""Points outside the page's edges in which a word may begin, if its middle is inside."""
_RECT: Final = Struct("4f")
"""FS_RECTF of PDFium: left, top, right, bottom."""
_POINT: Final = Struct("2d")
_COLUMN: Final = 2**20
"""More than the points of a page from top to bottom."""


@dataclass(frozen=True, slots=True)
class Style:
    """The type of a word."""

    size: float
    """Points, after all scaling."""
    bold: bool = False
    mono: bool = False
    quarters: int = 0
    """The direction of the line in user space: 0 right, 1 up, 2 left, 3 down; -1 for any other angle."""


@dataclass(slots=True)
class PdfWord:
    """Characters without white space between."""

    text: str
    box: Box
    baseline: float
    style: Style
    order: int
    """Position in the content stream."""
    broken: bool = False
    """Whether the word ended with a hyphen at a line's end, which is not in `text`."""
    soft: bool = False
    """Whether that hyphen is soft, so that the two parts are certainly one word."""


class _GlyphRun(NamedTuple):
    """Neighbouring characters of one style and baseline."""

    first: int
    last: int
    style: Style
    baseline: float


class _Font(NamedTuple):
    """The properties of a font by its name and its flags."""

    is_bold: bool
    is_named_mono: bool
    is_fixed_pitch: bool


class _WordReader:
    """Reads boxes and styles of one page; most calls are made for all words at a time, without a loop in Python."""

    def __init__(self, text: object, frame: Frame, library: Raw) -> None:
        self._text, self._address = text, address(text)
        self._frame = frame
        self._library = library
        self._rect = library.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._matrix = library.FS_MATRIX()
        self._references = reference(self._rect), reference(self._x), reference(self._y), reference(self._matrix)
        self._calls = text_calls()
        self._text_object, self._box, self._origin = self._calls.text_object, self._calls.box, self._calls.origin
        self.styles: dict[int | None, Style] = {}
        """By the address of a text object."""
        self._looks: dict[tuple[tuple[float, ...], bool, bool], Style] = {}
        """By the arguments of `_styled`; a page has thousands of text objects of few styles."""
        self._fonts: dict[int, _Font] = {}

    def letters(self, count: int) -> str:
        """Return the first `count` characters, one per index; a placeholder for a missing character is removed later."""
        buffer = (ctypes.c_ushort * (count + 1))()
        if self._library.FPDFText_GetText(self._text, 0, count, buffer) == count + 1:
            # Characters without a code point are omitted there, and rare ones take two positions: then the lengths differ.
            found = bytes(buffer)[:-2].decode("utf-16-le", "replace")
            if len(found) == count:
                return _WRITTEN_ELSE.sub(lambda match: self._letter(match.start()), found)
        return "".join(map(self._letter, range(count)))

    def _letter(self, index: int) -> str:
        code = self._calls.code(self._address, index)
        return chr(code) if code <= sys.maxunicode else _NO_CHARACTER

    def box(self, index: int) -> Box:
        rect = self._rect
        self._box(self._address, index, self._references[0])
        return self._frame.box(rect.left, rect.bottom, rect.right, rect.top)

    def boxes(self, starts: Sequence[int], lasts: Sequence[int]) -> Iterator[Box]:
        """Yield a box for each two characters of a line: that of the first, widened to the edges of the last."""
        frame = self._frame
        rects = zip(self._rects(starts), self._rects(lasts), strict=True)
        if frame.quarters:
            for (left, top, right, bottom), (last_left, last_top, last_right, last_bottom) in rects:
                box = frame.box(left, bottom, right, top)
                end = frame.box(last_left, last_bottom, last_right, last_top)
                yield Box(min(box.x0, end.x0), box.y0, max(box.x1, end.x1), box.y1)
            return
        # As above, without two calls and a second box for each word.
        x, _, _, y = frame.bounds
        for (left, top, right, bottom), (last_left, _, last_right, _) in rects:
            x0, x1 = (left, right) if left <= right else (right, left)
            y0, y1 = (top, bottom) if top >= bottom else (bottom, top)
            end, begin = (last_right, last_left) if last_right >= last_left else (last_left, last_right)
            yield Box((begin if begin < x0 else x0) - x, y - y0, (end if end > x1 else x1) - x, y - y1)

    def _rects(self, indices: Sequence[int]) -> Iterator[tuple[float, float, float, float]]:
        buffer = ctypes.create_string_buffer(_RECT.size * len(indices))
        places = range(start := ctypes.addressof(buffer), start + len(buffer), _RECT.size)
        deque(map(self._box, repeat(self._address), indices, places), maxlen=0)
        return _RECT.iter_unpack(buffer)

    def baselines(self, indices: Sequence[int]) -> Iterator[float]:
        """Yield the baseline of each character."""
        buffer = ctypes.create_string_buffer(_POINT.size * len(indices))
        begin, half = ctypes.addressof(buffer), _POINT.size // 2
        xs = range(begin, begin + len(buffer), _POINT.size)
        ys = range(begin + half, begin + half + len(buffer), _POINT.size)
        deque(map(self._origin, repeat(self._address), indices, xs, ys), maxlen=0)
        points, point = _POINT.iter_unpack(buffer), self._frame.point
        if self._frame.quarters:
            return (point(x, y)[1] for x, y in points)
        top = self._frame.bounds[3]
        return (top - y for _, y in points)

    def baseline(self, index: int) -> float:
        self._origin(self._address, index, self._references[1], self._references[2])
        return self._frame.point(self._x.value, self._y.value)[1]

    def owners(self, indices: Sequence[int]) -> Iterator[int | None]:
        """Yield the address of each character's text object, None if it has none."""
        return map(self._text_object, repeat(self._address), indices)

    def style(self, index: int, owner: int | None) -> Style:
        known = self.styles.get(owner)
        if known is None:
            known = self.styles[owner] = self._style(index, owner)
        return known

    def _style(self, index: int, owner: int | None) -> Style:
        matrix = self._matrix
        if not self._calls.matrix(self._address, index, self._references[3]):
            matrix = self._library.FS_MATRIX()
        bold, mono = self._font(index, owner) if owner else (False, False)
        shape = matrix.a, matrix.b, matrix.c, matrix.d, self._calls.size(self._address, index)
        if (known := self._looks.get((shape, bold, mono))) is None:
            known = self._looks[shape, bold, mono] = _styled(*shape, bold=bold, mono=mono)
        return known

    def _font(self, index: int, owner: int) -> tuple[bool, bool]:
        """Return whether a character's font is bold, and whether it is monospaced."""
        key = self._calls.font(owner)
        if not key:
            return False, False
        if (font := self._fonts.get(key)) is None:
            text_object = self._library.FPDFText_GetTextObject(self._text, index)
            font = self._fonts[key] = self._described_font(self._library.FPDFTextObj_GetFont(text_object))
        # All letters of Chinese and Japanese have one width, in prose too.
        mono = font.is_named_mono or (font.is_fixed_pitch and east_asian_width(self._letter(index)) not in _WIDE)
        return font.is_bold, mono and self._calls.render_mode(owner) != INVISIBLE

    def _described_font(self, font: object) -> _Font:
        name = ctypes.create_string_buffer(128)
        length = self._library.FPDFFont_GetBaseFontName(font, name, 128)
        words = name.value.decode("latin-1").lower() if 0 < length <= 128 else ""
        flags = self._library.FPDFFont_GetFlags(font)
        return _Font(
            is_bold=_BOLD.search(words) is not None,
            is_named_mono=_MONOSPACED.search(words) is not None,
            is_fixed_pitch=flags >= 0 and bool(flags & _FIXED_PITCH_FLAG),
        )


def _styled(across: float, up: float, right: float, high: float, size: float, *, bold: bool, mono: bool) -> Style:
    """Return the style of characters by the linear part of their matrix, their size before it, and their font."""
    size *= math.hypot(right, high)
    if not (0 < size < _MAX_SIZE and math.isfinite(across) and math.isfinite(up)):
        return Style(10)
    angle = math.degrees(math.atan2(up, across))
    quarters = round(angle / 90)
    straight = abs(angle - 90 * quarters) < 3
    return Style(round(size, 1), bold, mono, quarters % 4 if straight else -1)


def page_frame(page: PdfPage) -> Frame:
    """Return the frame of `page` as shown."""
    return Frame(page.get_bbox(), page.get_rotation() // 90 % 4)


class PageWords(NamedTuple):
    """The words of a page in the order of its content stream."""

    upright: list[PdfWord]
    sideways: list[PdfWord]
    """Words in another direction than most, such as labels of an axis or a stamp in the margin."""
    frame: Frame
    """The frame of the words' boxes."""


def page_words(text_page: TextPage, frame: Frame) -> PageWords:
    """Return the words of a page, without words outside its edges, such as printer's notes.

    The returned frame differs from `frame` if most of the page's text is sideways, as in a rotated table.
    """
    found = _words(text_page, frame)
    directions: dict[int, int] = {}
    for word in found:
        quarters = word.style.quarters
        directions[quarters] = directions.get(quarters, 0) + len(word.text)
    usual = max(directions, key=lambda quarters: (directions[quarters], -quarters), default=0)
    turn = (usual - frame.quarters) % 4 if usual >= 0 and found else 0
    if turn:
        frame = frame.turned(turn)
        found = _words(text_page, frame)
    seen: dict[str, PdfWord | set[int]] = {}
    words = PageWords([], [], frame)
    width, height = frame.width, frame.height
    right, bottom = width + _MARGIN, height + _MARGIN
    for word in found:
        x0, y0, x1, y1 = word.box
        if not (-_MARGIN <= x0 <= right and -_MARGIN <= word.baseline <= bottom):
            continue
        if 0 <= (x0 + x1) / 2 <= width and 0 <= (y0 + y1) / 2 <= height:
            known = seen.setdefault(word.text, word)
            if known is word or _is_new(word, known, seen):
                (words.upright if word.style.quarters == usual else words.sideways).append(word)
    return words


def _is_new(word: PdfWord, known: PdfWord | set[int], seen: dict[str, PdfWord | set[int]]) -> bool:
    """Return whether `word` is not a duplicate of another: some producers make bold type by printing a word twice.

    `seen` has the words so far by their text, `known` for this one: one word, or the positions of several.
    """
    if isinstance(known, PdfWord):
        known = seen[word.text] = set(_positions(known.box[0], known.baseline))
    x, y = word.box[0], word.baseline
    if int(x) * _COLUMN + int(y) in known:
        return False
    known.update(_positions(x, y))
    return True


def _positions(x: float, y: float) -> tuple[int, ...]:
    """Return the positions, in whole points, of a duplicate of a word at a position, each as one number."""
    left, right, top, bottom = int(x - 0.5) * _COLUMN, int(x + 0.5) * _COLUMN, int(y - 0.5), int(y + 0.5)
    return left + top, left + bottom, right + top, right + bottom


def _words(text_page: TextPage, frame: Frame) -> list[PdfWord]:
    library, text = raw(), text_page.raw
    count = min(library.FPDFText_CountChars(text), MAX_CHARACTERS)
    reader = _WordReader(text, frame, library)
    letters = with_ligatures(reader.letters(count))
    spans = [match.span() for match in _UNBROKEN.finditer(letters)]
    starts, lasts = [start for start, _ in spans], [end - 1 for _, end in spans]
    hyphens = {match.start() for match in _HYPHENS.finditer(letters)}
    styles = reader.styles
    is_plain = letters.isascii() and _DELETE not in letters
    words: list[PdfWord] = []
    owners = zip(reader.owners(starts), reader.owners(lasts), strict=True)
    for start, last, (owner, last_owner), box, baseline in zip(
        starts, lasts, owners, reader.boxes(starts, lasts), reader.baselines(starts), strict=True
    ):
        end = last + 1
        broken = end in hyphens and bool(library.FPDFText_IsHyphen(text, end))
        if owner != last_owner:
            words.extend(_pieces(reader, letters, start, end, broken=broken))
        # Most words are in one text object, and have one style and one baseline.
        elif printed := letters[start:end] if is_plain else plain(letters[start:end]):
            soft = not is_plain and letters[last] == _SOFT_HYPHEN
            style = styles.get(owner) or reader.style(start, owner)
            words.append(PdfWord(printed, box, baseline, style, start, broken or soft, soft))
    return words if is_plain or not RIGHT_TO_LEFT.search(letters) else list(_reordered(reader, letters, words))


def _reordered(reader: _WordReader, letters: str, words: Iterable[PdfWord]) -> Iterator[PdfWord]:
    """Yield `words` with the letters of Hebrew, Arabic and the like in the order of reading."""
    for word in words:
        match = _UNBROKEN.match(letters, word.order) if RIGHT_TO_LEFT.search(word.text) else None
        found = [(word.text, word.box)]
        if match is not None and plain(match[0]) == word.text:
            found = words_as_read(match[0], [*map(reader.box, range(*match.span()))], word.style.size)
        yield from (replace(word, text=plain(text), box=box) for text, box in found)


def _pieces(reader: _WordReader, letters: str, start: int, end: int, *, broken: bool) -> Iterator[PdfWord]:
    """Yield the word of the characters from `start` to `end`, or several if the text jumps to another line."""
    soft = letters[end - 1] == _SOFT_HYPHEN
    pieces = list(_lines_of(_runs(reader, start, end)))
    for number, piece in enumerate(pieces, 1):
        text = plain(_text_of(piece, letters))
        if text:
            first, last = reader.box(piece[0].first), reader.box(piece[-1].last)
            main = _main(piece)
            box = Box(min(first.x0, last.x0), min(first.y0, last.y0), max(first.x1, last.x1), max(first.y1, last.y1))
            ends = number == len(pieces)
            yield PdfWord(text, box, main.baseline, main.style, start, ends and (broken or soft), ends and soft)


def _main(line: Sequence[_GlyphRun]) -> _GlyphRun:
    """Return the longest run in the largest type."""
    return max(line, key=lambda run: (run.style.size, run.last - run.first))


def _runs(reader: _WordReader, start: int, end: int) -> Iterator[_GlyphRun]:
    """Yield the runs of the characters from `start` to `end`."""
    owners = enumerate(reader.owners(range(start, end)), start)
    first, owner = next(owners)
    style, baseline = reader.style(first, owner), reader.baseline(first)
    for index, following in owners:
        if following == owner:
            continue
        owner = following
        new_style, new_baseline = reader.style(index, owner), reader.baseline(index)
        if new_style != style or abs(new_baseline - baseline) >= 0.5:
            yield _GlyphRun(first, index - 1, style, baseline)
            first, style, baseline = index, new_style, new_baseline
    yield _GlyphRun(first, end - 1, style, baseline)


def _lines_of(runs: Iterable[_GlyphRun]) -> Iterator[list[_GlyphRun]]:
    """Yield `runs` split where the text jumps to another line without white space."""
    line: list[_GlyphRun] = []
    for run in runs:
        if line and abs(run.baseline - line[-1].baseline) > max(run.style.size, line[-1].style.size):
            yield line
            line = []
        line.append(run)
    if line:
        yield line


def _text_of(line: Sequence[_GlyphRun], letters: str) -> str:
    """Return the characters of a word, with raised digits marked: `[3]` for a note, `^3` for a power."""
    main = _main(line)
    text = ""
    for run in line:
        part = letters[run.first : run.last + 1]
        raised = run.style.size < SMALL * main.style.size and main.baseline - run.baseline > 0.15 * main.style.size
        text += with_mark(text, part) if raised else part
    return text
