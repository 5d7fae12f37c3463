"""Scanned pages are read where Tesseract is installed, and otherwise say how to install it."""

import shutil
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose, texts
from toolsets.concept_rag.ingestion.document import NotADocument
from toolsets.concept_rag.ingestion.pdf import ocr
from toolsets.concept_rag.ingestion.pdf.library import open_pdf
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf

HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


class TesseractError(Exception):
    """Stands for the package's own."""


def table(*lines: str, confidence: float = 91.0) -> str:
    """Tesseract's table for lines of text, 5 points a letter."""
    scale = 200 / 72
    rows = ["1\t1\t0\t0\t0\t0\t0\t0\t1700\t2200\t-1\t"]
    for number, line in enumerate(lines):
        left = 72
        for word in line.split():
            box = (left, 100 + 13 * number, 5 * len(word), 9)
            places = "\t".join(str(round(value * scale)) for value in box)
            rows.append(f"5\t1\t1\t1\t{number}\t1\t{places}\t{confidence}\t{word}")
            left += 5 * len(word) + 4
    return "\n".join([HEADER, *rows])


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[float], str]], None]:
    """Put a package of Tesseract in place that answers by a function of the seconds it is given."""

    def installed(answer: Callable[[float], str]) -> None:
        def image_to_data(image: Image.Image, *, timeout: float) -> str:
            assert image.mode == "L"
            return answer(timeout)

        def import_module(name: str) -> types.SimpleNamespace:
            assert name == "pytesseract"
            return module

        module = types.SimpleNamespace(TesseractError=TesseractError, image_to_data=image_to_data)
        monkeypatch.setattr(ocr, "is_available", lambda: True)
        monkeypatch.setattr(ocr, "import_module", import_module)

    return installed


def scan(folder: Path, *, pages: int = 1) -> Path:
    sheets = Sheets()
    for _ in range(pages):
        sheets.page().png(0, 0, 612, 792, Image.new("L", (612, 792), 250))
    return sheets.save(folder / "scan.pdf")


def test_without_tesseract_the_reason_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("tesseract") is None
    with pytest.raises(NotADocument, match=r"entrepot\[ocr\].*tesseract-ocr") as raised:
        parse_pdf(scan(tmp_path))
    assert raised.value.kind == "no_text"


def pages_with_images(folder: Path) -> Path:
    """A page of text, two scans, a photograph alone on its page, and a page with a mere ornament."""
    sheets = Sheets().page().lines(prose(88))
    for _ in range(2):
        sheets.page().png(0, 0, 612, 792, Image.new("L", (612, 792), 250))
    sheets.page().png(150, 240, 240, 160, gradient())
    sheets.page().png(300, 780, 12, 12, gradient())
    return sheets.save(folder / "mixed.pdf")


def test_pages_with_images_only_among_pages_of_text_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    document = parse_pdf(pages_with_images(tmp_path))
    (note,) = document.notes
    assert note.startswith("Without text, only images: 3 of 5 pages (pages 2-4). To read them, install the extra")
    assert [picture.page for picture in document.pictures] == [4]


def test_pages_with_images_only_among_pages_of_text_are_recognised(
    tmp_path: Path, install: Callable[[Callable[[float], str]], None]
) -> None:
    answers = iter([table("Rivers rise"), table("Weirs fall"), table("Mills turn")])
    install(lambda _timeout: next(answers))
    document = parse_pdf(pages_with_images(tmp_path))
    assert [(block.page, block.text) for block in document.blocks[1:]] == [
        (2, "Rivers rise"),
        (3, "Weirs fall"),
        (4, "Mills turn"),
    ]
    assert document.notes == ("Read by character recognition: pages 2-4.",)
    assert [picture.page for picture in document.pictures] == [4]


def garbled(folder: Path) -> Path:
    """A page of text, and one whose text layer has symbols for letters, with a heading in another font."""
    symbols = ["% & ! ( -.45) % ' $ + % 6 % #", "' & % < & 3* % ! $ D % / & ( + %"] * 8
    sheets = Sheets().page().lines(prose(88)).page().text(72, 80, "Rivers of the north", size=16)
    return sheets.lines(symbols, y=120).save(folder / "garbled.pdf")


def test_a_text_layer_of_symbols_is_left_out_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    document = parse_pdf(garbled(tmp_path))
    assert [block.text for block in document.blocks if block.page == 2] == ["Rivers of the north"]
    (note,) = document.notes
    assert note.startswith(
        "Symbols in place of letters, left out: 1 of 2 pages (page 2). To read them, install the extra"
    )


def test_a_page_with_a_text_layer_of_symbols_is_recognised(
    tmp_path: Path, install: Callable[[Callable[[float], str]], None]
) -> None:
    install(lambda _timeout: table("Rivers rise"))
    document = parse_pdf(garbled(tmp_path))
    assert [block.text for block in document.blocks if block.page == 2] == ["Rivers rise"]
    assert document.notes == ("Read by character recognition: page 2.",)


def test_a_file_with_symbols_only_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    path = Sheets().page().lines(["% & ! ( -.45) % ' $ + % 6 % #"] * 8).save(tmp_path / "symbols.pdf")
    with pytest.raises(NotADocument, match="only symbols in place of letters; to read them"):
        parse_pdf(path)


def test_a_file_of_photographs_is_reported_as_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    path = Sheets().page().png(150, 240, 240, 160, gradient()).save(tmp_path / "photographs.pdf")
    with pytest.raises(NotADocument, match="only images; to read them"):
        parse_pdf(path)


def test_recognised_words_become_prose(tmp_path: Path, install: Callable[[Callable[[float], str]], None]) -> None:
    stains = table("~;", confidence=11.0).splitlines()[-1]
    install(lambda _timeout: "\n".join((table(*prose(88)), stains, "5\tcut")))
    document = parse_pdf(scan(tmp_path))
    assert texts(document) == [" ".join(prose(88))]
    assert document.notes == ("Read by character recognition: page 1.",)
    assert document.pictures == ()


def test_a_page_without_words_has_no_text(tmp_path: Path, install: Callable[[Callable[[float], str]], None]) -> None:
    install(lambda _timeout: table())
    with pytest.raises(NotADocument, match="none was recognised"):
        parse_pdf(scan(tmp_path))


@pytest.mark.parametrize("error", [RuntimeError("Tesseract process timeout"), TesseractError()])
def test_a_page_that_takes_too_long_is_left_out(
    tmp_path: Path, install: Callable[[Callable[[float], str]], None], error: Exception
) -> None:
    answers = iter([error, table("Rivers rise")])

    def answer(timeout: float) -> str:
        assert timeout <= 5
        reply = next(answers)
        if isinstance(reply, Exception):
            raise reply
        return reply

    install(answer)
    document = parse_pdf(scan(tmp_path, pages=2), ocr_page_s=5)
    assert [(block.page, block.text) for block in document.blocks] == [(2, "Rivers rise")]
    assert document.notes[0] == "Without recognised text: page 1."


def test_no_page_is_begun_when_the_time_is_used_up(
    tmp_path: Path, install: Callable[[Callable[[float], str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 1_000, 7))
    monkeypatch.setattr(ocr, "monotonic", lambda: float(next(clock)))
    replies = iter(["Rivers rise", "Weirs fall", "Mills turn", "Gates close"])
    install(lambda _timeout: table(next(replies)))
    document = parse_pdf(scan(tmp_path, pages=4), ocr_total_s=10)
    assert texts(document) == ["Rivers rise", "Weirs fall"]
    assert document.notes == ("Without recognised text: pages 3-4.", "Read by character recognition: pages 1-2.")


@pytest.mark.skipif(not ocr.is_available(), reason="Tesseract is not installed")
def test_tesseract_reads_a_drawn_page(tmp_path: Path) -> None:
    source = Sheets().page().lines(prose(60)[:4], size=14, step=18).save(tmp_path / "source.pdf")
    with open_pdf(source) as document:
        page = document[0]
        image = page.render(scale=3).to_pil()
        page.close()
    path = Sheets().page().png(0, 0, 612, 792, image).save(tmp_path / "scan.pdf")
    (text,) = texts(parse_pdf(path))
    assert text == " ".join(prose(60)[:4])
