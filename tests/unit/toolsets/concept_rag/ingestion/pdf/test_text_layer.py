"""Pages whose text layer has symbols for letters are told from pages of code, formulas and contents."""

import pytest

from toolsets.concept_rag.ingestion.pdf.geometry import Box
from toolsets.concept_rag.ingestion.pdf.text_layer import is_garbled, readable
from toolsets.concept_rag.ingestion.pdf.words import PdfWord, Style

DINGBATS = "P❡♥❛❧✐③❡❞ ❧❡❛st sq✉❛r❡s ✈❡rs✉s ❣❡♥❡r❛❧✐③❡❞ r❡♣r❡s❡♥t❛t✐♦♥s"
SYMBOLS = "% & ! ( -.45) % ' $ + % 6 % #"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SYMBOLS} " * 8, True),
        (f"{SYMBOLS} the theory of action " * 8, True),
        (f"{DINGBATS} " * 8, True),
        (f"{DINGBATS} " * 3 + "Y|B = Xβ + Zb of n×p and N(0, 1) " * 3, True),
        (DINGBATS, False),
        ("★★★☆☆ ✓ ✗ ★★★★★ ✔ a good book ☎ ✉ " * 10, False),
        ("✓ The river rises in the hills " * 10, False),
        (SYMBOLS, False),
        ("The river rises in the hills ( & so on ) " * 8, False),
        ("1 Introduction " + ". " * 90 + "12", False),
        ("A = 0.00 B = 1.00 C = 2.00 " * 20, False),
        ("for ( i = 0 ; i < n ; i ++ ) { x [ i ] = y [ i ] + 1 ; } " * 2, False),
        ("( x + y ) * ( x - y ) = x ^ 2 , f ( x ) < 1 / 2 ; " * 4, False),
        ("你 好 （ 一 九 三 七 年 ） " * 20, False),
    ],
)
def test_most_words_of_a_garbled_page_are_symbols(text: str, expected: bool) -> None:
    assert is_garbled(text.split()) == expected


def line(text: str, baseline: float) -> list[PdfWord]:
    return [
        PdfWord(word, Box(72 + 40 * place, baseline - 10, 72 + 40 * place + 38, baseline), baseline, Style(10), place)
        for place, word in enumerate(text.split())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Theory of Action", True),
        ("(Davis, 1989) wrote", True),
        ("Usefulness", True),
        (SYMBOLS, False),
        ("K + (7000) D Dffi %", False),
        ("III III III III", False),
        ("Dffi", False),
    ],
)
def test_lines_of_whole_words_are_kept(text: str, expected: bool) -> None:
    words = line(text, 100)
    assert readable([*line(SYMBOLS, 80), *words]) == (words if expected else [])
