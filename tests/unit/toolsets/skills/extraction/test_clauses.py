"""The clauses of a reply."""

import pytest

from toolsets.skills.extraction.clauses import Clause, clauses_of, words_of


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("I cleared it, but it drips", [("I cleared it", False), ("it drips", True)]),
        ("Done; it works", [("Done", False), ("it works", False)]),
        ("I cleared it and it works", [("I cleared it", False), ("it works", False)]),
        ("salt and pepper", [("salt and pepper", False)]),
        ("However, it drips", [("However", True), ("it drips", True)]),
        ("好，没用", [("好", False), ("没用", False)]),
        ("", []),
    ],
)
def test_a_sentence_has_clauses_of_which_a_word_may_contrast_one(
    sentence: str, clauses: list[tuple[str, bool]]
) -> None:
    assert list(clauses_of(sentence)) == clauses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It doesn't work", ["it", "does", "not", "work"]),
        ("I can’t, won't", ["i", "cannot", "will", "not"]),
        ("It dont", ["it", "do", "not"]),
        ("Wi-Fi 6 is ON", ["wi-fi", "6", "is", "on"]),
        ("", []),
    ],
)
def test_words_are_in_lower_case_and_not_is_one(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def clause(text: str, sentence: str | None = None) -> Clause:
    return Clause(text, text.lower(), words_of(text), None, sentence or text, followed=False, contrasted=False)


def test_a_clause_is_denied_or_doubted() -> None:
    assert clause("It doesn't work").denied
    assert not clause("Unfortunately it works").denied
    assert clause("Unfortunately it works").doubted
    assert not clause("It works").doubted


def test_a_clause_is_glad_unless_its_sentence_restricts_it() -> None:
    assert clause("it works now", "it works now, thanks").glad
    assert not clause("it works now", "it works now, but slowly").glad
    assert not clause("it works").glad


def test_a_clause_names_words() -> None:
    assert clause("It drips, drips").known == {"it", "drips"}
    assert clause("It drips").names(frozenset({"drips", "leaks"}))
    assert not clause("It drips").names(frozenset())
