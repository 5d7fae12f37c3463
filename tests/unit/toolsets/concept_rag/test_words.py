"""What is remembered of words has a bound in bytes, whatever words a text holds."""

import tracemalloc

from toolsets.concept_rag.tokens import estimate_tokens
from toolsets.concept_rag.words import singulars, word

WORDS, LONG = 400, 50_000
MOST_BYTES = 2_000_000
"""A tenth of what the words themselves take."""


def test_long_words_are_not_remembered() -> None:
    estimate_tokens("warm words")
    word("warm")
    singulars(["words"])
    tracemalloc.start()
    try:
        for number in range(WORDS):
            text = "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "z" * LONG
            word(text)
            singulars([text + "s"])
            estimate_tokens(text)
        assert tracemalloc.get_traced_memory()[0] < MOST_BYTES
    finally:
        tracemalloc.stop()


def test_no_word_in_double_s_is_a_plural() -> None:
    assert singulars(["pass", "discuss", "canvass", "glass"]) == ["pass", "discuss", "canvass", "glass"]
    assert singulars(["passes", "glasses", "classes"]) == ["pass", "glass", "class"]
