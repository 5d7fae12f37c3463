"""Titles and keywords."""

import pytest

from toolsets.skills.extraction import extract


@pytest.mark.parametrize(
    ("problem", "title"),
    [
        ("Hi, how do I reset my password?", "How to reset the password"),
        ("Is there a way to export my data?", "How to export the data"),
        ("I get error 0x80070005 when I install updates.", "Error 0x80070005 when installing updates"),
        ("We can't connect to our VPN since Monday.", "Cannot connect to the VPN since Monday"),
        ("My screen stays black.", "The screen stays black"),
    ],
)
def test_titles_have_no_person(problem: str, title: str) -> None:
    assert extract(f"Customer: {problem}\nAgent: Please restart it.", metadata={}).title == title


def test_a_title_has_no_placeholder() -> None:
    skill = extract("Customer: My login ann@example.com is locked.\nAgent: Unlock it.", metadata={})
    assert "[email]" not in skill.title
    assert "[email]" in skill.problem, "a sentence that tells more stays"


@pytest.mark.parametrize(
    ("problem", "noise"),
    [
        ("Mein Drucker druckt nicht, Sie sagten nur, die Patrone der Firma sei leer.", {"sie", "nur", "die", "der"}),
        ("Mon imprimante ne marche pas avec cette cartouche pour nous.", {"mon", "pas", "avec", "cette", "pour"}),
        ("Mi impresora no imprime desde que usted cambió los cartuchos.", {"desde", "que", "usted", "los"}),
    ],
)
def test_small_words_of_other_languages_are_no_keywords(problem: str, noise: set[str]) -> None:
    found = extract(f"Customer: {problem}\nAgent: Please reinsert the cartridge.", metadata={}).keywords
    assert not noise & {word.casefold() for word in found}
