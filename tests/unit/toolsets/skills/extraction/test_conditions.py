"""Conditions: when a skill applies."""

import pytest

from toolsets.skills.extraction.offline import extract


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


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        ("On version 3 and later, run it.", "On version 3 and later"),
        ("When the job runs on a network share, enable signing.", "When the job runs on a network share"),
        ("For firmware older than 3.4, update the firmware.", "For firmware older than 3.4"),
        ("Unless you have the Pro model, disable Eco mode.", "Unless you have the Pro model"),
        ("In case zsh isn't listed, add it.", "In case zsh isn't listed"),
        ("If it is the 2024 model, replace the cover.", "If it is the 2024 model"),
        ("On model 7 use graphite.", "On model 7"),
        ("With the free plan, export one folder.", "With the free plan"),
        ("On a Mac, open System Settings.", "On a Mac"),
        ("For the Pro edition, choose Tools.", "For the Pro edition"),
        ("Provided that you have admin rights, open the console.", "Provided that you have admin rights"),
        ("Provided you have admin rights, open the console.", "Provided you have admin rights"),
    ],
)
def test_what_limits_an_answer_is_a_whole_condition(answer: str, condition: str) -> None:
    skill = extract(f"Customer: It fails.\nAgent: Restart it. {answer}", metadata={})
    assert skill.conditions == (condition,)


@pytest.mark.parametrize(
    "text",
    [
        "Customer: Outlook asks for a password, even after I enter the right one.\nAgent: Delete the entry.",
        "Customer: The app stops after 10 s on my speaker.\nAgent: Delete the entry.",
        "Customer: It fails when our users upload videos.\nAgent: Delete the entry.",
        "Customer: It fails.\nAgent: In Windows Settings > Display set it to Power saving.",
        "Customer: It fails.\nAgent: Run the wizard.\nCustomer: All good after the wizard, thank you!",
        "Customer: It fails.\n\nThis mail is only for the addressee.\nAgent: Delete the entry.",
        "Customer: It fails.\nAgent: On the network tab, click Delete.",
        "Customer: It fails.\nAgent: On that server run sync.",
        "Customer: It fails.\nAgent: The standard requires that such folders are empty. Empty it.",
        "Customer: It fails.\nAgent: Use the program login provided by the login package.",
        "Customer: It fails.\nAgent: Clear the list provided in the menu and kept by the server.",
        "Customer: It fails.\nAgent: It will fail when the time comes to upgrade the packages. Upgrade it.",
        "Customer: It fails.\nAgent: Remove each program that requires a browser with plugins.",
        "Customer: It fails.\nAgent: This requires as much care as the root password. Change it.",
    ],
)
def test_what_limits_nothing_is_no_condition(text: str) -> None:
    assert extract(text, metadata={}).conditions == ()


@pytest.mark.parametrize(
    ("problem", "condition"),
    [
        ("After installing Debian my card is called enp0s31f6.", "After installing Debian"),
        ("After an upgrade both changes were gone.", "After an upgrade"),
        ("When I use apt 2 it brings in a newer version.", "When using apt 2"),
        ("After the update df shows another size.", "After the update"),
    ],
)
def test_what_happens_then_is_no_part_of_a_condition(problem: str, condition: str) -> None:
    assert condition in extract(f"Customer: {problem}\nAgent: Delete the entry.", metadata={}).conditions
