"""The words by which transcripts are read."""

import re

import pytest

from toolsets.skills.transcript.words import any_of, words


def test_a_class_of_words_is_in_lower_case() -> None:
    assert {"support", "客服"} <= words("agents")
    assert all(word == word.casefold() for word in words("agents"))


@pytest.mark.parametrize(
    ("name", "text"), [("months", "mai"), ("weekdays", "Tuesday"), ("subject", "Asunto"), ("ago", "3 hours ago")]
)
def test_a_phrase_matches_with_those_it_names(name: str, text: str) -> None:
    pattern = any_of(name)
    assert re.fullmatch(pattern, text, re.IGNORECASE) is not None
    assert re.search(r"(?<!P)<[a-z_]+>", pattern) is None


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        words("nobody")
    with pytest.raises(KeyError):
        any_of("nobody")
