"""The parser, given sheets instead of a file."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Parsed


@pytest.fixture
def parsed(tmp_path: Path) -> Parsed:
    return Parsed(tmp_path / "book.pdf")
