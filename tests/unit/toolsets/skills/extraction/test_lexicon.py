"""The lists of words and phrases that the rules read."""

import re
from importlib.resources import files

import pytest

from toolsets.skills.extraction.lexicon import lexicon

FILES = sorted(
    file.name.removesuffix(".toml")
    for file in (files("toolsets.skills.extraction") / "lexicon").iterdir()
    if file.name.endswith(".toml")
)


@pytest.mark.parametrize("name", FILES)
def test_every_phrase_is_a_pattern_and_is_listed_once(name: str) -> None:
    content = lexicon(name)
    for title, phrases in content.phrases.items():
        assert len(set(phrases)) == len(phrases), title
        re.compile(content.any_of(title))


def test_a_phrase_may_name_a_class_of_words() -> None:
    pattern = lexicon("outcomes").pattern("now_refuses")
    assert pattern.search("Now it won't boot") is not None
    assert pattern.search("Now it won't booted") is None


def test_a_pattern_for_texts_in_lower_case_finds_the_same_and_has_no_capital_letters() -> None:
    outcomes = lexicon("outcomes")
    text = "It Did Nothing at ALL"
    assert outcomes.pattern("no_effect").search(text) is not None
    assert outcomes.lower_pattern("no_effect").search(text) is None
    assert outcomes.lower_pattern("no_effect").search(text.lower()) is not None
    with pytest.raises(ValueError, match="capital letters: error_shown"):
        outcomes.lower_pattern("error_shown")
