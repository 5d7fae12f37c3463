"""What is back: the fault, or what the customer had lost."""

import pytest

from toolsets.skills.extraction import NothingToLearn
from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.outcomes import outcome_of


@pytest.mark.parametrize(
    ("problem", "reply"),
    [
        ("The chess clock shows wrong entries.", "All the old entries came back."),
        ("The monitor hums loudly.", "The hum came back."),
        ("White lines run over the picture.", "The lines are back."),
        ("Each import doubles the transactions.", "It did not help, the doubles came back with the next upload."),
        ("The app lists players who left the team.", "Tried it. Two hours later all the old players were back."),
        ("An orange triangle appears in the dashboard.", "The triangle came back on the motorway."),
        ("Our chart counts each refund twice.", "The chart is back to the wrong total."),
        ("My contacts are gone.", "Tried it, but they are back to zero."),
        ("My orange lamp keeps flashing.", "It resets but afterwards the orange lamp is back."),
        ("The red LED on my kettle blinks.", "It stopped, then the red light came back."),
        ("The check-engine light comes on.", "I cleared the code. This morning the check-engine light was back."),
        ("The lamp on my toaster stays red.", "Reset done but the red lamp is back on."),
        ("My alarm message does not go away.", "I closed it. The alarm message is back."),
        ("The washer shows error E12.", "It ran for one cycle, E12 is back."),
        ("The tap in the kitchen leaks.", "Tightened the nut and the drip came back overnight."),
    ],
)
def test_a_fault_that_is_back_is_a_failure(problem: str, reply: str) -> None:
    assert outcome_of(reply, problem) == "failed"


@pytest.mark.parametrize(
    ("problem", "reply"),
    [
        ("My bookmarks are gone since the update.", "My bookmarks are back, thank you!"),
        ("I lost all my recipes.", "All recipes are back."),
        ("My savegame is gone after I moved it.", "It's back, thanks."),
        ("The television has no sound on channel 4.", "The sound came back."),
        ("Our intercom is dead.", "The intercom is back!"),
        ("I can't find the search box.", "The search box is back."),
        ("The screen is black.", "The picture is back."),
        ("My bike light goes out.", "The light is back."),
        ("My lamp does not light up any more.", "The lamp is back on."),
        ("The backlight flashes and then goes dark.", "The backlight is back."),
        ("My icon does not show up.", "The icon is back."),
        ("My tablet's Wi-Fi keeps dropping.", "Wi-Fi is back and stable."),
        ("The inverter is offline.", "The inverter is online again and even the missing days have appeared."),
        ("White lines run over the picture.", "The lines did not come back."),
    ],
)
def test_what_was_lost_and_is_back_is_a_success(problem: str, reply: str) -> None:
    assert outcome_of(reply, problem) == "worked"


@pytest.mark.parametrize(
    "reply",
    [
        "Worked for a minute, then the lamp came back.",
        "It was fine for an hour. Then the lamp was back.",
        "It worked, then the banner came back.",
    ],
)
def test_what_comes_back_after_a_success_is_the_fault(reply: str) -> None:
    assert outcome_of(reply, "Something is odd.") == "failed"


@pytest.mark.parametrize("then", ["then the left side was back", "and then both sides were back"])
def test_what_was_lost_comes_back_after_a_success(then: str) -> None:
    problem = "The left side of my headset is dead."
    assert outcome_of(f"Ten seconds did it, {then}. Thanks Olga.", problem) == "worked"
    assert outcome_of(f"It worked for a minute, {then}.", problem) == "failed"


def test_what_was_lost_may_come_back_after_a_failure() -> None:
    told = "At first it did not work, but after the second reset the sound came back."
    assert outcome_of(told, "No sound.") == "worked"


def test_nothing_is_learned_if_the_fault_is_back() -> None:
    told = "Customer: The monitor hums.\nAgent: Set the refresh rate to 60 Hz.\nCustomer: "
    with pytest.raises(NothingToLearn, match="failed"):
        extract(f"{told}That did not work. The hum is back.", metadata={})
    assert extract(f"{told}Quiet now.", metadata={}).resolution == "Set the refresh rate to 60 Hz."


def test_a_statement_about_a_cause_corrects_no_attempt_that_failed() -> None:
    told = "Customer: Nobody hears me.\nAgent: Unplug the headset.\nCustomer: Done, same with the built-in mic.\n"
    told += "Agent: Ok then it's not the headset. Quit the app and allow the microphone.\nCustomer: That did it!"
    assert extract(told, metadata={}).resolution == "Quit the app and allow the microphone."


def test_what_is_still_as_the_problem_says_is_not_mended() -> None:
    assert outcome_of("Did that. left still quiet", "The left earbud is super quiet.") == "failed"
    assert outcome_of("still too warm", "The cellar is warm.") == "failed"
    assert outcome_of("mhm still late in the export, maybe a bit less", "The track is late.") == "failed"
    assert outcome_of("no, still stops in the middle", "The mower stops in the middle of the lawn.") == "failed"
    assert outcome_of("nope, still in the middle", "The mower stops in the middle of the lawn.") == "failed"
    assert outcome_of("we still use version 5", "We use version 5, and it is slow.") != "failed"
    assert outcome_of("still in the box, I do it tonight", "The clock loses the time.") != "failed"
    assert outcome_of("still connected", "The pen is not connected.") != "failed"
    assert outcome_of("still quiet, thanks", "The fan is loud.") != "failed"


@pytest.mark.parametrize(
    ("problem", "reply"),
    [
        ("My bell sends alerts for cars.", "just got 3 more from cars"),
        ("My bell sends alerts for cars.", "got another 3 alerts"),
        ("My bell sends alerts for cars.", "3 more alerts since"),
        ("Spam arrives through the form.", "And five more in the last hour."),
        ("The detector chirps.", "Another chirp just now."),
        ("The router drops calls.", "It dropped twice more."),
        ("The washer shows error E18.", "The hose is fine. It hums and then E18 again."),
    ],
)
def test_a_fault_that_is_counted_once_more_is_a_failure(problem: str, reply: str) -> None:
    assert outcome_of(reply, problem) == "failed"


@pytest.mark.parametrize(
    ("problem", "reply"),
    [
        ("Mails do not arrive.", "Just got 3 more mails."),
        ("I only get two results.", "got 8 more results"),
        ("The camera sends alerts.", "I got another camera"),
        ("My bell sends alerts.", "One more question."),
        ("The list is long.", "There are two more users in the list."),
        ("There is no sound.", "sound again"),
        ("The washer shows error E18.", "Then E19."),
    ],
)
def test_what_was_missing_or_is_another_thing_is_no_failure(problem: str, reply: str) -> None:
    assert outcome_of(reply, problem) != "failed"
