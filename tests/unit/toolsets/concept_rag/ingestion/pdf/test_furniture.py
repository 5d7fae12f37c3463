"""What repeats at the foot of pages: running feet are dropped, footnotes are not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, prose, texts
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def with_feet(path: Path, feet: Sequence[str]) -> str:
    sheets = Sheets()
    for number, foot in enumerate(feet, start=7):
        sheets.page().lines(prose(88), y=120).text(72, 722, foot, size=8).text(300, 750, str(number))
    return " ".join(texts(parse_pdf(sheets.save(path))))


@pytest.mark.parametrize("mark", ["{}", "[{}]", "*"])
@pytest.mark.parametrize("numbers", [[1, 2, 3, 4, 5, 6], [1, 4, 5, 9, 10, 14], [1] * 6])
def test_footnotes_that_differ_in_numbers_only_are_text(tmp_path: Path, mark: str, numbers: Sequence[int]) -> None:
    feet = [
        f"{mark.format(number)} Ibid., p. {page}."
        for number, page in zip(numbers, (13, 26, 27, 31, 40, 12), strict=True)
    ]
    text = with_feet(tmp_path / "book.pdf", feet)
    assert [foot for foot in feet if foot.removeprefix("*").strip() not in text] == []


@pytest.mark.parametrize(
    "feet",
    [
        [f"{page} The River in Spring" for page in range(7, 13)],
        [f"{page} Chapter {1 + page // 10}: The River" for page in range(7, 13)],
        [f"{1 + page // 10} The River {page}" for page in range(7, 13)],
        [f"* Draft of 2019, page {page} of 90" for page in range(7, 13)],
        [f"3 The River {page}" for page in (7, 8, 9, 1, 2, 3)],
    ],
)
def test_running_feet_that_begin_like_a_note_are_dropped(tmp_path: Path, feet: Sequence[str]) -> None:
    text = with_feet(tmp_path / "book.pdf", feet)
    assert [foot for foot in feet if foot in text] == []
