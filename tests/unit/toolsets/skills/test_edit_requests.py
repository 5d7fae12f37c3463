"""What feedback asks of those who edit a skill."""

import pytest

from toolsets.skills.edit_requests import asks_to_edit, said_in_note


@pytest.mark.parametrize(
    "text",
    [
        "Also tag it as billing",
        "Please rewrite this.",
        "fix the broken link",
        "Add a screenshot of the menu",
        "Do not remove the warning: it is right",
        "Don't rely on this guide any more",
        "Please tell us",
    ],
)
def test_a_change_of_the_skill_is_asked_for(text: str) -> None:
    assert asks_to_edit(text)


@pytest.mark.parametrize(
    "text", ["Add water to the tank", "Remove the cover", "Tag the cable", "Let us wait", "Rewrite the boot sector", ""]
)
def test_a_step_asks_for_none(text: str) -> None:
    assert not asks_to_edit(text)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("a note that it takes an hour", "it takes an hour"),
        ("warning saying that it is hot", "it is hot"),
        ("a photo of the port", None),
        ("the power of the port", "the power of the port"),
    ],
)
def test_a_note_is_what_it_says(told: str, said: str | None) -> None:
    assert said_in_note(told) == said
