"""Images referenced by a page of HTML or Markdown: files inside its folder, and `data:` URLs."""

import base64
import binascii
import os
from pathlib import Path
from typing import Final
from urllib.parse import unquote, unquote_to_bytes

from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import captions
from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable
from toolsets.concept_rag.ingestion.files import open_regular
from toolsets.concept_rag.ingestion.markup import MarkupReader
from toolsets.concept_rag.ingestion.pictures import MAX_IMAGE_BYTES, PictureCollector
from toolsets.concept_rag.ingestion.surroundings import Surroundings

MAX_READ_BYTES: Final = 256 * 1024 * 1024
"""The most bytes read for all images of a page."""
_DRAWINGS: Final = (".svg", ".svgz")
_TOO_LARGE: Final = f"it has more than {MAX_IMAGE_BYTES // 1024 // 1024} MiB, or the page's images together too many"
_MISSING: Final = "there is no file at its path beside the page"
_DRAWING: Final = "SVG drawings are not rendered"


class _LeftOut(Exception):
    """The image is left out; the text is the reason."""


def page_pictures(path: Path, reader: MarkupReader, blocks: Blocks) -> PictureCollector:
    """Return the pictures of the page in the file `path`, which `reader` read into `blocks`.

    Images on other hosts and outside the page's folder are ignored.
    """
    gallery, surroundings = PictureCollector(), Surroundings(blocks.finished())
    remaining = MAX_READ_BYTES
    for place, caption in zip(reader.places, captions(reader.places, blocks), strict=True):
        try:
            image = _load(place.source, path.parent, remaining)
        except _LeftOut as error:
            gallery.leave_out(str(error))
            continue
        if image:
            remaining -= len(image)
            nearby, context = blocks.nearby(place.position), surroundings.of(place.position)
            gallery.add(image, page=place.page, caption=caption, nearby_text=nearby, context=context)
    for _ in range(reader.drawings):
        gallery.leave_out(_DRAWING)
    return gallery


def _load(source: str, folder: Path, remaining: int) -> bytes | None:
    """Return the bytes of an image; None if it does not belong to this document. Raises `_LeftOut`."""
    scheme, colon, rest = source.strip().partition(":")
    if colon and scheme.lower() == "data":
        return _embedded(rest)
    if colon or source.strip().startswith("//"):
        return None
    relative = unquote(source.strip().partition("#")[0].partition("?")[0])
    if not relative or "\0" in relative or relative.startswith("/"):
        return None
    if relative.lower().endswith(_DRAWINGS):
        raise _LeftOut(_DRAWING)
    return _beside(folder, relative, min(remaining, MAX_IMAGE_BYTES))


def _embedded(rest: str) -> bytes | None:
    kind, comma, body = rest.partition(",")
    if not comma or not kind.lower().startswith("image/"):
        return None
    if kind.lower().startswith("image/svg"):
        raise _LeftOut(_DRAWING)
    if len(body) > MAX_IMAGE_BYTES * 4 // 3:
        raise _LeftOut(_TOO_LARGE)
    raw = unquote_to_bytes(body)
    if not kind.lower().endswith(";base64"):
        return raw
    try:
        return base64.b64decode(raw)
    except binascii.Error as error:
        raise _LeftOut("it is damaged (base64)") from error


def _beside(folder: Path, relative: str, limit: int) -> bytes | None:
    """Return the bytes of a regular file inside `folder`, also after resolving links; None for any other path.

    Raises `_LeftOut` if the file is too large, or missing.
    """
    try:
        inside = folder.resolve()
        target = (inside / relative).resolve()
        if not target.is_relative_to(inside):
            return None
        if not target.exists():
            raise _LeftOut(_MISSING)
        with open_regular(target, flags=os.O_NOFOLLOW) as file:
            if os.fstat(file.fileno()).st_size > limit:
                raise _LeftOut(_TOO_LARGE)
            return file.read(limit)
    except (OSError, ValueError, RuntimeError, NotADocument, Unreadable):
        return None
