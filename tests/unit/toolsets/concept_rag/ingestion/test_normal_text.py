"""The text of blocks has no invisible characters and normal white space."""

import pytest

from toolsets.concept_rag.ingestion.normal_text import code, prose, quotable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a\n\t b\u00a0c ", "a b c"),
        ("so\u00adft\u200b \ufeffhy\u2060phen", "soft hyphen"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\x00b\x07c\ud800", "abc"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("a\u202eb", "ab"),
        ("", ""),
    ],
)
def test_prose_is_one_line_of_visible_characters(text: str, expected: str) -> None:
    assert prose(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n\n    if x:\n        y  \n\n", "if x:\n    y"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("a\u200b = 1", "a = 1"),
    ],
)
def test_code_keeps_its_lines_and_relative_indents(text: str, expected: str) -> None:
    assert code(text) == expected


def test_a_quoted_text_is_one_bounded_line() -> None:
    assert quotable("a\nb\u202e\ud800") == r"a\nb\u202e\ud800"
    assert quotable("x" * 120) == "x" * 120
    assert quotable("x" * 121) == "x" * 119 + "…"
    assert quotable("abcdef", 4) == "abc…"
