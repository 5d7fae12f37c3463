"""Texts are normalised in linear time, in one place."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.ports.text import MAX_INDEXED_BYTES, MAX_SHADOW_POINTS, MAX_TEXT_BYTES, is_findable, normalized, shadow

LONGEST_S = 5.0
"""A hang: sorting a run of 130,000 marks takes a minute."""


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0f73", "\u0301", "\uff9e\u3099", "e\u0315\u0300\u0327"])
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_no_text_hangs(marks: str, form: str) -> None:
    text = marks * (MAX_TEXT_BYTES // len(marks.encode()))
    started = time.process_time()
    assert len(normalized(text, form)) >= len(text) // 2  # pyright: ignore[reportArgumentType]
    assert time.process_time() - started < LONGEST_S


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_languages_write_is_normalised_as_unicode_says(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalized(text, form) == unicodedata.normalize(form, text)


def test_thirty_marks_are_one_run_and_more_are_parted() -> None:
    assert normalized("e" + "\u0301" * 30, "NFC") == "\u00e9" + "\u0301" * 29
    assert normalized("e" + "\u0301" * 31, "NFC") == "\u00e9" + "\u0301" * 29 + "\u034f\u0301"
    assert normalized("e" + "\u0301" * 60 + "x", "NFD") == "e" + "\u0301" * 30 + "\u034f" + "\u0301" * 30 + "x"


@settings(deadline=None)
@given(st.integers(31, 200), st.sampled_from(["\u0315\u0300", "\u0301"]))
def test_normalising_again_changes_nothing(times: int, marks: str) -> None:
    text = "e" + marks * times
    assert shadow(shadow(text)) == shadow(text)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("a\u0390\u0301\u1f82\ufb03\U0001d160"), min_size=1, max_size=30))
def test_a_needle_that_cannot_be_found_is_longer_than_any_shadow(text: str) -> None:
    assert len(shadow(text)) <= len(text.encode()) * 3 / 2
    assert is_findable(text * (MAX_INDEXED_BYTES // len(text.encode())))


def test_what_is_longer_than_any_searched_text_is_not_findable() -> None:
    assert is_findable("a" * MAX_SHADOW_POINTS)
    assert not is_findable("a" * (MAX_SHADOW_POINTS + 1))
    assert not is_findable("\u3042" * 80_000)
    decomposed = "e\u0301" * (MAX_SHADOW_POINTS // 2)
    assert is_findable(decomposed)
    assert not is_findable(f"{decomposed}e\u0301")


def test_a_decomposed_shadow_has_at_most_one_and_a_half_code_points_a_byte_and_no_less_than_its_needle() -> None:
    """For each character, so also for each text: decomposition adds up. So `is_findable` need not read a needle."""
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            character = chr(code)
            points = len(unicodedata.normalize("NFD", shadow(character)))
            needle = len(unicodedata.normalize("NFD", character))
            assert needle <= points <= len(character.encode()) * 3 / 2, hex(code)
