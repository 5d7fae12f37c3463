"""Pictures: drawings, charts, photographs and tables are cut out once, named and bounded."""

import io
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose, texts
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.ingestion.pdf import drawings, visuals
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def parsed(sheets: Sheets, folder: Path, *, max_pictures: int = 400, pictures: bool = True) -> ParsedDocument:
    return parse_pdf(sheets.save(folder / "book.pdf"), max_pictures=max_pictures, pictures=pictures)


def only(document: ParsedDocument) -> Picture:
    (picture,) = document.pictures
    return picture


def table(sheets: Sheets, top: float) -> None:
    for place, row in enumerate([("Name", "Miles"), ("Ouse", "52"), ("Severn", "220")]):
        sheets.text(106, top + 14 + 20 * place, row[0]).text(206, top + 14 + 20 * place, row[1])
    for level in range(4):
        sheets.pdf.line(100, top + 20 * level, 300, top + 20 * level)
    for place in (100, 200, 300):
        sheets.pdf.line(place, top, place, top + 60)


def boxes(sheets: Sheets, top: float) -> None:
    """A drawing of three boxes with arrows between."""
    for place, label in enumerate(["Spring", "Weir", "Sea"]):
        sheets.pdf.ellipse(100 + 110 * place, top, 80, 40)
        sheets.text(120 + 110 * place, top + 24, label)
    for place in (180, 290):
        sheets.pdf.line(place, top + 20, place + 30, top + 21)
        sheets.pdf.line(place + 22, top + 14, place + 30, top + 20)
        sheets.pdf.line(place + 22, top + 27, place + 30, top + 20)


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


def test_a_caption_may_stand_above_and_take_two_lines(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.lines(
        ["Table 2: The rivers of the land with their length in miles as the", "surveyors measured them."], x=100, y=240
    )
    table(sheets, 262)
    document = parsed(sheets, tmp_path)
    picture = only(document)
    assert picture.caption.startswith("Table 2: The rivers of the land")
    assert picture.caption.endswith("as the surveyors measured them.")
    assert picture.visual_type == "table"
    assert texts(document, "table") == ["Name | Miles", "Ouse | 52", "Severn | 220"]


def test_drawings_tables_and_charts_are_distinguished_by_their_strokes(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    table(sheets, 250)
    boxes(sheets, 400)
    sheets.page().lines(prose(88))
    for tick in range(8):
        sheets.pdf.line(150 + 30 * tick, 500, 150 + 30 * tick, 505)
        sheets.text(146 + 30 * tick, 516, str(tick * 10))
        sheets.pdf.ellipse(150 + 30 * tick, 480 - 12 * tick, 4, 4)
    sheets.pdf.rect(140, 350, 240, 150)
    found = [(picture.page, picture.visual_type) for picture in parsed(sheets, tmp_path).pictures]
    assert found == [(1, "table"), (1, "diagram"), (2, "chart")]


def test_the_labels_of_a_drawing_do_not_run_into_the_text(tmp_path: Path) -> None:
    lines = prose(88, times=2)
    sheets = Sheets().page().lines(lines[:8])
    boxes(sheets, 250)
    sheets.lines(lines[8:], y=330)
    found = texts(parsed(sheets, tmp_path))
    assert found == [" ".join(lines), "Spring Weir Sea"]


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


def test_boxes_around_listings_and_advice_and_small_ornaments_are_no_pictures(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.pdf.rect(90, 240, 400, 100)
    sheets.lines(["def level(gate):", "    return 7"], x=100, y=260, font="Courier")
    sheets.pdf.rect(90, 400, 400, 80)
    sheets.lines(prose(70)[:5], x=130, y=415).png(100, 420, 22, 22, gradient())
    sheets.png(300, 600, 18, 18, gradient()).pdf.line(72, 620, 540, 620)
    assert parsed(sheets, tmp_path).pictures == ()


def test_an_image_on_many_pages_is_ignored_and_a_repeated_one_is_kept_once(tmp_path: Path) -> None:
    sheets = Sheets()
    for number in range(4):
        sheets.page().png(450, 30, 100, 60, gradient(seed=1)).lines(prose(88), y=130)
        sheets.lines([f"This is day {number} of the journey."], y=330)
        if number in (1, 3):
            sheets.png(100, 400, 200, 120, gradient(seed=2))
    pictures = parsed(sheets, tmp_path).pictures
    assert [picture.page for picture in pictures] == [2]


def test_a_scan_behind_its_text_is_no_picture(tmp_path: Path) -> None:
    sheets = Sheets().page().png(0, 0, 612, 792, gradient()).lines(prose(88))
    assert parsed(sheets, tmp_path).pictures == ()


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


def test_an_image_that_is_too_large_to_decode_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "MAX_IMAGE_PIXELS", 60 * 40 - 1)
    sheets = Sheets().page().lines(prose(88)).png(100, 400, 200, 120, gradient())
    document = parsed(sheets, tmp_path)
    assert document.pictures == ()
    assert document.notes == ("Pictures left out because an image is too large to decode: page 1.",)


def test_a_page_of_countless_paths_is_read(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    for number in range(drawings.MAX_PATHS + 500):
        sheets.pdf.line(100 + number % 80 * 5, 300 + number // 80 * 7, 104 + number % 80 * 5, 303 + number // 80 * 7)
    document = parsed(sheets, tmp_path)
    assert len(document.pictures) == 1
    assert texts(document) == [" ".join(prose(88))]


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


def test_a_table_ends_with_its_rules(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.text(104, 249, "The rivers are measured in miles:")
    table(sheets, 250)
    sheets.text(104, 320, "X = 1")
    sheets.pdf.line(100, 316, 150, 316)  # the bar of a fraction
    sheets.text(104, 328, "2")
    picture = only(parsed(sheets, tmp_path))
    assert abs(picture.height - 2 * 62) <= 3
    with Image.open(io.BytesIO(picture.png)) as image:
        grey = image.convert("L")
        edges = [grey.getpixel((x, y)) for x in (20, 60, 100) for y in (0, picture.height - 1)]
    assert min(map(int, map(str, edges))) > 200, "no letter reaches in from outside"


def test_a_caption_below_a_table_is_not_that_of_the_box_of_advice_below_it(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    table(sheets, 250)
    sheets.text(150, 336, "Table 3: Rivers", size=9)
    for level in (356, 396):
        sheets.pdf.line(72, level, 520, level)
    sheets.text(80, 370, "Tip").text(80, 386, "See the map of the rivers for the latest floods.")
    picture = only(parsed(sheets, tmp_path))
    assert picture.caption == "Table 3: Rivers"
    assert abs(picture.width - 2 * 202) <= 6
