"""Files that cannot be read say why; broken ones never end in anything else."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, gradient, prose
from toolsets.concept_rag.ingestion.document import NotADocument, Unreadable
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


@pytest.fixture(scope="module")
def whole() -> bytes:
    sheets = Sheets()
    for number in range(4):
        sheets.page().text(72, 60, f"Part {number}", size=18).lines(prose(88)).png(
            100, 400, 200, 120, gradient(seed=number)
        )
        sheets.pdf.line(100, 600, 300, 600)
    return bytes(sheets.pdf.output())


def test_a_password_is_reported(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.pdf.set_encryption(owner_password="owner", user_password="user")  # noqa: S106
    with pytest.raises(Unreadable, match="password") as raised:
        parse_pdf(sheets.save(tmp_path / "locked.pdf"))
    assert raised.value.kind == "encrypted"


def test_a_file_that_is_encrypted_without_a_password_is_read(tmp_path: Path) -> None:
    sheets = Sheets().page().lines(prose(88))
    sheets.pdf.set_encryption(owner_password="owner")  # noqa: S106
    assert parse_pdf(sheets.save(tmp_path / "open.pdf")).blocks[0].text == " ".join(prose(88))


def test_a_file_of_no_bytes_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    with pytest.raises(NotADocument) as raised:
        parse_pdf(tmp_path / "empty.pdf")
    assert raised.value.kind == "empty"


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"\0" * 5_000, b"<html>no</html>", b"%PDF-1.4\ntrailer<</Root 1 0 R>>\n%%EOF"],
)
def test_what_has_no_pages_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "book.pdf").write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        parse_pdf(tmp_path / "book.pdf")
    assert raised.value.kind == "damaged"


def test_a_truncated_file_is_damaged(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "book.pdf").write_bytes(whole[: len(whole) // 8])
    with pytest.raises(Unreadable) as raised:
        parse_pdf(tmp_path / "book.pdf")
    assert raised.value.kind == "damaged"


def test_a_file_whose_end_is_missing_is_read_with_a_note(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "book.pdf").write_bytes(whole[: whole.rindex(b"startxref")])
    document = parse_pdf(tmp_path / "book.pdf")
    assert (document.pages, document.notes) == (4, ("The end of the file is missing, and perhaps some of its text.",))


def test_blank_pages_are_no_document(tmp_path: Path) -> None:
    with pytest.raises(NotADocument, match="blank") as raised:
        parse_pdf(Sheets().page().page().save(tmp_path / "blank.pdf"))
    assert raised.value.kind == "no_text"


def test_a_name_that_is_not_utf8_is_opened(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "fl\udcfcsse ~.pdf"
    path.write_bytes(whole)
    assert parse_pdf(path).pages == 4


def _mutants(whole: bytes) -> Iterator[bytes]:
    """60 broken variants: truncated, with bytes changed, cut out or repeated, and with swapped numbers."""
    rng = random.Random(7)
    for part in range(1, 13):
        yield whole[: len(whole) * part // 13]
    for _ in range(24):
        changed = bytearray(whole)
        for _ in range(rng.choice([1, 8, 60, 400])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        yield bytes(changed)
    for _ in range(12):
        start = rng.randrange(len(whole))
        length = rng.randrange(1, 3_000)
        yield whole[:start] + whole[start + length :]
        yield whole[:start] + whole[start : start + length] * 2 + whole[start + length :]


def _outcome(path: Path) -> str:
    try:
        document = parse_pdf(path, ocr_total_s=0)
    except (Unreadable, NotADocument) as reason:
        return reason.kind if reason.args[0].endswith(".") else "no sentence"
    return "document" if document.blocks and all(block.text.strip() for block in document.blocks) else "blank"


def test_broken_files_end_in_a_document_or_a_reason(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "broken.pdf"
    outcomes: set[str] = set()
    for mutant in _mutants(whole):
        path.write_bytes(mutant)
        outcomes.add(_outcome(path))
    assert {"document", "damaged"} <= outcomes <= {"document", "damaged", "encrypted", "no_text"}


def test_pages_that_cannot_be_read_are_noted(tmp_path: Path, whole: bytes) -> None:
    first = whole.index(b"/Type /Page\n")
    (tmp_path / "book.pdf").write_bytes(whole[:first] + b"/Type /Pagx\n" + whole[first + 12 :])
    document = parse_pdf(tmp_path / "book.pdf")
    assert document.blocks
    assert document.pages == 4
