"""A step is supported by a text that has its words and tells to do the same."""

import pytest

from toolsets.skills.evidence import SourceText

TEXT = SourceText(
    "Unplug the router, then hold the reset button for ten seconds. I rebooted it afterwards in Settings > Network."
)


@pytest.mark.parametrize(
    "step",
    [
        "Unplug the router.",
        "Disconnect the router, then hold the reset button.",
        "Reboot the router.",
        "Restart the router after holding the reset button.",
        "Open Settings and select Network.",
        "Carefully hold the button.",
        "The reset button is held for ten seconds.",
    ],
)
def test_a_deed_in_another_form_or_an_equal_one_is_told(step: str) -> None:
    assert TEXT.tells(step)


@pytest.mark.parametrize(
    "step",
    [
        "Smash the router.",
        "Unplug the router and burn the reset button.",
        "Please also sell the router.",
        "Unplug the router by cutting the button.",
        "Open the casing and press the reset button.",
        "If it does not help, throw the router.",
    ],
)
def test_a_deed_that_the_text_does_not_have_is_not_told(step: str) -> None:
    assert not TEXT.tells(step)


@pytest.mark.parametrize(
    ("said", "step", "told"),
    [
        ("Turn the firewall on.", "Disable the firewall.", False),
        ("Turn the firewall off.", "Disable the firewall.", True),
        ("Deactivate the firewall.", "Switch the firewall off.", True),
        ("Enable the firewall.", "Turn off the firewall.", False),
        ("Plug the cable in.", "Unplug the cable.", False),
    ],
)
def test_turning_on_is_enabling_and_turning_off_is_disabling(said: str, step: str, told: bool) -> None:
    assert SourceText(said).tells(step) == told


def test_words_and_technical_parts_are_looked_up() -> None:
    assert TEXT.grounds("Hold the reset button")
    assert not TEXT.grounds("Consult a qualified technician")
    assert TEXT.invented("Open Settings > Network, then https://evil.example") == "https://evil.example"
    assert TEXT.invented("Hold it for ten seconds") is None
    assert TEXT.contradicts("Do not unplug the router")
    assert not TEXT.contradicts("Unplug the router")
