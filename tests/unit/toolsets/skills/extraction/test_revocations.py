"""What helpers forbid later is taken out of what they said before, and nothing else."""

import pytest

from toolsets.skills.extraction.offline import extract


def learned(*turns: str) -> str:
    """Return the resolution of a conversation in which the agent says some turns, and the customer confirms the last."""
    told = "\n".join(f"Agent: {turn}\nCustomer: ok" for turn in turns)
    return extract(
        f"Customer: My device does not start.\n{told}\nCustomer: It works now, thanks!", metadata={}
    ).resolution


@pytest.mark.parametrize(
    ("said", "then", "left"),
    [
        (
            "Take out the paddle and grease the axle.",
            "Correction, please do not grease the axle, that ruins the seal. Just take out the paddle.",
            "1. Do not grease the axle, that ruins the seal.\n2. Take out the paddle.",
        ),
        (
            "The cause is an open slot. Delete the oldest files in pg_wal up to it and then drop the slot.",
            "Correction, please do NOT delete files in pg_wal by hand, that can corrupt it! Only drop the slot:\nSELECT a('b');",
            "1. The cause is an open slot. Do not delete files in pg_wal by hand, that can corrupt it!\n"
            "2. Drop the slot:\n   SELECT a('b');",
        ),
        (
            "Drain the tank completely and then open valve B.",
            "Wait, don't drain the tank, you only need to open valve B.",
            "1. Do not drain the tank.\n2. Open valve B.",
        ),
        (
            "Kill the longest query on the primary and restart the replica.",
            "Sorry, don't kill queries on the primary.",
            "1. Restart the replica.\n2. Do not kill queries on the primary.",
        ),
        (
            "Open the housing and clean the fan.",
            "Careful, I was wrong: do not open the housing, clean the fan from outside.",
            "1. Do not open the housing.\n2. Clean the fan from outside.",
        ),
        (
            "1. Open the menu.\n2. Press Format.\n3. Wait 2 minutes.",
            "Sorry, don't tap Format.",
            "1. Open the menu.\n2. Wait 2 minutes.\n3. Do not tap Format.",
        ),
        (
            "Open the menu, press Format and wait.",
            "No, do not press it.",
            "1. Open the menu and wait.\n2. Do not press Format.",
        ),
        (
            "Run this:\n```\nrm -r /b\n```\nThen restart the server.",
            "Stop, do not run this!",
            "Restart the server.",
        ),
        (
            "Format the card and put it in again.",
            "Please don't format the card.",
            "1. Put the card in again.\n2. Do not format the card.",
        ),
    ],
)
def test_a_prohibition_takes_back_what_it_forbids(said: str, then: str, left: str) -> None:
    assert learned(said, then) == left


def test_a_prohibition_takes_back_what_its_own_turn_says_before_it() -> None:
    told = "Remove the cover and oil the chain. Edit: please do not remove the cover, it breaks the seal. Only oil the chain."
    assert learned(told) == "1. Do not remove the cover, it breaks the seal.\n2. Oil the chain."


@pytest.mark.parametrize(
    ("said", "then", "left"),
    [
        ("Please tap on Erase.", "Oh no, please don't tap on Erase! I meant Refresh.", "Tap on Refresh."),
        (
            "Put it in the oven.",
            "Please don't put it in the oven, I was distracted. Put it in rice.",
            "Put it in rice.",
        ),
        ("Press Format for 3 s.", "Do not press Format! I meant unplug it.", "Unplug it."),
        (
            "Wash the fly at 60 degrees and spray it with wax.",
            "Sorry, do not wash it at 60 degrees! Wash it at 30 degrees.",
            "Wash the fly at 30 degrees and spray it with wax.",
        ),
    ],
)
def test_what_was_meant_takes_the_place_of_what_is_forbidden(said: str, then: str, left: str) -> None:
    assert learned(said, then) == left


@pytest.mark.parametrize(
    "said",
    [
        "Press the button.\n2. Do not press the button longer than 5 s.",
        "Open the file in Excel.\n2. Do not open the file in Word.",
        "Delete the content of the folder.\n2. Do not delete the folder.",
        "Restart the app.\n2. Never restart the app while it writes.",
        "Press Start and wait.\n2. When the light blinks, do not press Start.",
        "Remove the old key.\n2. Do not remove the new key.",
        "Back up the database.\n2. Do not drop the database yet.\n3. Drop the database.",
    ],
)
def test_a_prohibition_of_something_else_takes_nothing_back(said: str) -> None:
    assert learned(f"1. {said}") == f"1. {said}"
