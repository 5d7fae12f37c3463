"""Formats are told by ending and content together."""

from pathlib import Path
from typing import get_args

import pytest

from tests.support.documents import docx, epub, html, page, pdf, png
from toolsets.concept_rag.ingestion.document import Format, NotADocument, Unreadable
from toolsets.concept_rag.ingestion.formats import ENDINGS, PARSERS, check_content, format_of_name

CONTENT = {
    "docx": docx([]),
    "epub": epub([page("<p>x</p>")]),
    "html": html("<p>x</p>"),
    "markdown": b"# x",
    "pdf": pdf([["x"]]),
    "text": b"x",
}


def test_each_format_has_an_ending_and_a_parser() -> None:
    assert set(ENDINGS.values()) == set(PARSERS) == set(get_args(Format))
    assert all(entry.max_bytes > 0 and entry.base_seconds > 0 for entry in PARSERS.values())


@pytest.mark.parametrize("found", ["docx", "epub", "html", "markdown", "text"])
def test_a_parser_is_loaded_by_its_name(found: Format) -> None:
    assert PARSERS[found].load_bytes_parser()(Path("x"), CONTENT[found]).format == found


@pytest.mark.parametrize(("name", "found"), [("a.PDF", "pdf"), ("b.c.Md", "markdown"), (".hidden.txt", "text")])
def test_an_ending_promises_a_format(name: str, found: Format) -> None:
    assert format_of_name(name) == found


@pytest.mark.parametrize("name", ["a.exe", "pdf", ".pdf", "a.", "a.tar.gz", "a.p\ndf"])
def test_other_endings_are_unknown(name: str) -> None:
    with pytest.raises(NotADocument) as skip:
        format_of_name(name)
    assert skip.value.kind == "unknown_format"
    assert "\n" not in skip.value.reason


@pytest.mark.parametrize("found", get_args(Format))
def test_content_that_is_as_promised_passes_where_an_image_does_not(found: Format) -> None:
    with pytest.raises(Unreadable):
        check_content(found, png())
    check_content(found, CONTENT[found])


@pytest.mark.parametrize(
    ("promised", "data", "words"),
    [
        ("text", CONTENT["pdf"], "but the file is a PDF file"),
        ("pdf", CONTENT["html"], "but the file is a page of HTML"),
        ("pdf", CONTENT["epub"], "but the file is a zip archive"),
        ("pdf", b"text", "The ending stands for a PDF file, but the file is not one."),
        ("docx", b"{\\rtf1}", "but the file is a document in RTF"),
        ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old versions of Office"),
        ("epub", CONTENT["pdf"], "but the file is a PDF file"),
        ("markdown", png(), "but the file is an image"),
        ("html", CONTENT["docx"], "but the file is a zip archive"),
    ],
)
def test_content_that_is_not_as_promised_is_damaged(promised: Format, data: bytes, words: str) -> None:
    with pytest.raises(Unreadable) as failure:
        check_content(promised, data)
    assert failure.value.kind == "damaged"
    assert words in failure.value.reason


def test_a_word_document_with_a_password_is_encrypted() -> None:
    with pytest.raises(Unreadable) as failure:
        check_content("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    assert failure.value.kind == "encrypted"


def test_a_pdf_file_may_begin_with_something_short() -> None:
    with pytest.raises(Unreadable):
        check_content("pdf", b"junk\n" * 1_000 + CONTENT["pdf"])
    check_content("pdf", b"junk\n" * 100 + CONTENT["pdf"])
