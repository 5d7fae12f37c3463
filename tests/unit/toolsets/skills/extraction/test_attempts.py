"""Attempts that helped, in whole or in part, checks, and answers to other questions."""

import pytest

from tests.unit.toolsets.skills.samples import learned
from toolsets.skills.extraction.offline import extract


@pytest.mark.parametrize(
    "partly",
    [
        "Okay, the light is green now but the data is still missing in the app.",
        "OK that part worked, but the data is still missing.",
        "The light works now! The display is still black.",
    ],
)
def test_an_attempt_after_which_something_is_still_wrong_has_failed(partly: str) -> None:
    told = (
        "The sensor reports no data.",
        "Replace its battery.",
        partly,
        "Then pair it again.",
        "Now it arrives. Thanks!",
    )
    assert learned(*told) == "Pair it again."


@pytest.mark.parametrize(
    ("partly", "rest"),
    [
        ("Names are there now. But the photos are still missing.", "The photos are still missing."),
        ("The list is on and the names are updated at once. Only the photos don't load", "The photos don't load"),
        ("That helped, the names are complete. However, the photos are still missing", "The photos are still missing"),
        ("it works partly, the names are fine. The photos are still blank.", "The photos are still blank."),
    ],
)
def test_what_solved_a_part_is_kept_and_the_problem_names_the_rest(partly: str, rest: str) -> None:
    told = ("On our staff page names and photos are missing.", "Grant the role Reader under Access.", partly)
    for answer, steps in (
        ("I'll pass that on to our developers.", "Grant the role Reader under Access."),
        (
            "Until then please add them by hand.",
            "1. Grant the role Reader under Access.\n2. Until then, add them by hand.",
        ),
    ):
        labels = ("Customer", "Agent") * 2
        text = "\n".join(f"{label}: {said}" for label, said in zip(labels, (*told, answer), strict=True))
        skill = extract(text, metadata={})
        assert (skill.resolution, skill.problem) == (steps, f"{told[0]} {rest}")


def test_what_fails_again_has_solved_no_part() -> None:
    told = (
        "The phone does not ring.",
        "Turn off Do not disturb.",
        "It rings now, but the phone stopped again after an hour.",
    )
    assert learned(*told, "Delete the schedule.", "thanks, that was it") == "Delete the schedule."


@pytest.mark.parametrize(
    ("partly", "next_step"),
    [
        ("Still no sensor, but it does not blink red any more.", "Then pair it again."),
        ("It is better, but half of the data is missing.", "Then pair it again."),
        ("The blinking is gone but the data is still missing.", "Good, halfway there. Pair it again."),
        ("Less noise, but still no data.", "Pair it again."),
        ("Some values are back, the others not.", "Nice. Pair it again."),
        ("The light is green now but the data is still missing.", "Great. Now also pair it again."),
    ],
)
def test_an_attempt_that_helped_in_part_is_kept(partly: str, next_step: str) -> None:
    told = learned("The sensor reports no data.", "Replace its battery.", partly, next_step, "Now it arrives. Thanks!")
    assert told == "1. Replace its battery.\n2. Pair it again."


@pytest.mark.parametrize(
    ("failed", "next_step"),
    [
        ("It was better for an hour, then it failed again.", "Pair it again."),
        ("No better.", "Good to know. Pair it again."),
        ("Still no data. If it is easier you can call me.", "Pair it again."),
    ],
)
def test_an_attempt_that_helped_for_a_while_is_not_kept(failed: str, next_step: str) -> None:
    told = learned("The sensor reports no data.", "Replace its battery.", failed, next_step, "Now it arrives. Thanks!")
    assert told == "Pair it again."


@pytest.mark.parametrize(
    "reply",
    [
        "The hose is fine.",
        "I looked behind it and the hose is fine",
        "I pulled it out and the hose is fine. The programme just hums and then E18 again.",
        "Okay, the hose is not kinked. It hums.",
    ],
)
def test_a_check_that_finds_nothing_has_solved_nothing(reply: str) -> None:
    told = f"Customer: The washer shows E18.\nAgent: Check that the hose is not kinked.\nCustomer: {reply}\nAgent: "
    assert extract(f"{told}Clean the filter.\nCustomer: It works!", metadata={}).resolution == "Clean the filter."


@pytest.mark.parametrize(
    ("check", "reply", "kept"),
    [
        ("Check that everything is allowed under Apps > Alarms.", "all allowed", False),
        ("Please check that Push is on under Profile.", "its on", False),
        ("Make sure that the valve is open behind the tank.", "Yes, it is open.", False),
        ("Make sure that the valve is open behind the tank.", "yes it is", False),
        ("Please check that Push is on under Profile.", "it was off, its on now", True),
        ("Please check that Push is on under Profile.", "it's not on", True),
        ("Please check that Push is on under Profile.", "switched it on", True),
        ("Please check that Push is on under Profile.", "ok on it", True),
        ("Turn Push on under Profile.", "it's on", True),
    ],
)
def test_a_check_of_a_state_that_is_right_has_solved_nothing(check: str, reply: str, *, kept: bool) -> None:
    told = learned("I get no reminders.", check, reply, "Turn off the battery saver.", "Works now")
    assert told.endswith("Turn off the battery saver.")
    assert ("Push" in told or "allowed" in told or "valve" in told) is kept


@pytest.mark.parametrize(
    ("told", "reply", "kept"),
    [
        ("Enter the code from the letter.", "it says code already used", False),
        (
            "Enter the code from the letter. Which browser do you use?",
            'I did, but it says "Code expired". Edge.',
            False,
        ),
        ("Enter the code from the letter. What does it say?", "it says unknown device", True),
        ("Enter the code from the letter.", "it says 0 of 5 used", True),
        ("Enter the code from the letter. Then turn on sync.", "code is set, the page says key not found", True),
    ],
)
def test_what_a_program_does_not_accept_is_no_step(told: str, reply: str, *, kept: bool) -> None:
    resolution = learned("The account is empty.", told, reply, "Ask the office for another code.", "Works, thanks")
    assert ("letter" in resolution) is kept
    resolution = learned("The account is empty.", told, reply, "Register the device first.", "Works, thanks")
    assert "letter" in resolution


def test_a_check_after_which_it_works_stays() -> None:
    told = "Customer: The washer shows E18.\nAgent: Check that the hose is not kinked.\nCustomer: "
    for reply in ("The hose is fine and it works now!", "It was kinked. Works now, thanks!"):
        assert extract(f"{told}{reply}", metadata={}).resolution == "Check that the hose is not kinked."


def test_a_check_of_what_was_wrong_shows_the_result() -> None:
    told = "Customer: The picture flickers.\nAgent: Replace the cable.\nCustomer: Done.\nAgent: Check the picture.\n"
    skill = extract(f"{told}Customer: The picture is fine.\nAgent: To prevent it, dust the plug.", metadata={})
    assert skill.resolution.startswith("1. Replace the cable.\n2. Check the picture.")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It mows again!! btw my mail is an old address, how do I change it?", "Go to Account and enter the new one."),
        (
            "It mows again, thank you!\nAgent: Welcome!\nCustomer: oh and is 1234 a bad PIN? just asking",
            "Choose a longer one.",
        ),
        ("cleaned it, that fixed it. One more thing: can I leave it outside?", "Cover the charger with a box."),
        ("other question, where do i get blades for the edge trimmer?", "You can order them in our shop."),
        ("ok will do. and where can i order spare blades?", "Order them under Parts."),
        ("One more question: do you have winter covers?", "Yes, choose Covers in the shop."),
        ("different question: how can I change my address?", "Open Account > Address and edit it."),
    ],
)
def test_what_a_customer_asks_besides_adds_no_step(reply: str, answer: str) -> None:
    told = f"Customer: The mower stops on the lawn.\nAgent: Clean the front sensor.\nCustomer: {reply}\nAgent: {answer}"
    assert extract(told, resolution_confirmed=True, metadata={}).resolution == "Clean the front sensor."


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Still stops. btw which cloth do you mean?", "Take a dry cotton cloth."),
        ("ok. oh and where is the front sensor?", "Lift the cover on the left."),
        ("done. oh and do I have to hold a button?", "Hold Reset until it blinks."),
        ("ok. btw does the wire count?", "Lay the wire around the lawn."),
        ("ok. and where do I get the brush?", "Take it from the box."),
        ("ok. and where can I buy a front sensor?", "Order number 4711."),
        ("ok. and do you have another idea?", "Hold Reset until it blinks."),
        ("will do. also, do I have to buy a new blade?", "Turn the blade over."),
        ("One more question: how can I get to the sensor?", "Lift the cover on the left."),
    ],
)
def test_what_a_customer_asks_about_the_matter_counts(reply: str, answer: str) -> None:
    told = f"Customer: The mower stops on the lawn.\nAgent: Clean the front sensor.\nCustomer: {reply}\nAgent: {answer}"
    assert answer in extract(told, resolution_confirmed=True, metadata={}).resolution
