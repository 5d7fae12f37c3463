"""The estimate stays near the count of the tokenizer that the shipped embedder uses."""

import pytest

from backends.engines.minilm.tokenizer import WordPiece
from tests.support.parsed_documents import CIRCUITS, LEDGERS
from toolsets.concept_rag.tokens import estimate_tokens

TEXTS = {
    "prose": " ".join(CIRCUITS),
    "business": " ".join(LEDGERS),
    "code": "for (size_t i = 0; i < n_rows; ++i) { total += matrix[i].weight * 0.25; }  // accumulate weights\n" * 2,
    "shell": "sudo apt-get install build-essential debhelper dh-make && dpkg-buildpackage -us -uc --no-sign " * 2,
    "German": "Die Wissenschaftler untersuchten, wie sich die Geschwindigkeit der Verarbeitung verbessern lässt. " * 2,
    "Russian": "Исследователи изучили, как можно повысить скорость обработки больших объёмов данных. " * 2,
    "Japanese": "研究者たちは処理の速度をどのように改善できるかを調べました。" * 3,
    "numbers": "2019 12 345 67890 1.5 3,000,000 0x7fff 192.168.0.1 " * 4,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_hardly_underestimates(kind: str, wordpiece: WordPiece) -> None:
    true = len(wordpiece.encode(TEXTS[kind])) - 2
    assert true < 250, "the tokenizer would cut it"
    assert 0.8 <= estimate_tokens(TEXTS[kind]) / true <= 1.5


@pytest.mark.parametrize("kind", ["prose", "business"])
def test_english_prose_is_estimated_closely(kind: str, wordpiece: WordPiece) -> None:
    true = len(wordpiece.encode(TEXTS[kind])) - 2
    assert abs(estimate_tokens(TEXTS[kind]) - true) <= 0.1 * true


def test_an_empty_text_has_no_tokens_and_a_long_word_many() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("x" * 3_000) >= 900
