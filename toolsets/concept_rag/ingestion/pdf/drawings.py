"""The drawn objects of a page other than text: images, rules and other paths, with boxes as seen by the reader."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from toolsets.concept_rag.ingestion.pdf.geometry import Box, Frame
from toolsets.concept_rag.ingestion.pdf.library import (
    PAGE_OBJECT_FORM,
    PAGE_OBJECT_IMAGE,
    PAGE_OBJECT_PATH,
    PAGE_OBJECT_SHADING,
    PdfPage,
    Raw,
    raw,
    reference,
)

MAX_PATHS: Final = 4_000
"""The most paths per page. A map or a scatter plot has more; the first 4,000 show its position."""
MAX_OBJECTS: Final = 100_000
"""The most objects per page, including text objects: about 0.1 s."""
MAX_IMAGE_PIXELS: Final = 60_000_000
"""The most pixels of an embedded image, which PDFium decodes completely before drawing, at 4 bytes per pixel."""
_MAX_DEPTH: Final = 6
"""The deepest nesting of forms, which are drawings placed in drawings."""
_THIN: Final = 2.0
"""The thickest rule in points."""
_RULE_LENGTH: Final = 8.0
"""Points; shorter strokes are parts of curves and symbols."""
_BACKGROUND: Final = 0.85
"""A drawing that covers a larger share of the page is its background: paper, a frame or a scan."""

Shape: TypeAlias = Literal["image", "curve", "horizontal", "vertical"]
Affine: TypeAlias = tuple[float, float, float, float, float, float]
_IDENTITY: Final[Affine] = (1, 0, 0, 1, 0, 0)


class Mark(NamedTuple):
    """One drawn object."""

    shape: Shape
    box: Box


@dataclass(slots=True)
class Drawings:
    """The drawn objects of one page."""

    marks: list[Mark]
    scanned: bool = False
    """Whether an image covers the page."""
    huge: bool = False
    """Whether an image is too large to decode within the memory limit."""


def page_drawings(page: PdfPage, frame: Frame) -> Drawings:
    """Return the images, rules and paths of `page`, without its background and objects outside it."""
    library = raw()
    found = Drawings([])
    area = frame.width * frame.height
    paths = 0
    for handle, kind, matrix in _objects(library, page.raw):
        if kind not in (PAGE_OBJECT_IMAGE, PAGE_OBJECT_PATH, PAGE_OBJECT_SHADING):
            continue
        box = _bounds(library, handle, matrix, frame)
        if box is None:
            continue
        if kind == PAGE_OBJECT_IMAGE:
            found.huge = found.huge or _pixels(library, handle) > MAX_IMAGE_PIXELS
        elif paths == MAX_PATHS:
            continue
        else:
            paths += 1
        if box.width * box.height > _BACKGROUND * area:
            found.scanned = found.scanned or kind == PAGE_OBJECT_IMAGE
            continue
        found.marks.append(Mark(_shape(kind, box), box))
    return found


def _shape(kind: int, box: Box) -> Shape:
    if kind == PAGE_OBJECT_IMAGE:
        return "image"
    if box.height <= _THIN and box.width > _RULE_LENGTH:
        return "horizontal"
    return "vertical" if box.width <= _THIN and box.height > _RULE_LENGTH else "curve"


def _objects(library: Raw, page: object) -> Iterator[tuple[object, int, Affine]]:
    """Yield every object with its type and the map from its space to the page's; forms are replaced by their members."""
    left = MAX_OBJECTS
    top = (library.FPDFPage_GetObject(page, index) for index in range(library.FPDFPage_CountObjects(page)))
    stack: list[tuple[Iterator[object], Affine]] = [(top, _IDENTITY)]
    while stack and left:
        handles, matrix = stack[-1]
        handle = next(handles, None)
        if handle is None:
            stack.pop()
            continue
        left -= 1
        kind = library.FPDFPageObj_GetType(handle)
        if kind != PAGE_OBJECT_FORM:
            yield handle, kind, matrix
        elif len(stack) < _MAX_DEPTH:
            stack.append((_members(library, handle), _after(_matrix(library, handle), matrix)))


def _members(library: Raw, form: object) -> Iterator[object]:
    for index in range(max(library.FPDFFormObj_CountObjects(form), 0)):
        yield library.FPDFFormObj_GetObject(form, index)


def _matrix(library: Raw, handle: object) -> Affine:
    matrix = library.FS_MATRIX()
    if not library.FPDFPageObj_GetMatrix(handle, reference(matrix)):
        return _IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _after(inner: Affine, outer: Affine) -> Affine:
    """Return the map that applies `inner` first."""
    a, b, c, d, e, f = inner
    k, m, n, p, q, r = outer
    return a * k + b * n, a * m + b * p, c * k + d * n, c * m + d * p, e * k + f * n + q, e * m + f * p + r


def _bounds(library: Raw, handle: object, matrix: Affine, frame: Frame) -> Box | None:
    """Return the visible box of an object, or None."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not library.FPDFPageObj_GetBounds(handle, reference(left), reference(bottom), reference(right), reference(top)):
        return None
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (left.value, right.value) for y in (bottom.value, top.value)]
    across = [a * x + c * y + e for x, y in corners]
    upward = [b * x + d * y + f for x, y in corners]
    box = frame.box(min(across), min(upward), max(across), max(upward)).within(frame.page)
    return box if box.width >= 0 and box.height >= 0 else None


def _pixels(library: Raw, handle: object) -> int:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    if not library.FPDFImageObj_GetImagePixelSize(handle, reference(width), reference(height)):
        return 0
    return width.value * height.value
