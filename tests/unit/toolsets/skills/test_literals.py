"""Many fixed texts that are looked for at once."""

import pytest

from toolsets.skills.literals import Literals

TEXTS = ("pas", "password", "word", "pin", "p", " in ", "[x]", "é")


@pytest.mark.parametrize(
    "text", ["", "my password is in here", "passwor", "a spinning top", "[x] pin", "caf\u00e9 in\nit", "nothing"]
)
def test_the_texts_that_another_one_contains_are_found(text: str) -> None:
    known = Literals(TEXTS)
    assert known.found_in(text) == {each for each in TEXTS if each in text}
    assert known.are_in(text) == any(each in text for each in TEXTS)


def test_two_collections_are_looked_for_together() -> None:
    both = Literals(["pas"]) | Literals(["pin", "passport"])
    assert both.found_in("my passport") == {"pas", "passport"}
