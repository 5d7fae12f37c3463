"""Pictures: raster images of a document, re-encoded as PNG within limits of pixels, bytes and number."""

import hashlib
import io
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.ingestion.document import Picture, VisualType
from toolsets.concept_rag.ingestion.surroundings import NO_CONTEXT, VisualContext, described
from toolsets.concept_rag.ingestion.visual_types import stated_type

if TYPE_CHECKING:
    from PIL.Image import Image as Raster

MAX_IMAGE_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of an image in a document; larger images are not read."""
MAX_PIXELS: Final = 30_000_000
"""The most pixels of a decoded image: 120 MB in memory with four channels."""
MAX_SIDE: Final = 1_600
"""The most pixels of a side; larger images are scaled down. A page at 144 dpi has 1,200 by 1,700."""
MAX_PNG_BYTES: Final = 4 * 1024 * 1024
"""A larger picture is scaled down until it fits, since it is kept and read as a whole."""
MAX_TOTAL_BYTES: Final = 48 * 1024 * 1024
"""The most bytes of all pictures of a document, which the parent process holds in memory."""
MAX_PICTURES: Final = 500
"""A document with more is a collection of pictures; the report says that some were left out."""
MIN_SIDE: Final = 40
"""Pixels; lower images are rules, lines of formulae and buttons."""
MIN_AREA: Final = 10_000
"""The least area in square pixels; icons are up to 64 by 64, and lines of formulae about 20 high."""
MAX_ASPECT: Final = 20
"""The highest ratio of the longer side to the shorter; rules and spacers have a higher one."""
MAX_COPIES: Final = 2
ORNAMENT_SIDE: Final = 100
"""Pixels. An image with a shorter side that occurs more than `MAX_COPIES` times in a document is an ornament."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_PLAIN_MODES: Final = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})


class UnusableImage(Exception):
    """An image cannot be converted to a picture; the text is the reason."""


class TooSmall(UnusableImage):
    """The image is an icon, a rule or a spacer, which is left out without a note."""


def to_png(image: bytes, *, side: int = MAX_SIDE, most: int = MAX_PNG_BYTES) -> tuple[bytes, int, int]:
    """Return an image as PNG of at most `most` bytes and `side` pixels per side, and its width and height in pixels.

    Raises `TooSmall`, and `UnusableImage` if the image's format is unknown, or the image is damaged or exceeds a limit.
    """
    from PIL import Image, UnidentifiedImageError

    if len(image) > MAX_IMAGE_BYTES:
        raise UnusableImage(f"it has more than {MAX_IMAGE_BYTES // 1024 // 1024} MiB")
    try:
        with warnings.catch_warnings():
            # Pillow warns about repairs, and about images far above our own limit.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(image), formats=_FORMATS) as opened:
                return _encoded(opened, side, most)
    except UnidentifiedImageError:
        raise UnusableImage("its format is not known") from None
    except Image.DecompressionBombError:
        raise UnusableImage(f"it has more than {MAX_PIXELS:,} pixels") from None
    except (OSError, ValueError, SyntaxError, TypeError, LookupError, ArithmeticError, EOFError) as error:
        # Decoders raise arbitrary errors for damaged images.
        raise UnusableImage(f"it is damaged ({type(error).__name__})") from error


def _encoded(opened: "Raster", side: int, most: int) -> tuple[bytes, int, int]:
    from PIL import ImageOps

    _check_size(*opened.size)
    # JPEG images can be decoded at a reduced size.
    opened.draft(None, (side, side))
    upright = ImageOps.exif_transpose(opened)
    if upright.mode.startswith("I;16"):
        # Pillow would clip 16-bit values to 8 bits instead of scaling them.
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
class PictureCollector:
    """Collects the pictures of a document: each image once, without ornaments, within `MAX_TOTAL_BYTES` and `MAX_PICTURES`."""

    _pictures: dict[bytes, Picture] = field(default_factory=dict[bytes, Picture])
    _copies: Counter[bytes] = field(default_factory=Counter[bytes])
    _left_out: Counter[str] = field(default_factory=Counter[str])
    _bytes: int = 0

    def add(
        self,
        image: bytes,
        *,
        page: int,
        caption: str,
        nearby_text: str,
        context: VisualContext = NO_CONTEXT,
        shown: VisualType | None = None,
    ) -> None:
        """Add an image, or count the reason for leaving it out; without `shown` the caption or the context tells its type."""
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
        named = shown or stated_type(caption) or context.visual_type or "figure"
        said = described(caption, context.text)
        self._pictures[digest] = Picture(png, page, named, caption, nearby_text, width, height, said)

    def leave_out(self, reason: str) -> None:
        """Count an image that is left out; `reason` follows a colon in the note."""
        self._left_out[reason] += 1

    def finished(self) -> tuple[Picture, ...]:
        """The pictures by page, and within a page in the order of addition."""
        kept = (picture for digest, picture in self._pictures.items() if not self._is_ornament(digest, picture))
        return tuple(sorted(kept, key=lambda picture: picture.page))

    def _is_ornament(self, digest: bytes, picture: Picture) -> bool:
        return self._copies[digest] > MAX_COPIES and min(picture.width, picture.height) < ORNAMENT_SIDE

    def notes(self) -> tuple[str, ...]:
        """One sentence for each reason for leaving out images."""
        return tuple(
            f"{count} {'image is' if count == 1 else 'images are'} left out: {reason}."
            for reason, count in self._left_out.items()
        )
