"""Captions are told from sentences that begin with the same words."""

import pytest

from toolsets.concept_rag.ingestion.pdf.captions import is_caption


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3: The weir",
        "Figure 3.1 – The weir",
        "Fig. 2. Levels",
        "FIGURE 12",
        "Table A.3: Rivers",
        "Table IV",
        "Table 2 Rivers of the north",
        "Chart 1-2. Floods",
        "Listing 4: The program",
        "Figure 2b: The gate",
        "Figure 4. x86 snippet for the program",
    ],
)
def test_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize(
    "text",
    [
        "Table 2 shows the rivers",
        "Figure 3 is a drawing",
        "Fig. 3.1 shows the weir",
        "Figures are given below",
        "Table of Contents",
        "Chart the river",
        "In Figure 3: this",
        "Plate tectonics",
        "Figure skating: a sport",
    ],
)
def test_sentences(text: str) -> None:
    assert not is_caption(text)
