"""Conditions: when a skill applies."""

import pytest

from toolsets.skills.extraction import extract


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        (
            "When the HP universal driver is set as default printer, the export waits. Choose another printer.",
            "When the HP universal driver is set as default printer",
        ),
        (
            "If the HP universal driver is your default printer, choose another one.",
            "If the HP universal driver is your default printer",
        ),
        ("When the GPU driver is older than 470, install version 537.", "When the GPU driver is older than 470"),
    ],
)
def test_the_environment_of_a_problem_is_a_condition(answer: str, condition: str) -> None:
    assert condition in extract(f"Customer: It fails.\nAgent: {answer}", metadata={}).conditions


@pytest.mark.parametrize(
    "answer",
    [
        "If it is still blank, restart it.",
        "When you are done, close the window.",
        "If that is not the case, open the menu.",
        "When the download is finished, open the file.",
        "If there is an error, restart it.",
    ],
)
def test_an_instruction_for_the_next_step_is_no_condition(answer: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: {answer} Open the menu.", metadata={}).conditions == ()


def test_circumstances_become_conditions() -> None:
    text = (
        "Customer: Printing fails on macOS 14.2 when I use the guest network. It only happens on Wi-Fi.\n"
        "Agent: This only applies to version 3.1 or later. Open the printer settings and turn off AirPrint."
    )
    conditions = extract(text, metadata={}).conditions
    assert conditions == (
        "When using the guest network",
        "Only happens on Wi-Fi",
        "Only applies to version 3.1 or later",
        "macOS 14.2",
    )


@pytest.mark.parametrize("since", ["Monday", "last week", "3 May", "two days ago"])
def test_a_date_is_no_condition(since: str) -> None:
    skill = extract(f"Customer: Since {since} the export fails.\nAgent: Restart the server.", metadata={})
    assert skill.conditions == ()


@pytest.mark.parametrize("command", ["cd .. && make", "`rm *.tmp, *.bak`", "`a; b: c. D  e`"])
def test_a_command_in_a_condition_is_kept_whole(command: str) -> None:
    text = f"Customer: It fails when I run {command}.\nAgent: Restart it."
    assert extract(text, metadata={}).conditions == (f"When running {command}",)


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        ("Only do this when the boiler is cold!", "Only when the boiler is cold"),
        ("On Android 13 and later, open Settings > Apps.", "On Android 13 and later"),
        ("On iOS, open Settings > Notifications.", "On iOS"),
        ("Only use the second one if you deploy to amd64.", "Only use the second one if you deploy to amd64"),
        ("Note: before 7.4 the menu was called Tools.", "Before 7.4"),
    ],
)
def test_the_scope_of_an_answer_is_a_condition(answer: str, condition: str) -> None:
    assert condition in extract(f"Customer: It fails.\nAgent: Restart it. {answer}", metadata={}).conditions


@pytest.mark.parametrize(
    "answer",
    [
        "The app needs up to an hour.",
        "It needs some time.",
        'If the dialog says "Access to the file is denied, close the program.',
        "Since Debian has it, install it.",
    ],
)
def test_a_duration_and_half_a_quotation_are_no_condition(answer: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: Restart it. {answer}", metadata={}).conditions == ()
