"""Work in a second process: its result, its failures, and its end."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.pdf import second_process
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf
from toolsets.concept_rag.ingestion.pdf.second_process import MEMORY_BYTES, started

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def _parsed(path: Path, monkeypatch: pytest.MonkeyPatch, *, alone: bool, max_pictures: int = 400) -> ParsedDocument:
    monkeypatch.setattr(second_process, "can_start", lambda: not alone)
    return parse_pdf(path, max_pictures=max_pictures)


def _book(pages: int) -> Sheets:
    """Return pages with a running head, a logo, a picture of their own on every third, and a paragraph over two pages."""
    sheets = Sheets()
    for number in range(pages):
        sheets.page().lines([f"The book of rivers {number + 1}"], y=30)
        sheets.png(500, 20, 50, 30, gradient(seed=999))
        if number % 3 == 0:
            sheets.png(100, 300, 240, 160, gradient(seed=number))
            sheets.lines([f"Figure {number}: The river at mile {number}"], y=480)
        sheets.lines(prose(88, times=2)[number % 5 :], y=600)
    return sheets


def test_the_result_comes_from_another_process() -> None:
    with started(os.getpid) as second:
        assert second.result() not in {None, os.getpid()}


def test_a_large_result_is_read_whole() -> None:
    with started(lambda: b"x" * 3_000_000) as second:
        assert second.result() == b"x" * 3_000_000


def _fail() -> int:
    raise ValueError("a page that cannot be read")


def _die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


def _take_memory() -> int:
    return len(bytearray(MEMORY_BYTES * 2))


@pytest.mark.parametrize("work", [_fail, _die, _take_memory])
def test_a_process_that_fails_has_no_result(work: object) -> None:
    assert callable(work)
    with started(work) as second:
        assert second.result() is None


def test_a_process_ends_with_its_block(tmp_path: Path) -> None:
    path = tmp_path / "process"

    def work() -> None:
        path.write_text(str(os.getpid()), encoding="ascii")
        time.sleep(60)

    with started(work):
        while not path.exists() or not path.read_text(encoding="ascii"):
            time.sleep(0.01)
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text(encoding="ascii")), 0)


@pytest.mark.parametrize("max_pictures", [400, 8, 3])
def test_a_document_is_the_same_as_if_one_process_had_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_pictures: int
) -> None:
    path = _book(30).save(tmp_path / "book.pdf")
    together, alone = (_parsed(path, monkeypatch, alone=alone, max_pictures=max_pictures) for alone in (False, True))
    assert together == alone
    assert len(together.pictures) == min(10, max_pictures)
    assert any("Pictures left out" in note for note in together.notes) == (max_pictures < 10)


def test_pages_are_read_here_if_the_second_process_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _book(20).save(tmp_path / "book.pdf")
    alone = _parsed(path, monkeypatch, alone=True)
    monkeypatch.setattr(second_process, "MEMORY_BYTES", 0)
    assert _parsed(path, monkeypatch, alone=False) == alone
