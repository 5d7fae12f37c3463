"""The list of words that are no concepts on their own can be read."""

from toolsets.concept_rag.generic_words import generic_words


def test_nouns_and_openers_are_lower_case_words_that_differ() -> None:
    words = generic_words()
    assert {"time", "series", "use"} <= words.nouns
    assert {"new", "called"} <= words.openers
    assert all(word == word.lower() for word in words.nouns | words.openers)
