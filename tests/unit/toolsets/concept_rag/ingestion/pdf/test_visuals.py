"""Pictures: drawings, charts, photographs and tables are cut out once, named and bounded."""

import io
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.toolsets.concept_rag.ingestion.pdf.drawn import boxes, only, parsed, table
from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose
from toolsets.concept_rag.ingestion.pdf import visuals


def test_a_photograph_is_cut_out_with_its_caption_and_the_text_around_it(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88)).png(150, 240, 240, 160, gradient())
    sheets.text(150, 414, "Figure 3.2: The old weir in spring, seen from the bridge", size=9)
    sheets.lines(["Salmon climb the weir in autumn."], y=450)
    picture = only(parsed(sheets, tmp_path))
    assert (picture.page, picture.visual_type) == (1, "figure")
    assert picture.caption == "Figure 3.2: The old weir in spring, seen from the bridge"
    assert "Salmon climb the weir" in picture.nearby_text
    assert "the driest months of the year" in picture.nearby_text
    assert len(picture.nearby_text) <= 500
    with Image.open(io.BytesIO(picture.png)) as image:
        assert (image.format, image.size) == ("PNG", (picture.width, picture.height))
    assert abs(picture.width - 490) <= 4
    assert abs(picture.height - 330) <= 4


def test_broken_words_of_a_caption_and_of_the_text_around_are_mended_as_the_document_writes_them(
    tmp_path: Path,
) -> None:
    sheets = Sheets().page().lines([*prose(88), "The WaterMill and its old high-water mark."])
    sheets.png(150, 240, 240, 160, gradient())
    caption = ["Figure 1: The Water-", "Mill with the inter-", "preter of its high-", "water mark"]
    sheets.lines(caption, x=150, y=414, step=11, size=9)
    picture = only(parsed(sheets.lines(["Salmon climb the under-", "standing weir."], y=480), tmp_path))
    assert picture.caption == "Figure 1: The WaterMill with the interpreter of its high-water mark"
    assert picture.nearby_text.endswith("Salmon climb the understanding weir.")


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Table 1: Rivers", "table"),
        ("Figure 2: Flow chart of the gates", "flowchart"),
        ("Figure 2: State machine of a gate", "flowchart"),
        ("Fig. 3. Level versus time", "chart"),
        ("Figure A.1 Histogram of floods", "chart"),
        ("Figure 4: Circuit of the gauge", "diagram"),
        ("Figure 5: Architecture", "diagram"),
        ("Figure 5: Architecture diagrams of both mills", "diagram"),
        ("Figure 6: Screenshot of the chart of levels", "figure"),
        ("Plate 6: A salmon", "figure"),
    ],
)
def test_the_caption_determines_the_type(tmp_path: Path, caption: str, expected: str) -> None:
    sheets = Sheets().page().lines(prose(88)).png(150, 240, 240, 160, gradient()).text(150, 414, caption)
    picture = only(parsed(sheets, tmp_path))
    assert (picture.visual_type, picture.caption) == (expected, caption)


def test_the_heading_above_determines_the_type_that_the_caption_leaves_open(tmp_path: Path) -> None:
    sheets = Sheets().page().text(72, 60, "Flowcharts of the gates", size=18, face="B").lines(prose(88))
    sheets.png(150, 240, 240, 160, gradient()).text(150, 414, "Figure 1: Closing a gate")
    sheets.text(72, 460, "Photographs", size=18, face="B").lines(prose(88), y=490)
    sheets.png(150, 600, 240, 160, gradient(seed=2)).text(150, 774, "Figure 2: A gate")
    found = [(picture.caption, picture.visual_type) for picture in parsed(sheets, tmp_path).pictures]
    assert found == [("Figure 1: Closing a gate", "flowchart"), ("Figure 2: A gate", "figure")]


def test_a_picture_without_a_caption_has_the_heading_and_the_sentence_about_it(tmp_path: Path) -> None:
    sheets = Sheets().page().text(72, 60, "The weir", size=18, face="B").lines(prose(88))
    sheets.lines(["The following diagram shows the old weir. It has three gates."], y=220)
    sheets.png(150, 250, 240, 160, gradient()).lines(prose(88), y=440)
    sheets.text(72, 560, "The rivers", size=18, face="B").lines(prose(88), y=590)
    table(sheets, 690)
    picture, rivers = parsed(sheets, tmp_path).pictures
    assert (picture.caption, picture.visual_type) == ("", "diagram")
    assert picture.context == "The weir: The following diagram shows the old weir."
    assert (rivers.caption, rivers.visual_type, rivers.context) == ("", "table", "The rivers: Name, Miles")


def test_a_picture_in_a_column_belongs_to_the_text_of_the_column(tmp_path: Path) -> None:
    sheets = Sheets().page()
    for x, name, top in ((60, "Left", 300), (330, "Right", 200)):
        lines = prose(44)[:12]
        sheets.text(x, 80, f"{name} bank", size=16, face="B").lines(lines[: (top - 130) // 12], x=x, y=100)
        sheets.text(x, top, f"The following picture shows the {name.lower()} bank.")
        sheets.png(x, top + 10, 200, 130, gradient(seed=top)).lines(prose(44)[:14], x=x, y=top + 170)
    found = [picture.context for picture in parsed(sheets, tmp_path).pictures]
    assert found == [
        "Right bank: The following picture shows the right bank.",
        "Left bank: The following picture shows the left bank.",
    ]


@pytest.mark.parametrize(("ink", "is_grey"), [((0, 0, 0), True), ((200, 0, 0), False)])
def test_a_drawing_keeps_its_colours_and_shades_of_grey_have_a_palette(
    tmp_path: Path, ink: tuple[int, int, int], *, is_grey: bool
) -> None:
    sheets = Sheets().page().lines(prose())
    sheets.pdf.set_draw_color(*ink)
    boxes(sheets, 350)
    with Image.open(io.BytesIO(only(parsed(sheets, tmp_path)).png)) as image:
        assert is_grey == (image.mode == "P")
        pixels = image.convert("RGB")
    colours = {colour for _, colour in pixels.getcolors(pixels.width * pixels.height) or ()}
    assert {ink, (255, 255, 255)} <= colours
    assert is_grey == all(len({*colour}) == 1 for colour in colours if isinstance(colour, tuple))


def test_an_image_on_many_pages_is_ignored_and_a_repeated_one_is_kept_once(tmp_path: Path) -> None:
    sheets = Sheets()
    for number in range(4):
        sheets.page().png(450, 30, 100, 60, gradient(seed=1)).lines(prose(88), y=130)
        sheets.lines([f"This is day {number} of the journey."], y=330)
        if number in (1, 3):
            sheets.png(100, 400, 200, 120, gradient(seed=2))
    pictures = parsed(sheets, tmp_path).pictures
    assert [picture.page for picture in pictures] == [2]


def test_a_sidebar_that_changes_from_slide_to_slide_is_ignored_and_pictures_in_one_place_are_kept(
    tmp_path: Path,
) -> None:
    sheets = Sheets(width=360, height=270)
    for number in range(4):
        sheets.page().lines([*prose(50)[number : number + 2], f"This is day {number}."], x=30, y=30)
        sheets.png(306, 0, 54, 270, gradient(seed=number)).png(60, 80, 180, 120, gradient(seed=10 + number))
    found = parsed(sheets, tmp_path).pictures
    assert [picture.page for picture in found] == [1, 2, 3, 4]
    assert {picture.width // 10 for picture in found} == {37}


def test_pictures_are_bounded_in_number(tmp_path: Path) -> None:
    sheets = Sheets()
    for number in range(5):
        sheets.page().lines(prose(88)).png(100, 400, 200, 120, gradient(seed=number))
    document = parsed(sheets, tmp_path, max_pictures=3)
    assert [picture.page for picture in document.pictures] == [1, 2, 3]
    assert document.notes == ("Pictures left out beyond the limit: 2.",)


def test_pictures_are_bounded_in_pixels_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheets = Sheets(width=3000, height=2000)
    for number in range(3):
        sheets.page().lines(prose(88)).png(200, 500, 2400, 1300, gradient(seed=number))
    picture = parsed(sheets, tmp_path).pictures[0]
    assert picture.width * picture.height <= visuals.MAX_PIXELS * 1.01
    monkeypatch.setattr(visuals, "MAX_BYTES", len(picture.png) + 1)
    assert len(parsed(sheets, tmp_path).pictures) == 2


def test_the_text_is_the_same_without_pictures(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    table(sheets, 250)
    boxes(sheets, 400)
    with_, without = parsed(sheets, tmp_path), parsed(sheets, tmp_path, pictures=False)
    assert (len(with_.pictures), without.pictures) == (2, ())
    assert with_.blocks == without.blocks


def test_a_picture_on_a_turned_page_stands_upright(tmp_path: Path) -> None:
    image = Image.new("RGB", (80, 40), "white")
    image.paste((255, 0, 0), (0, 0, 40, 40))
    sheets = Sheets().page()
    with sheets.pdf.rotation(90, 306, 396):
        sheets.lines(prose(80), x=100, y=250).png(150, 460, 200, 100, image)
    picture = only(parsed(sheets, tmp_path))
    with Image.open(io.BytesIO(picture.png)) as shown:
        colours = shown.convert("RGB")
        assert colours.width > colours.height
        assert colours.getpixel((colours.width // 4, colours.height // 2)) == (255, 0, 0)
        assert colours.getpixel((colours.width * 3 // 4, colours.height // 2)) == (255, 255, 255)
