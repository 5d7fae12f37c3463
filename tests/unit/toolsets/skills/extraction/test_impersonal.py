"""Clauses without the person in them."""

import pytest

from toolsets.skills.extraction.impersonal import clause_without_person, impersonal


@pytest.mark.parametrize(
    ("word", "rest", "told"),
    [
        ("when", "I open a file", "When opening a file"),
        ("whenever", "we try to print it", "When printing it"),
        ("every time", "I just start it", "When starting it"),
        ("after", "users log in", "After logging in"),
        ("while", "it prints", "While it prints"),
        ("when", "I opened a file", "When I opened a file"),
        ("when", "I was there", "When I was there"),
        ("if", "I open a file", "If I open a file"),
        ("when", "I don't open it", "When I don't open it"),
    ],
)
def test_a_person_is_worded_as_a_gerund(word: str, rest: str, told: str) -> None:
    assert impersonal(word, rest) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It crashes when I open a file", "It crashes when opening a file"),
        ("It crashes after we print it", "It crashes after printing it"),
        ("It crashes when it opens a file", "It crashes when it opens a file"),
        ("I open a file", "I open a file"),
    ],
)
def test_a_text_loses_the_person_of_its_clause(text: str, told: str) -> None:
    assert clause_without_person(text) == told
