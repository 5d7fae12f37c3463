"""Characters of print become characters of plain text."""

import pytest

from toolsets.concept_rag.ingestion.pdf.characters import plain, with_ligatures


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


def test_the_codes_of_tex_for_ligatures_are_ligatures_next_to_a_letter() -> None:
    printed = "\x1crst \x1ductuation coe\x1ecients di\x1berences 5 \x1c 6"
    assert len(with_ligatures(printed)) == len(printed)
    assert plain(with_ligatures(printed)) == "first fluctuation coefficients differences 5  6"
