"""Pictures: raster images of a document, made anew as PNG within limits of pixels, bytes and number."""

import hashlib
import io
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.ingestion.captions import visual_type
from toolsets.concept_rag.ingestion.document import Picture, VisualType

if TYPE_CHECKING:
    from PIL.Image import Image as Raster

MAX_IMAGE_BYTES: Final = 20 * 1024 * 1024
"""Of an image as a document holds it; larger ones are not read."""
MAX_PIXELS: Final = 30_000_000
"""Of an image as it is decoded: 120 MB in memory with four channels."""
MAX_SIDE: Final = 1_600
"""Pixels; larger images are made smaller. A page at 144 dots an inch is 1,200 by 1,700."""
MAX_PNG_BYTES: Final = 4 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 48 * 1024 * 1024
"""Of all pictures of a document: the process that asked holds them in memory."""
MAX_PICTURES: Final = 500
MIN_SIDE: Final = 40
MIN_AREA: Final = 10_000
"""Square pixels; icons are up to 64 by 64, lines of formulae some 20 high."""
MAX_ASPECT: Final = 20
"""Of the longer side to the shorter; beyond it lie rules and spacers."""
MAX_COPIES: Final = 2
ORNAMENT_SIDE: Final = 100
"""Pixels. An image with a shorter side that a document shows more than `MAX_COPIES` times is an ornament."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_PLAIN_MODES: Final = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})


class UnusableImage(Exception):
    """An image cannot be made a picture; the text says why."""


class TooSmall(UnusableImage):
    """An icon, a rule or a spacer: nobody misses it."""


def to_png(image: bytes, *, side: int = MAX_SIDE, most: int = MAX_PNG_BYTES) -> tuple[bytes, int, int]:
    """Return an image as PNG of at most `most` bytes and `side` pixels a side, with its width and height in pixels.

    Raises `TooSmall`, and `UnusableImage` for what no decoder knows, for damaged images and for those over the limits.
    """
    from PIL import Image, UnidentifiedImageError

    if len(image) > MAX_IMAGE_BYTES:
        raise UnusableImage(f"it has more than {MAX_IMAGE_BYTES // 1024 // 1024} MiB")
    try:
        with warnings.catch_warnings():
            # Pillow warns of what it repairs, and of images far above our own limit.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(image), formats=_FORMATS) as opened:
                return _encoded(opened, side, most)
    except UnidentifiedImageError:
        raise UnusableImage("its format is not known") from None
    except Image.DecompressionBombError:
        raise UnusableImage(f"it has more than {MAX_PIXELS:,} pixels") from None
    except (OSError, ValueError, SyntaxError, TypeError, LookupError, ArithmeticError, EOFError) as error:
        # Decoders of damaged images raise whatever they trip over.
        raise UnusableImage(f"it is damaged ({type(error).__name__})") from error


def _encoded(opened: "Raster", side: int, most: int) -> tuple[bytes, int, int]:
    from PIL import ImageOps

    _check_size(*opened.size)
    # JPEG decodes at a fraction of its size when that is enough.
    opened.draft(None, (side, side))
    upright = ImageOps.exif_transpose(opened)
    if upright.mode.startswith("I;16"):
        # Pillow would clip 16 bits to 8 rather than scale them.
        upright = upright.convert("I").point(lambda value: value / 256).convert("L")
    picture = upright if upright.mode in _PLAIN_MODES else upright.convert("RGB")
    if _is_blank(picture):
        raise TooSmall("it has one colour")
    while True:
        if max(picture.size) > side:
            picture = picture.convert("RGBA" if "A" in picture.getbands() or "transparency" in picture.info else "RGB")
            picture.thumbnail((side, side))
        buffer = io.BytesIO()
        picture.save(buffer, "PNG", compress_level=4)
        if buffer.tell() <= most:
            return buffer.getvalue(), *picture.size
        side = max(picture.size) * 2 // 3


def _is_blank(picture: "Raster") -> bool:
    return all(low == high for low, high in (band.getextrema() for band in picture.split()))


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise UnusableImage(f"it has more than {MAX_PIXELS:,} pixels")
    shorter, longer = sorted((width, height))
    if shorter < MIN_SIDE or shorter * longer < MIN_AREA or longer > MAX_ASPECT * shorter:
        raise TooSmall(f"it has {width} by {height} pixels")


@dataclass(slots=True)
class Gallery:
    """Collects the pictures of a document: each image once, ornaments left out, within `MAX_TOTAL_BYTES` and `MAX_PICTURES`."""

    _pictures: dict[bytes, Picture] = field(default_factory=dict[bytes, Picture])
    _copies: Counter[bytes] = field(default_factory=Counter[bytes])
    _left_out: Counter[str] = field(default_factory=Counter[str])
    _bytes: int = 0

    def add(self, image: bytes, *, page: int, caption: str, nearby_text: str, shown: VisualType | None = None) -> None:
        """Add an image as the document holds it, or count why it is left out; without `shown` its caption says what it is."""
        digest = hashlib.sha256(image).digest()
        self._copies[digest] += 1
        if self._copies[digest] > 1:
            return
        if len(self._pictures) >= MAX_PICTURES or self._bytes >= MAX_TOTAL_BYTES:
            self.leave_out(
                f"a document keeps at most {MAX_PICTURES} pictures and {MAX_TOTAL_BYTES // 1024 // 1024} MiB"
            )
            return
        try:
            png, width, height = to_png(image)
        except TooSmall:
            return
        except UnusableImage as error:
            self.leave_out(str(error))
            return
        self._bytes += len(png)
        self._pictures[digest] = Picture(png, page, shown or visual_type(caption), caption, nearby_text, width, height)

    def leave_out(self, reason: str) -> None:
        """Count an image that is left out for `reason`, which follows a colon."""
        self._left_out[reason] += 1

    def finished(self) -> tuple[Picture, ...]:
        """The pictures by page, those of a page in the order in which they were added."""
        kept = (picture for digest, picture in self._pictures.items() if not self._is_ornament(digest, picture))
        return tuple(sorted(kept, key=lambda picture: picture.page))

    def _is_ornament(self, digest: bytes, picture: Picture) -> bool:
        return self._copies[digest] > MAX_COPIES and min(picture.width, picture.height) < ORNAMENT_SIDE

    def notes(self) -> tuple[str, ...]:
        """One sentence for each reason why images are left out."""
        return tuple(
            f"{count} {'image is' if count == 1 else 'images are'} left out: {reason}."
            for reason, count in self._left_out.items()
        )
