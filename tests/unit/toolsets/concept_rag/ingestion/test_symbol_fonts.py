"""The characters of symbol fonts in Unicode."""

from pathlib import Path

import pytest

from tests.support.documents import docx, docx_paragraph
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.docx import parse_docx
from toolsets.concept_rag.ingestion.symbol_fonts import symbol


def parsed(data: bytes) -> ParsedDocument:
    return parse_docx(Path("notes.docx"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [
        ("Symbol", "F061", "α"),
        ("Symbol", "61", "α"),
        ("Symbol", "F0B3", "≥"),
        ("Symbol", "F0F0", ""),
        ("Wingdings", "F0FE", "☑"),
        ("Wingdings", "F0FF", ""),
        ("Times New Roman", "2013", "–"),
        ("Times New Roman", "F061", ""),
        ("Times New Roman", "D800", ""),
        ("Symbol", "?", ""),
    ],
)
def test_symbols_are_written_in_unicode(font: str, code: str, text: str) -> None:
    assert symbol(font, code) == text
    content = f'<w:r><w:sym w:font="{font}" w:char="{code}"/><w:t>&lt; 1</w:t></w:r>'
    assert texts(parsed(docx([docx_paragraph("if ", content=content)]))) == [f"if {text}< 1"]
