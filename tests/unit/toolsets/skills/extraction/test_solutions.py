"""The step that a customer reports as the solution."""

import pytest

from toolsets.skills.extraction.solutions import gerunds_in_base_form, in_base_form, solving_step


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("Restarting the router fixed it.", "Restart the router."),
        ("I just replaced the cable and now it works.", "Replace the cable."),
        ("Solved it by clearing the cache and restarting the app.", "Clear the cache and restart the app."),
        ("The trick was to hold the button for 10 s.", "Hold the button for 10 s."),
        ("I had to renew the token first.", "Renew the token first."),
        ("I opened `a and closed` and picked it, that fixed it.", "Open `a and closed` and pick it."),
        ("Doing it fixed it.", None),
        ("I noticed the cable and it works.", None),
        ("I replaced everything and now it works.", None),
        ("The router is blue.", None),
        ("", None),
    ],
)
def test_the_solution_is_an_instruction(sentence: str, step: str | None) -> None:
    assert solving_step(sentence) == step


@pytest.mark.parametrize(
    ("text", "base"),
    [
        (" it, picked one and then saved it", " it, pick one and then save it"),
        (" it and noticed that", " it and noticed that"),
        (" it and we restarted it", " it and restart it"),
        (" it and red", " it and red"),
    ],
)
def test_joined_past_forms_become_base_forms(text: str, base: str) -> None:
    assert in_base_form(text) == base


@pytest.mark.parametrize(
    ("text", "base"),
    [("it and picking one", "it and pick one"), ("it, then saving it", "it, then save it"), ("a thing", "a thing")],
)
def test_joined_gerunds_become_base_forms(text: str, base: str) -> None:
    assert gerunds_in_base_form(text) == base
