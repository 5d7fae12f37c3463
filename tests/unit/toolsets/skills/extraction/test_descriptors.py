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
        ("I can't send mail to ann@example.com from Outlook.", "Cannot send mail from Outlook"),
        ("How do I edit my.cnf and .bashrc?", "How to edit my.cnf and .bashrc"),
        ("How do I run find . -name '*.pyc'?", "How to run find . -name '*.pyc'"),
        ("My gizmo fails when I run `my  a. b`.", "The gizmo fails when running `my  a. b`"),
        ("Mail from ann@example.com and bob@example.com is marked as spam.", "Mail is marked as spam"),
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


@pytest.mark.parametrize(
    ("problem", "title"),
    [
        ("Since Monday our VPN drops every hour.", "The VPN drops every hour"),
        ("Since last Tuesday, the export fails.", "The export fails"),
        ("For two weeks now the fan has been loud.", "The fan has been loud"),
        ("As of this morning the login page is blank.", "The login page is blank"),
        ("Since the update to 5.2 the app crashes.", "Since the update to 5.2 the app crashes"),
        ("Hi Anna! The fan is loud.", "The fan is loud"),
        ("Dear Sir or Madam,\nmy invoice is wrong.", "The invoice is wrong"),
        ("Hello, my name is Kim and my printer is offline.", "The printer is offline"),
        ("Good morning team, my laptop does not charge.", "The laptop does not charge"),
        ("no disk space left", "No disk space left"),
    ],
)
def test_a_title_begins_with_what_is_wrong(problem: str, title: str) -> None:
    assert extract(f"Customer: {problem}\nAgent: Please restart it.", metadata={}).title == title


@pytest.mark.parametrize(
    "signature", ["Kind regards,\nKim Hall\nExample Ltd.", "Best, Kim", "Cheers\nKim", "Greetings from Vienna"]
)
def test_a_signature_is_no_part_of_the_problem(signature: str) -> None:
    skill = extract(
        f"Customer: Hello Support,\nThe export fails.\n\n{signature}\nAgent: Please restart it.", metadata={}
    )
    assert (skill.title, skill.problem) == ("The export fails", "The export fails.")
