"""States that a thing must have."""

import pytest

from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.states import requires_state, with_subject
from toolsets.skills.extraction.steps import steps_in


@pytest.mark.parametrize(
    "text",
    [
        '"Daylight saving" must be YES in summer time.',
        "The chip has to face the reader.",
        "Both ends need to be at the same height.",
        "The paper guide should be set to A4, and the lid must be closed.",
        "The buffer should be at least 256 samples.",
        "The clock of the server must match the one of the phone.",
        "This switch must always be on.",
    ],
)
def test_a_required_state_is_a_step(text: str) -> None:
    assert requires_state(text)
    assert steps_in(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "It must be the thermostat.",
        "The flow sensor must be blocked.",
        "The update must have reset the list.",
        "That should be all.",
        "The page should be ready in a minute.",
        "The light should be a bit brighter now.",
        "You must be joking.",
        "Our engineers have to look at it.",
        "I will say when the lid must be closed.",
    ],
)
def test_what_is_supposed_or_expected_is_no_required_state(text: str) -> None:
    assert not requires_state(text)


@pytest.mark.parametrize(
    ("before", "text", "named"),
    [
        ("Is daylight saving set?", "It must be YES in summer time.", "Daylight saving must be YES in summer time."),
        ("Which mode is on, and is the guard open?", "It has to be shut.", "The guard has to be shut."),
        ("What's the frame rate?", "That should be 30.", "The frame rate should be 30."),
        ("Are the cookies blocked?", "They must not be blocked.", "The cookies must not be blocked."),
        ("The gap sensor is off by default.", "It has to be on.", "The gap sensor has to be on."),
        ("Are the cookies blocked?", "It must be on.", "It must be on."),
        ("Do you see the switch?", "It must be on.", "It must be on."),
        ("Is it on?", "It must be on.", "It must be on."),
        ("Is the guard open?", "It must be the wind.", "It must be the wind."),
    ],
)
def test_a_required_state_names_its_thing(before: str, text: str, named: str) -> None:
    assert with_subject(text, before) == named


def test_a_required_state_is_kept_with_its_reason_before_other_steps() -> None:
    text = (
        "Customer: The cards are rejected.\n"
        "Agent: How do you hold the card? The chip is on one side. It must face the reader. Also wipe the reader.\n"
        "Customer: It was the wrong way round. Works now, thank you!"
    )
    skill = extract(text, metadata={})
    assert skill.resolution == "1. The chip is on one side. The chip must face the reader.\n2. Wipe the reader."


def test_after_a_step_a_required_state_explains_it() -> None:
    assert steps_in("Install version 4. The robot must be on the dock.") == [
        "Install version 4. The robot must be on the dock."
    ]
