"""A chart is cut out with the scales and the titles of its axes, and without the text below it."""

from pathlib import Path

from tests.unit.toolsets.concept_rag.ingestion.pdf.drawn import only, parsed
from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, prose, texts
from toolsets.concept_rag.ingestion.pdf.axes import with_axes
from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.lines import Segment, segments
from toolsets.concept_rag.ingestion.pdf.words import PdfWord, Style

CORE = Box(100, 100, 400, 300)


def chart(sheets: Sheets, *, x: float = 160, y: float = 240, title: str = "Years of use") -> None:
    """A chart of 260 by 160 points with numbers at both axes and titles a line beyond them."""
    sheets.pdf.rect(x, y, 260, 160)
    sheets.pdf.polyline([(x + 20 * n, y + 150 - n * n) for n in range(12)])
    for n in range(10):
        sheets.pdf.ellipse(x + 25 * n, y + 100 - 6 * n, 4, 4)
    for n in range(6):
        sheets.text(x + 52 * n - 3, y + 178, str(10 * n))
        with sheets.pdf.rotation(90, x - 10, y + 160 - 30 * n):
            sheets.text(x - 10, y + 160 - 30 * n, str(2 * n))
    sheets.pdf.set_font("Times", "", 10)
    sheets.text(x + 130 - sheets.pdf.get_string_width(title) / 2, y + 200, title)
    with sheets.pdf.rotation(90, x - 32, y + 110):
        sheets.text(x - 32, y + 110, "Level in feet")


def test_the_titles_of_both_axes_are_part_of_a_chart_and_of_no_paragraph(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    chart(sheets)
    document = parsed(sheets.lines(prose(88), y=480), tmp_path)
    picture = only(document)
    assert picture.visual_type == "chart"
    assert abs(picture.width / 2 - (260 + 42)) <= 12
    assert abs(picture.height / 2 - (160 + 42)) <= 12
    assert not [text for text in texts(document, "paragraph") if "Years of use" in text]
    assert any("Years of use" in text for text in texts(document, "labels"))


def test_a_caption_below_the_title_of_an_axis_is_that_of_the_chart(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    chart(sheets)
    sheets.text(120, 458, "Figure 4: The level of the river above the weir over the years, in feet")
    assert only(parsed(sheets, tmp_path)).caption.startswith("Figure 4: The level of the river")


def words(text: str, x: float, baseline: float, *, size: float = 10) -> list[PdfWord]:
    found: list[PdfWord] = []
    for order, word in enumerate(text.split()):
        width = size / 2 * len(word)
        found.append(PdfWord(word, Box(x, baseline - size, x + width, baseline), baseline, Style(size), order))
        x += width + 0.3 * size
    return found


def parts(*lines: tuple[str, float, float]) -> list[Segment]:
    scale = [("0", 100.0, 315.0), ("50", 245.0, 315.0), ("100", 390.0, 315.0)]
    return segments([word for text, x, baseline in (*scale, *lines) for word in words(text, x, baseline)])


def test_a_line_below_a_scale_is_a_title_if_it_is_centred_short_and_alone() -> None:
    assert with_axes(CORE, parts(("Years", 238, 330)), []) == (100, 100, 405, 330)
    for line in (
        ("The river rises in the hills to the north of the town.", 100.0, 330.0),
        ("A short end.", 100.0, 330.0),
        ("Years", 238.0, 350.0),
    ):
        assert with_axes(CORE, parts(line), []) == (100, 100, 405, 315)
    assert with_axes(CORE, parts(("Years", 238, 330), ("52", 120, 330)), []) == (100, 100, 405, 315)


def test_a_drawing_without_numbers_at_its_axes_has_no_titles() -> None:
    below = segments(words("Weir", 240, 315))
    beside = [PdfWord("Stamp", Box(80, 150, 90, 200), 150, Style(10, quarters=1), 0)]
    assert with_axes(CORE, below, beside) == CORE
