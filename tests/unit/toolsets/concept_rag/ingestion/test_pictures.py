"""Images of any kind become PNG within limits."""

import io
import struct
import zlib

import pytest
from PIL import Image

from tests.support.documents import png
from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.ingestion.pictures import PictureCollector, TooSmall, UnusableImage, to_png
from toolsets.concept_rag.ingestion.visual_types import stated_type


def image(kind: str, mode: str = "RGB", size: tuple[int, int] = (200, 150)) -> bytes:
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert(mode).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "RGBA"),
        ("PNG", "P"),
        ("JPEG", "RGB"),
        ("JPEG", "CMYK"),
        ("GIF", "P"),
        ("WEBP", "RGB"),
        ("BMP", "RGB"),
        ("TIFF", "L"),
    ],
)
def test_images_of_all_kinds_become_png(kind: str, mode: str) -> None:
    encoded, width, height = to_png(image(kind, mode))
    with Image.open(io.BytesIO(encoded)) as opened:
        assert (opened.format, opened.size) == ("PNG", (200, 150))
    assert (width, height) == (200, 150)


def test_sixteen_bits_are_scaled_to_eight() -> None:
    buffer = io.BytesIO()
    row = b"\x00\xff" * 100 + b"\x00\x80" * 100
    Image.frombytes("I;16", (200, 150), row * 150).save(buffer, "PNG")
    encoded, _, _ = to_png(buffer.getvalue())
    with Image.open(io.BytesIO(encoded)) as opened:
        assert (opened.getpixel((0, 0)), opened.getpixel((150, 0))) == (255, 128)


def test_large_images_are_made_smaller() -> None:
    _, width, height = to_png(image("JPEG", size=(4_000, 2_000)))
    assert (width, height) == (1_600, 800)


@pytest.mark.parametrize("size", [(16, 16), (64, 64), (600, 20), (1_000, 45)])
def test_icons_and_rules_are_too_small(size: tuple[int, int]) -> None:
    with pytest.raises(TooSmall):
        to_png(image("PNG", size=size))


def test_an_image_of_one_colour_is_a_spacer() -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 300), "white").save(buffer, "PNG")
    with pytest.raises(TooSmall):
        to_png(buffer.getvalue())


def test_an_image_with_too_many_pixels_is_refused_before_it_is_decoded() -> None:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    bomb = png()[:8] + struct.pack(">I", 13) + b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
    with pytest.raises(UnusableImage, match="pixels"):
        to_png(bomb + png()[33:])


@pytest.mark.parametrize("data", [b"", b"no image", png()[:200], png()[:60] + b"\xff" * 100, b"<svg/>"])
def test_damaged_images_are_refused(data: bytes) -> None:
    with pytest.raises(UnusableImage):
        to_png(data)


def test_an_image_is_kept_once_and_ornaments_not_at_all() -> None:
    gallery = PictureCollector()
    for page in range(1, 6):
        gallery.add(png(120, 90, seed=1), page=page, caption="", nearby_text="")
        gallery.add(png(300, 200, seed=2), page=page, caption="", nearby_text="")
    gallery.add(png(120, 90, seed=3), page=9, caption="", nearby_text="")
    assert [(picture.page, picture.width) for picture in gallery.finished()] == [(1, 300), (9, 120)]


def test_omitted_images_are_reported_with_their_reason_except_icons() -> None:
    gallery = PictureCollector()
    for data in (b"x", b"y", png(10, 10)):
        gallery.add(data, page=1, caption="", nearby_text="")
    assert gallery.notes() == ("2 images are left out: its format is not known.",)


@pytest.mark.parametrize(
    ("caption", "kind"),
    [
        ("Table 3. Sizes", "table"),
        ("Figure 2: Flowchart of the upgrade", "flowchart"),
        ("Fig. 4 – Histogram of delays", "chart"),
        ("Architecture of the relay", "diagram"),
        ("A photograph of the table", "figure"),
        ("", "figure"),
    ],
)
def test_the_words_of_a_caption_determine_the_type_of_a_picture(caption: str, kind: VisualType) -> None:
    assert (stated_type(caption) or "figure") == kind
