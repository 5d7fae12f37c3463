"""Characters of print become characters of plain text."""

import pytest

from toolsets.concept_rag.ingestion.pdf.characters import plain


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("plain words", "plain words"),
        ("e\ufb03cient \ufb02ow of \ufb01sh", "efficient flow of fish"),
        ("\uf0b7 item", "\u2022 item"),
        ("so\u00adft", "soft"),
        ("a\u00a0b\u202fc", "a b c"),
        ("caf\u00b4e na\u00a8\u0131ve", "café naïve"),
        ("cafe\u0301", "café"),
        ("a\x00b\x07c\x85d", "abcd"),
        ("\ue123\udc80x\ufffe", "x"),
        ("10² m", "10² m"),
    ],
)
def test_printed_characters(printed: str, expected: str) -> None:
    assert plain(printed) == expected
