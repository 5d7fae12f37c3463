"""What is drawn on a page: bounded in number and size, without its background."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.drawn import parsed
from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose, texts
from toolsets.concept_rag.ingestion.pdf import drawings


def test_a_scan_behind_its_text_is_no_picture(tmp_path: Path) -> None:
    sheets = Sheets().page().png(0, 0, 612, 792, gradient()).lines(prose(88))
    assert parsed(sheets, tmp_path).pictures == ()


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
