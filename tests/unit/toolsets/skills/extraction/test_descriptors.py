"""Keywords."""

import pytest

from toolsets.skills.extraction.offline import extract


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


def test_a_greeting_in_another_language_is_no_keyword() -> None:
    skill = extract(
        "Customer: Guten Tag, mein Drucker druckt nicht.\nAgent: Bonjour Madame, open the lid.", metadata={}
    )
    assert not {"guten", "tag", "bonjour", "madame"} & {word.casefold() for word in skill.keywords}
    assert skill.resolution == "Open the lid."


def test_people_are_no_keywords() -> None:
    text = (
        "Tom: Hi Priya, my KeyNest shows half of my logins.\n"
        "Priya: Never send us your master password, Tom. Click the vault and tick All.\n"
        "Tom: There they are. Thanks Paolo!"
    )
    keywords = extract(text, metadata={}).keywords
    assert "KeyNest" in keywords
    assert not {"Tom", "Priya", "Paolo", "tom", "priya", "paolo"} & set(keywords)


def test_handles_and_words_of_talk_are_no_keywords() -> None:
    text = (
        "**mossy_pete** wrote:\n\nSorry, I cannot tell why the kettle doesnt whistle, although I tried what kestrel_84 wrote.\n\n"
        "**Moderator** wrote:\n\nPlease descale the kettle.\n\n**mossy_pete** wrote:\n\nThat helped, thanks!\n"
    )
    found = {word.casefold() for word in extract(text, metadata={}).keywords}
    assert not found & {"mossy_pete", "kestrel_84", "wrote", "cannot", "tell", "doesnt", "although", "sorry"}
    assert {"kettle", "whistle", "descale"} <= found
