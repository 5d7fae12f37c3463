"""Types for the part of pypdfium2 that the parser uses; the library itself has none."""

import ctypes
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

PAGE_OBJECT_PATH: Final = 2
PAGE_OBJECT_IMAGE: Final = 3
PAGE_OBJECT_SHADING: Final = 4
PAGE_OBJECT_FORM: Final = 5
INVISIBLE: Final = 3
"""The render mode of invisible but searchable text: the text layer of a scan."""
_PASSWORD_NEEDED: Final = 4
_UNKNOWN_SECURITY: Final = 5


class Bitmap(Protocol):
    """A rendered page."""

    def to_pil(self) -> "Image": ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class TextPage(Protocol):
    """The characters of a page."""

    raw: object

    def close(self) -> None: ...  # noqa: D102


class PdfPage(Protocol):
    """One page; it must be closed."""

    raw: object

    def get_size(self) -> tuple[float, float]: ...  # noqa: D102
    def get_rotation(self) -> int: ...  # noqa: D102
    def get_bbox(self) -> tuple[float, float, float, float]: ...  # noqa: D102
    def get_textpage(self) -> TextPage: ...  # noqa: D102
    def render(self, *, scale: float, crop: tuple[float, float, float, float] = ...) -> Bitmap: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class _LinkTarget(Protocol):
    def get_index(self) -> int | None: ...


class Bookmark(Protocol):
    """One entry of the outline."""

    level: int

    def get_title(self) -> str: ...  # noqa: D102
    def get_dest(self) -> _LinkTarget | None: ...  # noqa: D102


class PdfFile(Protocol):
    """An open PDF file."""

    def __len__(self) -> int: ...  # noqa: D105
    def __getitem__(self, index: int) -> PdfPage: ...  # noqa: D105
    def get_metadata_dict(self) -> dict[str, str]: ...  # noqa: D102
    def get_toc(self, *, max_depth: int) -> Iterator[Bookmark]: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class _Helpers(Protocol):
    PdfDocument: Callable[[object], PdfFile]
    PdfiumError: type[Exception]


class PdfHandle(Protocol):
    """A handle whose address can be taken; false when it is null."""

    contents: ctypes.Structure

    def __bool__(self) -> bool: ...  # noqa: D105


class RectF(Protocol):
    """A box in page space."""

    left: float
    top: float
    right: float
    bottom: float


class Matrix(Protocol):
    """An affine map: x' = ax + cy + e, y' = bx + dy + f."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float


class TextCalls(NamedTuple):
    """The C functions that are called for every word or text object, bound in the fastest way.

    They use addresses instead of objects, and do not release the GIL, because releasing it takes longer than a call.
    """

    code: Callable[[int, int], int]
    """The code point of a character."""
    text_object: Callable[[int, int], int | None]
    """The text object of a character, or None."""
    box: Callable[[int, int, object], int]
    origin: Callable[[int, int, object, object], int]
    matrix: Callable[[int, int, object], int]
    size: Callable[[int, int], float]
    font: Callable[[int], int | None]
    """The font of a text object, or None."""
    render_mode: Callable[[int], int]


class Raw(Protocol):
    """The C functions; each takes handles and out-parameters as ctypes passes them."""

    FS_RECTF: Callable[[], RectF]
    FS_MATRIX: Callable[[], Matrix]
    FPDFText_CountChars: Callable[[object], int]
    FPDFText_GetText: Callable[[object, int, int, object], int]
    FPDFText_IsHyphen: Callable[[object, int], int]
    FPDFText_GetTextObject: Callable[[object, int], "PdfHandle"]
    FPDFTextObj_GetFont: Callable[[object], object]
    FPDFFont_GetBaseFontName: Callable[[object, object, int], int]
    FPDFFont_GetFlags: Callable[[object], int]
    FPDFPage_CountObjects: Callable[[object], int]
    FPDFPage_GetObject: Callable[[object, int], object]
    FPDFFormObj_CountObjects: Callable[[object], int]
    FPDFFormObj_GetObject: Callable[[object, int], object]
    FPDFPageObj_GetType: Callable[[object], int]
    FPDFPageObj_GetBounds: Callable[[object, object, object, object, object], int]
    FPDFPageObj_GetMatrix: Callable[[object, object], int]
    FPDFImageObj_GetImagePixelSize: Callable[[object, object, object], int]


def raw() -> Raw:
    """The C functions of PDFium."""
    return cast("Raw", import_module("pypdfium2.raw"))


@cache
def text_calls() -> TextCalls:
    """The functions for words."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    return TextCalls(
        code=ctypes.PYFUNCTYPE(ctypes.c_uint, pointer, number)(_address("FPDFText_GetUnicode")),
        text_object=ctypes.PYFUNCTYPE(pointer, pointer, number)(_address("FPDFText_GetTextObject")),
        box=ctypes.PYFUNCTYPE(number, pointer, number, pointer)(_address("FPDFText_GetLooseCharBox")),
        origin=ctypes.PYFUNCTYPE(number, pointer, number, pointer, pointer)(_address("FPDFText_GetCharOrigin")),
        matrix=ctypes.PYFUNCTYPE(number, pointer, number, pointer)(_address("FPDFText_GetMatrix")),
        size=ctypes.PYFUNCTYPE(ctypes.c_double, pointer, number)(_address("FPDFText_GetFontSize")),
        font=ctypes.PYFUNCTYPE(pointer, pointer)(_address("FPDFTextObj_GetFont")),
        render_mode=ctypes.PYFUNCTYPE(number, pointer)(_address("FPDFTextObj_GetTextRenderMode")),
    )


def _address(function: str) -> int:
    return address(getattr(raw(), function))


def address(pointer: object) -> int:
    """Return the address of a function or of a handle's target, 0 for null."""
    return ctypes.cast(cast("ctypes.c_void_p", pointer), ctypes.c_void_p).value or 0


def pdfium_error() -> type[Exception]:
    """Return the exception class that the library raises for unreadable data."""
    return cast("_Helpers", import_module("pypdfium2")).PdfiumError


def reference(structure: object) -> object:
    """Return an out-parameter for a C function."""
    return ctypes.byref(cast("ctypes.Structure", structure))


@contextmanager
def open_pdf(path: Path) -> Generator[PdfFile]:
    """Provide the document at `path`, closed after the block.

    Raises `NotADocument` if the file is empty, and `Unreadable` if it is encrypted or damaged.
    """
    if path.stat().st_size == 0:
        raise NotADocument("empty", "The file is empty.")
    document = _open(path)
    try:
        if len(document) == 0:
            raise Unreadable("damaged", "The PDF file has no pages, or its list of pages is damaged.")
        yield document
    finally:
        document.close()


def _open(path: Path) -> PdfFile:
    helpers = cast("_Helpers", import_module("pypdfium2"))
    try:
        return helpers.PdfDocument(path.absolute())
    except helpers.PdfiumError as error:
        code = cast("object", getattr(error, "err_code", None))
        if code == _PASSWORD_NEEDED:
            raise Unreadable("encrypted", "The PDF file is protected by a password.") from error
        if code == _UNKNOWN_SECURITY:
            raise Unreadable("encrypted", "The PDF file is encrypted by a method that is not supported.") from error
        raise Unreadable("damaged", "The PDF file is damaged: its structure cannot be read.") from error
