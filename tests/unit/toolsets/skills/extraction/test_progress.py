"""Single steps that have changed something, or that are taken up, belong to the solution."""

import pytest

from tests.unit.toolsets.skills.samples import learned
from toolsets.skills.extraction.progress import improves_a_thing

BOTH = "1. Enable the hotspot.\n2. Add the sensor by hand."


@pytest.mark.parametrize(
    "partly",
    [
        "the lamp is steady now\nCustomer: but the app says offline",
        "hotspot was off!! its on now\nCustomer: app still says offline",
        "On the phone that looks right now, thanks. However, the tablet still says offline.",
        "The page opens again, but my tablet still says offline.",
    ],
)
def test_a_step_that_changed_something_is_kept(partly: str) -> None:
    told = ("The app says my sensor is offline.", "Enable the hotspot.", partly)
    assert learned(*told, "Add the sensor by hand.", "now it is there, thanks") == BOTH


def test_steps_are_kept_if_the_customer_reports_each() -> None:
    told = (
        "The app says my sensor is offline.",
        "Enable the hotspot.",
        "it was off! enabled it",
        "Great, now restart the sensor.",
    )
    more = (
        "the lamp is steady now\nCustomer: but the app says offline",
        "Add the sensor by hand.",
        "it is there now, thanks",
    )
    assert learned(*told, *more) == "1. Enable the hotspot.\n2. Restart the sensor.\n3. Add the sensor by hand."


@pytest.mark.parametrize(
    "reply",
    [
        "It works now, but it still says offline.",
        "The lamp is green, but the app says offline.",
        "The lamp was green for a minute, then it was red again. The app is still offline.",
        "Enabled it. The app still says offline.",
        "If the lamp is green now, why does the app still say offline?",
        "The hotspot was on. The app still says offline.",
    ],
)
def test_other_reports_improve_nothing(reply: str) -> None:
    assert not improves_a_thing(reply)


FIRST = "Press A and B for 5 seconds. After that update the firmware in the app."
VARIANT = "Is it the round one? If it is a round one, press C alone for 9 seconds."


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, round. C alone did it! Updating the firmware right now, thanks",
        "9 seconds did it. I will update the firmware tonight.",
    ],
)
def test_a_step_that_is_taken_up_is_kept(reply: str) -> None:
    told = learned("The remote is dead.", FIRST, "nothing happens", VARIANT, reply)
    assert told == "1. If it is a round one, press C alone for 9 seconds.\n2. Update the firmware in the app."


@pytest.mark.parametrize(
    "reply", ["C alone did it!", "That did it. Updating my notes now.", "Worked, firmware is the newest."]
)
def test_a_step_that_failed_is_not_taken_up_by_other_words(reply: str) -> None:
    told = learned("The remote is dead.", FIRST, "nothing happens", VARIANT, reply)
    assert told == "If it is a round one, press C alone for 9 seconds."


QUESTION = "My USB stick is dead since the upgrade."


@pytest.mark.parametrize(
    ("looks", "reply"),
    [
        ("Please run lsusb and tell me what the stick is called.", "Realtek RTL8192CU"),
        ("Open About and send me the version number.", "5.2"),
        ("In the menu, open About and tell us which version it shows.", "It says 5.2"),
    ],
)
def test_what_only_a_helper_wants_to_know_is_no_step(looks: str, reply: str) -> None:
    assert learned(QUESTION, looks, reply, "Load the driver.", "It works, thanks!") == "Load the driver."


@pytest.mark.parametrize(
    "step",
    [
        "Restart the router and tell me which light is on.",
        "Run sfc and let me know if it works.",
        "Open the panel and send the report to the printer.",
    ],
)
def test_other_steps_of_which_a_report_is_wanted_stay(step: str) -> None:
    assert step.split(" and ", maxsplit=1)[0] in learned(
        QUESTION, step, "The green one.", "Load the driver.", "It works, thanks!"
    )


def test_a_lookup_that_solved_it_is_a_step() -> None:
    looks = "Run lsusb and tell me what the stick is called."
    assert learned(QUESTION, looks, "Oh, it works now, thanks!") == looks


def test_where_an_answer_is_seen_is_no_step() -> None:
    asked = "Is the report still in draft? You can see it at the top left."
    assert learned(QUESTION, asked, "Yes, it says draft.", "Click Publish.", "It works, thanks!") == "Click Publish."
    assert learned(QUESTION, "Is it plugged in? Check it.", "It works, thanks!") == "Check it."
