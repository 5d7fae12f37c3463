"""The words of a page: their type, their direction, and which are on the page at all."""

import textwrap
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import PROSE, Parsed, Sheets, only, prose, texts
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def with_fixed_pitch(path: Path, *, first: str | None = None) -> Path:
    """Replace Courier by a font that is known as fixed-pitch by its flags only, and whose letters begin at `first`."""
    font = b"/BaseFont /Plainletter /FirstChar 32 /LastChar 126 /Widths [" + 95 * b"600 " + b"] /FontDescriptor << "
    font += b"/Type /FontDescriptor /FontName /Plainletter /Flags 33 /FontBBox [0 -200 600 800] /ItalicAngle 0 "
    font += b"/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    content = path.read_bytes()
    if first is not None:
        font += b" /ToUnicode 900 0 R"
        codes = (
            f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <7a> <{ord(first):04x}> "
        )
        stream = f"{codes} endbfrange endcmap".encode()
        content = content.replace(
            b"xref", b"900 0 obj << /Length %d >> stream\n%b\nendstream endobj\nxref" % (len(stream), stream), 1
        )
    path.write_bytes(content.replace(b"/BaseFont /Courier", font))
    return path


def test_a_font_that_states_a_fixed_pitch_is_monospaced_whatever_its_name(tmp_path: Path) -> None:
    rows = ["name    age   size", "Anna     31    170", "Boris    44    182", "Clara    27    165"]
    sheets = Sheets().page().lines(prose(88)).lines(rows, x=90, y=300, font="Courier")
    document = parse_pdf(with_fixed_pitch(sheets.save(tmp_path / "book.pdf")))
    assert only(document, "code").text == "\n".join(rows)
    assert texts(document, "table") == []


def test_a_fixed_pitch_of_chinese_letters_makes_no_listing(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88)).lines(prose(70)[:3], x=72, y=300, font="Courier")
    document = parse_pdf(with_fixed_pitch(sheets.save(tmp_path / "book.pdf"), first="\u4e00"))
    assert texts(document, "code") == []
    assert "\u4e20" in "".join(texts(document))


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_page_is_read_as_it_is_shown(tmp_path: Path, quarters: int) -> None:
    path = Sheets().page().lines(prose(88)).save(tmp_path / "turned.pdf")
    turned = path.read_bytes().replace(b"/MediaBox", b"/Rotate %d /MediaBox" % (90 * quarters))
    path.write_bytes(turned)
    assert texts(parse_pdf(path)) == [PROSE.strip()]


def test_text_set_across_a_page_is_read_and_stamps_in_the_margin_are_not(parsed: Parsed) -> None:
    sheets = Sheets().page()
    with sheets.pdf.rotation(90, 300, 400):
        sheets.lines(textwrap.wrap(PROSE, 80), x=100, y=300)
    assert texts(parsed(sheets)) == [PROSE.strip()]
    stamped = Sheets().page().lines(prose(88))
    with stamped.pdf.rotation(90, 30, 400):
        stamped.text(30, 400, "arXiv:1234.5678 [physics] 1 Jan 2001", size=16)
    assert texts(parsed(stamped)) == [PROSE.strip()]


def test_what_lies_outside_the_crop_is_not_read(tmp_path: Path) -> None:
    path = (
        Sheets().page().lines(prose(88)).text(72, 20, "river-proof.indd 7   04/05/2019").save(tmp_path / "cropped.pdf")
    )
    path.write_bytes(path.read_bytes().replace(b"/MediaBox", b"/CropBox [50 40 580 740] /MediaBox"))
    assert texts(parse_pdf(path)) == [PROSE.strip()]


def test_text_that_is_printed_twice_is_read_once(parsed: Parsed) -> None:
    sheets = Sheets().page().lines(prose(88)).lines(prose(88), x=72.3)
    assert texts(parsed(sheets)) == [PROSE.strip()]
