"""Drawings of few or scattered parts are cut out where a caption names them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fpdf.drawing import PaintedPath

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, prose, texts
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def stack(sheets: Sheets) -> None:
    for place, label in enumerate(["Spring", "Weir", "Sea"]):
        sheets.pdf.rect(200, 250 + 60 * place, 90, 36)
        sheets.text(220, 270 + 60 * place, label)


def row(sheets: Sheets) -> None:
    for place, label in enumerate(["Spring", "Weir", "Sea"]):
        sheets.pdf.rect(100 + 130 * place, 350, 90, 36)
        sheets.text(120 + 130 * place, 370, label)


def curve(sheets: Sheets) -> None:
    with sheets.pdf.drawing_context() as context:
        path = PaintedPath()
        path.move_to(150, 300)
        path.curve_to(200, 250, 260, 420, 300, 300)
        path.line_to(350, 380)
        context.add_item(path)


def pond(sheets: Sheets) -> None:
    sheets.pdf.ellipse(150, 270, 200, 120)


def gate(sheets: Sheets) -> None:
    sheets.pdf.rect(150, 365, 45, 25)
    sheets.pdf.line(150, 365, 195, 390)


def parsed(draw: Callable[[Sheets], None], caption: str, folder: Path) -> ParsedDocument:
    sheets = Sheets().page().lines(prose(88))
    draw(sheets)
    sheets.text(150, 414, caption).lines(prose(88), y=450)
    return parse_pdf(sheets.save(folder / "book.pdf"))


@pytest.mark.parametrize(
    ("draw", "width", "height"), [(stack, 90, 156), (row, 350, 36), (curve, 200, 170), (pond, 200, 120), (gate, 45, 25)]
)
def test_a_captioned_drawing_is_cut_out_whole(
    tmp_path: Path, draw: Callable[[Sheets], None], width: int, height: int
) -> None:
    (picture,) = parsed(draw, "Figure 2: The parts of the river", tmp_path).pictures
    assert (picture.page, picture.visual_type, picture.caption) == (1, "figure", "Figure 2: The parts of the river")
    # Two pixels a point, and some points for the strokes.
    assert abs(picture.width - 2 * width) <= 20
    assert abs(picture.height - 2 * height) <= 20


@pytest.mark.parametrize("caption", ["Below it lies the sea.", "Listing 3: The gates", "Box 4: Advice"])
def test_without_a_figures_caption_it_is_none(tmp_path: Path, caption: str) -> None:
    assert parsed(pond, caption, tmp_path).pictures == ()


def test_its_labels_are_no_prose(tmp_path: Path) -> None:
    document = parsed(stack, "Figure 2: The parts of the river", tmp_path)
    assert texts(document, "labels") == ["Spring · Weir · Sea"]
    assert texts(document, "paragraph") == [" ".join(prose(88))] * 2


def test_rules_and_what_lies_beyond_text_belong_to_no_caption(tmp_path: Path) -> None:
    sheets = Sheets().page()
    sheets.pdf.ellipse(150, 60, 60, 30)
    sheets.lines(prose(88), y=110)
    sheets.pdf.line(72, 300, 540, 300)
    sheets.text(150, 330, "Figure 2: What was never drawn").lines(prose(88), y=370)
    assert parse_pdf(sheets.save(tmp_path / "book.pdf")).pictures == ()


def test_a_frame_around_a_listing_is_none(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.pdf.rect(90, 300, 400, 90)
    sheets.lines(["def level(gate):", "    return 7"], x=100, y=320, font="Courier")
    sheets.text(150, 414, "Figure 2: A session")
    assert parse_pdf(sheets.save(tmp_path / "book.pdf")).pictures == ()


def panel(sheets: Sheets, x: float, y: float, *, dots: int = 9) -> None:
    """A curve in a frame of 120 by 90 points."""
    sheets.pdf.rect(x, y, 120, 90)
    sheets.pdf.set_fill_color(0)
    sheets.pdf.polyline([(x + 10 * n, y + 80 - n * n / 2) for n in range(12)])
    for n in range(dots):
        sheets.pdf.ellipse(x + 5 * n, y + 60 - 3 * n, 4, 4, style="F")


def test_the_panels_of_a_figure_are_one_visual(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    for row in range(2):
        for column in range(3):
            panel(sheets, 100 + 132 * column, 240 + 102 * row)
    sheets.text(150, 450, "Figure 2: The levels at six weirs")
    (picture,) = parse_pdf(sheets.save(tmp_path / "book.pdf")).pictures
    assert picture.caption == "Figure 2: The levels at six weirs"
    assert abs(picture.width / 2 - 384) <= 12
    assert abs(picture.height / 2 - 192) <= 12


def test_charts_with_text_between_them_are_two_visuals(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    panel(sheets, 100, 240)
    panel(sheets, 100, 345, dots=20)
    sheets.text(100, 341, "A second chart shows the other one of these weirs")
    assert len(parse_pdf(sheets.save(tmp_path / "book.pdf")).pictures) == 2
