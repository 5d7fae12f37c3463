"""Parses a PDF file: each page to words, lines and pictures, then all pages to a document."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.document import NotADocument, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.pdf import ocr, second_process
from toolsets.concept_rag.ingestion.pdf.blocks import blocks_of, hyphens_of
from toolsets.concept_rag.ingestion.pdf.body import body_of
from toolsets.concept_rag.ingestion.pdf.captions import captions
from toolsets.concept_rag.ingestion.pdf.drawings import Drawings, page_drawings
from toolsets.concept_rag.ingestion.pdf.furniture import without_furniture
from toolsets.concept_rag.ingestion.pdf.geometry import Frame
from toolsets.concept_rag.ingestion.pdf.headings import Headings, outline
from toolsets.concept_rag.ingestion.pdf.layout import page_lines
from toolsets.concept_rag.ingestion.pdf.library import PdfFile, PdfPage, open_pdf, pdfium_error
from toolsets.concept_rag.ingestion.pdf.lines import PageText, Segment, rows_of, segments
from toolsets.concept_rag.ingestion.pdf.metadata import metadata
from toolsets.concept_rag.ingestion.pdf.region import Region
from toolsets.concept_rag.ingestion.pdf.regions import regions
from toolsets.concept_rag.ingestion.pdf.tables import ruled_rows
from toolsets.concept_rag.ingestion.pdf.text_layer import is_garbled, readable
from toolsets.concept_rag.ingestion.pdf.visuals import Gallery, nearby_text
from toolsets.concept_rag.ingestion.pdf.words import PageWords, PdfWord, page_frame, page_words

MAX_PAGES: Final = 10_000
"""Far more than a book has; a hostile file may claim any number, and each takes time."""
MAX_LETTERS: Final = 12_000_000
"""The most letters of a document: three times a reference manual of 2,400 pages, with about 250 MB of lines."""
_SCAN_LETTERS: Final = 20
"""A scanned page has fewer characters of text than this: a stamp, a page number."""
_SCAN_SHARE: Final = 0.25
"""The least share of a scanned page that images cover."""
_MIN_IMAGE: Final = 20.0
"""Points; smaller images are ornaments, and a page without text that has only such is blank."""
_MAX_SIDE: Final = 14_400.0
"""Points: the largest page that PDF allows."""
_WINDOW: Final = 128
"""Pages that are read at a time, the second half of them in a second process."""
_LEAST_SHARED: Final = 16
"""Fewer pages are read here: a second process takes about as long to start as two pages."""
_LABEL_LETTERS: Final = 40
"""A drawing's text is removed from the running text if its median line is shorter."""
_TAIL: Final = 2_048
"""Twice the last kilobyte, where readers look for the marker: some programs append more."""


@dataclass(slots=True)
class _ParseState:
    """The results collected while pages are read."""

    gallery: Gallery | None
    recognition: ocr.Recognition | None
    pages: list[PageText] = field(default_factory=list[PageText])
    letters: int = 0
    unreadable: list[int] = field(default_factory=list[int])
    scanned: list[int] = field(default_factory=list[int])
    """Pages with images only, in which no text was recognised."""
    garbled: list[int] = field(default_factory=list[int])
    """Pages with symbols in place of most letters, in which no text was recognised."""
    recognised: list[int] = field(default_factory=list[int])
    huge: list[int] = field(default_factory=list[int])

    def continues_with(self, other: "_ParseState") -> bool:
        """Add what was read of the following pages; false, without a change, if that would exceed a limit."""
        letters = self.letters + other.letters
        if letters > MAX_LETTERS or not (
            self.gallery is None or other.gallery is None or self.gallery.continues_with(other.gallery)
        ):
            return False
        self.letters = letters
        self.pages += other.pages
        self.unreadable += other.unreadable
        self.scanned += other.scanned
        self.garbled += other.garbled
        self.huge += other.huge
        return True


def parse_pdf(
    path: Path,
    *,
    pictures: bool = True,
    max_pictures: int = 400,
    max_pages: int = MAX_PAGES,
    ocr_page_s: float = 30.0,
    ocr_total_s: float = 600.0,
) -> ParsedDocument:
    """Read the PDF file at `path`.

    Scanned pages are read by Tesseract if installed, for at most `ocr_page_s` seconds per page and `ocr_total_s` in total;
    a total of 0 disables it. Without `pictures` none are extracted; the text is the same.
    Raises `Unreadable` if the file is encrypted or damaged, and `NotADocument` if it is empty or has no text.
    """
    gallery = Gallery(max_pictures) if pictures and max_pictures > 0 else None
    recognition = (
        ocr.Recognition(page_s=ocr_page_s, total_s=ocr_total_s) if ocr_total_s > 0 and ocr.is_available() else None
    )
    reading = _ParseState(gallery, recognition)
    with open_pdf(path) as document:
        count = len(document)
        for start in range(0, min(count, max_pages), _WINDOW):
            _read_window(path, document, range(start, min(count, max_pages, start + _WINDOW)), reading)
        values, entries = document.get_metadata_dict(), outline(document)
    _check(path, reading, count)
    body = body_of(reading.pages)
    pages = without_furniture(reading.pages, body)
    facts = metadata(values, path.stem, pages, body)
    hyphens = hyphens_of(pages)
    blocks = blocks_of(pages, Headings(entries, pages, body), body, hyphens)
    if not blocks:
        raise NotADocument("no_text", "The PDF file has no text besides running heads and page numbers.")
    return ParsedDocument(
        format="pdf",
        title=facts.title,
        author=facts.author,
        year=facts.year,
        pages=count,
        blocks=tuple(placed.block for placed in blocks),
        pictures=gallery.pictures(blocks, hyphens) if gallery is not None else (),
        notes=tuple(_notes(reading, count, cut_off=_is_cut_off(path))),
    )


def _read_window(path: Path, document: PdfFile, pages: range, reading: _ParseState) -> None:
    """Read pages, half of them in a second process if there is one; its scanned pages are read here if OCR is available."""
    if len(pages) < _LEAST_SHARED or not second_process.can_start():
        _read_pages(document, pages, reading)
        return
    first, others = pages[: len(pages) // 2], pages[len(pages) // 2 :]
    limit = None if reading.gallery is None else reading.gallery.limit
    with second_process.started(partial(_read_apart, path, others, limit)) as second:
        _read_pages(document, first, reading)
        rest = second.result()
    if rest is None or ((rest.scanned or rest.garbled) and reading.recognition) or not reading.continues_with(rest):
        _read_pages(document, others, reading)


def _read_pages(document: PdfFile, pages: range, reading: _ParseState) -> None:
    """Read pages up to the limit of letters."""
    for index in pages:
        if reading.letters > MAX_LETTERS:
            break
        _read_page(document, index, reading)


def _read_apart(path: Path, pages: range, max_pictures: int | None) -> _ParseState:
    """Return what is read of some pages, without character recognition."""
    reading = _ParseState(None if max_pictures is None else Gallery(max_pictures), None)
    with open_pdf(path) as document:
        _read_pages(document, pages, reading)
    return reading


def _read_page(document: PdfFile, index: int, reading: _ParseState) -> None:
    """Read one page into `reading`; the page is closed afterwards."""
    number = index + 1
    try:
        page = document[index]
    except pdfium_error():
        reading.unreadable.append(number)
        return
    try:
        frame = page_frame(page)
        if not (0 < frame.width <= _MAX_SIDE and 0 < frame.height <= _MAX_SIDE):
            reading.unreadable.append(number)
            return
        _read_text(page, number, frame, reading)
    except pdfium_error():
        reading.unreadable.append(number)
    finally:
        page.close()


def _read_text(page: PdfPage, number: int, page_frame_: Frame, reading: _ParseState) -> None:
    words, sideways, frame = _text_words(page, page_frame_)
    drawings = page_drawings(page, frame)
    if drawings.huge:
        reading.huge.append(number)
    elif sum(len(word.text) for word in words) < _SCAN_LETTERS and _is_scan(drawings, frame):
        words, frame = _recognised(page, number, page_frame_, reading, reading.scanned) or words, page_frame_
        drawings.marks.clear()
    elif is_garbled(word.text for word in words if not word.style.mono):
        found = _recognised(page, number, page_frame_, reading, reading.garbled)
        if found and frame != page_frame_:
            drawings.marks.clear()
        words, frame = (found, page_frame_) if found else (readable(words), frame)
    elif not words and not sideways and _has_image(drawings):
        # A photograph rather than a scan: it stays a visual, with its words.
        words = _recognised(page, number, page_frame_, reading, reading.scanned)
    parts = segments(words)
    found = captions(parts)
    visuals = regions(drawings.marks, parts, found, frame, sideways)
    if reading.gallery is not None and not drawings.huge:
        for region in visuals:
            reading.gallery.add(page, number, frame, page_frame_, region, nearby_text(region, parts))
    lines = page_lines(_with_visuals(words, parts, visuals), number)
    reading.pages.append(PageText(number, frame.height, lines))
    reading.letters += sum(len(word.text) + 1 for word in words)


def _text_words(page: PdfPage, frame: Frame) -> PageWords:
    text_page = page.get_textpage()
    try:
        return page_words(text_page, frame)
    finally:
        text_page.close()


def _is_scan(drawings: Drawings, frame: Frame) -> bool:
    covered = sum(mark.box.width * mark.box.height for mark in drawings.marks if mark.shape == "image")
    return drawings.scanned or covered >= _SCAN_SHARE * frame.width * frame.height


def _has_image(drawings: Drawings) -> bool:
    return any(mark.shape == "image" and min(mark.box.width, mark.box.height) >= _MIN_IMAGE for mark in drawings.marks)


def _recognised(page: PdfPage, number: int, frame: Frame, reading: _ParseState, others: list[int]) -> list[PdfWord]:
    """Return the words recognised on a page without readable text; `others` gets its number if there are none."""
    words = reading.recognition.words(page, frame) if reading.recognition is not None else []
    (reading.recognised if words else others).append(number)
    return words


def _with_visuals(words: Sequence[PdfWord], parts: Sequence[Segment], visuals: Sequence[Region]) -> list[Segment]:
    """Return the segments of a page, with the text of each table and drawing replaced by one segment."""
    taken: set[int] = set()
    specials: list[Segment] = []
    for region in visuals:
        inner = [word for word in region.words if id(word) not in taken]
        special = _special(region, inner)
        if special is not None:
            taken.update(map(id, inner))
            specials.append(special)
    if not specials:
        return list(parts)
    return segments([word for word in words if id(word) not in taken]) + specials


def _special(region: Region, inner: Sequence[PdfWord]) -> Segment | None:
    """Return a table with its rows, or a drawing with its labels; None if the words are running text."""
    if not inner:
        return None
    order = min(word.order for word in inner)
    if region.visual_type == "table" and region.images == 0:
        rows = ruled_rows(inner, region.box, region.horizontal, region.vertical)
        return Segment([], region.box, region.box.y1, 0, order, "table", rows)
    labels = [" ".join(word.text for part in row for word in part.words) for row in rows_of(segments(inner))]
    if sorted(map(len, labels))[len(labels) // 2] > _LABEL_LETTERS:
        return None
    return Segment([], region.box, region.box.y1, 0, order, "figure", tuple(labels))


def _check(path: Path, reading: _ParseState, count: int) -> None:
    """Raise `Unreadable` or `NotADocument` if the file has nothing to read."""
    has_text = any(line.text or line.rows for page in reading.pages for line in page.lines)
    if len(reading.unreadable) * 2 > count:
        raise Unreadable(
            "damaged", f"The PDF file is damaged: {len(reading.unreadable)} of its {count} pages cannot be read."
        )
    if not has_text and _is_cut_off(path):
        raise Unreadable("damaged", "The PDF file is damaged: its end is missing, and what is left has no text.")
    if has_text:
        return
    if not (reading.scanned or reading.garbled):
        raise NotADocument("no_text", "The PDF file has no text: its pages are blank or hold drawings only.")
    what = "images" if reading.scanned else "symbols in place of letters"
    if reading.recognition is None:
        raise NotADocument("no_text", f"The PDF file has no text, only {what}; to read them, {ocr.INSTALL}.")
    raise NotADocument("no_text", f"The PDF file has no text, only {what}, and none was recognised in them.")


def _is_cut_off(path: Path) -> bool:
    """Return whether the end marker of a PDF file is missing."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL, 0))
        return b"%%EOF" not in file.read()


def _notes(reading: _ParseState, count: int, *, cut_off: bool) -> list[str]:
    notes = ["The end of the file is missing, and perhaps some of its text."] if cut_off else []
    read = len(reading.pages) + len(reading.unreadable)
    if read < count:
        notes.append(f"Only the first {read} of {count} pages were read.")
    if reading.unreadable:
        notes.append(f"Damaged and left out: {_page_list(reading.unreadable)}.")
    if reading.scanned and reading.recognition is None:
        pages = f"{len(reading.scanned)} of {count} pages ({_page_list(reading.scanned)})"
        notes.append(f"Without text, only images: {pages}. To read them, {ocr.INSTALL}.")
    elif reading.scanned:
        notes.append(f"Without recognised text: {_page_list(reading.scanned)}.")
    if reading.garbled:
        pages = f"{len(reading.garbled)} of {count} pages ({_page_list(reading.garbled)})"
        more = f" To read them, {ocr.INSTALL}." if reading.recognition is None else ""
        notes.append(f"Symbols in place of letters, left out: {pages}.{more}")
    if reading.recognised:
        notes.append(f"Read by character recognition: {_page_list(reading.recognised)}.")
    if reading.huge:
        notes.append(f"Pictures left out because an image is too large to decode: {_page_list(reading.huge)}.")
    if reading.gallery is not None and reading.gallery.left_out:
        notes.append(f"Pictures left out beyond the limit: {reading.gallery.left_out}.")
    return notes


def _page_list(numbers: Sequence[int]) -> str:
    """Return the pages as at most ten ranges: "pages 3, 7-12"."""
    runs = [list(run) for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    ranges = [str(run[0][1]) if len(run) == 1 else f"{run[0][1]}-{run[-1][1]}" for run in runs]
    more = f" and {len(ranges) - 10} more" if len(ranges) > 10 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(ranges[:10])}{more}"
