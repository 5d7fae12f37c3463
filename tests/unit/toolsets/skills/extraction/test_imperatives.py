"""Orders by their shape, whatever their verb; statements, noun readings and small talk are none."""

import pytest

from toolsets.skills.extraction.imperatives import is_order


@pytest.mark.parametrize(
    "text",
    [
        "Swap the two cables.",
        "Solder the loose wire.",
        "Blow out the dust.",
        "Grease the hinge.",
        "Short the jumper for 5 seconds.",
        "Bridge pins 1 and 2.",
        "Long-press the app icon.",
        "Untick Cache.",
        "Reseat the card.",
        "Let it cool down.",
        "Top up your credit.",
        "File a claim in the portal.",
        "Level the bed.",
        "Scale the deployment to 0.",
        "Dry the hatch.",
        "Oil the third valve with a drop of sewing machine oil.",
        "Unscrew both caps.",
        "Query the status on the switch.",
        "Rotate clockwise until it clicks.",
        "Tighten by hand.",
        "Grant SELECT on the table to app.",
        "Send users the new link.",
        "Mount `/srv` again.",
        "Check the cable is plugged in.",
    ],
)
def test_a_verb_with_what_an_imperative_takes_is_an_order(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        "Restart takes a minute.",
        "Check-in opens at 9.",
        "Water damage is not covered.",
        "Access to the share is denied for guests.",
        "Power light stays off until it is charged.",
        "Screen protectors cause this sometimes.",
        "Level 3 support works from Monday to Friday.",
        "Update costs 5 EUR.",
        "Backup jobs run at night.",
        "Support closes at five.",
        "Print quality drops below 10 degrees.",
        "Exit code 137 means that the kernel killed it.",
        "Log files grow without bound there.",
        "Hope the fix helps you.",
        "Even the power light is off.",
        "Right the first time!",
        "Let me check that.",
        "Get well.",
        "Unless the lid is open, it starts.",
        "The cable is broken.",
        "Use of the tool by a novice is a sure call for trouble.",
        "Change of address takes two days.",
        "Return of the device",
        "Use by novices is not encouraged.",
        "Check of the disk",
        "Update to version 5 is needed.",
        "",
    ],
)
def test_a_statement_is_no_order(text: str) -> None:
    assert not is_order(text)
