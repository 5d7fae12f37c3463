"""Entries of a table of contents are told by their number."""

import pytest

from toolsets.concept_rag.ingestion.outline_entries import LONGEST, numbered_entry


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("2.1. Tools", ("2.1", "Tools")),
        ("2.1 Tools", ("2.1", "Tools")),
        ("3. Tools … ", ("3", "Tools")),
        ("Chapter 2: Tools", ("2", "Tools")),
        ("Part IV Tools", ("IV", "Tools")),
        ("Kapitel 3 Werkzeuge", ("3", "Werkzeuge")),
        ("A.1 Tools", ("A.1", "Tools")),
        ("iv. Preface", ("iv", "Preface")),
        ("- 1. Tools", ("1", "Tools")),
        ("第2章 道具", ("第2章", "道具")),
    ],
)
def test_an_entry_has_a_number_and_a_title(text: str, entry: tuple[str, str]) -> None:
    assert numbered_entry(text) == entry


@pytest.mark.parametrize(
    "text", ["Tools", "2019 was dry", "3.14", "12 monkeys", "1. ", "1. " + "x" * LONGEST, "Chapters are long"]
)
def test_any_other_text_is_no_entry(text: str) -> None:
    assert numbered_entry(text) is None
