"""What a sentence limits itself to, as a condition of a skill."""

import pytest

from toolsets.skills.extraction.conditions import conditions_in
from toolsets.skills.extraction.offline import extract


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
    assert condition in extract(f"Customer: It fails.\nAgent: {answer} Restart it.", metadata={}).conditions


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
    skill = extract(f"Customer: It fails.\nAgent: {answer} Restart it.", metadata={})
    assert skill.conditions == (condition,)


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("Customer: It fails.\nAgent: Since version 2.0 Mosquitto needs a listener. Add one.", ("Since version 2.0",)),
        (
            "Customer: It fails.\nAgent: Which plan is it?\nCustomer: We are on the family plan.\nAgent: Tick All.",
            ("On the family plan",),
        ),
        ("Customer: It fails. Do I need a team plan?\nAgent: Tick All.", ()),
        (
            "Customer: It fails.\nAgent: What is your firmware? It is under About.\nCustomer: 3.4.0\nAgent: Reset it.",
            ("Firmware 3.4.0",),
        ),
        (
            "Customer: After apt upgrade to Eclair 2.0.18 our sensors get a time-out.\nAgent: Reset it.",
            ("After apt upgrade to Eclair 2.0.18",),
        ),
    ],
)
def test_versions_and_plans_in_other_places_are_conditions(text: str, conditions: tuple[str, ...]) -> None:
    assert extract(text, metadata={}).conditions == conditions


@pytest.mark.parametrize(
    "answer",
    [
        "Remove the card and add it again. That appears when the card is active on another phone.",
        "Set the logo under Layout. On 5.0 that is done by the wizard.",
        "If you are on 3.1, edit export.ini. From 3.2 on there is a checkbox for it.",
        "If it's Android, update the app. On iPhone it's under Features.",
        "On iPhone, open Tools. On Android it's under More. Then switch Scan on.",
    ],
)
def test_a_limit_of_one_step_or_of_variants_is_no_condition(answer: str) -> None:
    said = "Customer: The button Scan is missing.\nAgent: Which phone do you use?\nCustomer: an iphone"
    told = f"{said}\nAgent: {answer}\nCustomer: It is there, thanks!"
    assert extract(told, metadata={}).conditions in {(), ("iPhone",)}
    assert ("iPhone" in extract(told, metadata={}).conditions) == ("iPhone" not in answer)


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        ("On Windows 11 this comes from the energy saver. Open Settings > Power.", "On Windows 11"),
        (
            "Open the list. It works only if the machine is joined to the domain.",
            "Works only if the machine is joined to the domain",
        ),
        ("If you are on 3.1, edit export.ini and set header=1.", "If you are on 3.1"),
    ],
)
def test_a_limit_of_all_is_a_condition(answer: str, condition: str) -> None:
    assert (
        condition
        in extract(f"Customer: It stutters.\nAgent: {answer}\nCustomer: Works, thanks!", metadata={}).conditions
    )


@pytest.mark.parametrize(
    ("turns", "conditions"),
    [
        (("It stops.", "Run the repair.", "That was it. After the reboot everything came up, thanks"), ()),
        (("It stays grey.", "Turn off the blocker.", "It can be sent since I use the other browser. Thanks!"), ()),
        (("It stops.", "Run the repair.", "That was it. I use it on Linux."), ("Linux",)),
        (
            ("It stops.", "Hm, when?", "When I use the guest network.", "Leave it.", "Works!"),
            ("When using the guest network",),
        ),
        (("It stops.", "Set the port to 22.", "I get an error when using port 22.", "Set it to 80.", "Works!"), ()),
        (("It stops.", "Add the printer.", "Now it fails when I use the tray.", "Reset it.", "Works!"), ()),
        (
            ("It stops.", "Set the port to 22.", "It fails only when I use Wi-Fi.", "Reset it.", "Works!"),
            ("Only when using Wi-Fi",),
        ),
    ],
)
def test_what_is_said_of_a_step_is_no_condition(turns: tuple[str, ...], conditions: tuple[str, ...]) -> None:
    text = "\n".join(f"{('Customer', 'Agent')[at % 2]}: {turn}" for at, turn in enumerate(turns))
    assert extract(text, metadata={}).conditions == conditions


@pytest.mark.parametrize(
    "answer",
    [
        "Install 2.08. If you have a D6 Pro, you need version 3.01 instead.",
        "Install 2.08. If yours is a D6 Pro, 3.01 is the right one.",
        "The number is printed only if its prefix matches the country. Change the country.",
        "Codes are sent only when the number begins with a plus. Add one.",
        "Each parent needs a code of their own. Enter yours under Children.",
        "It stays in state iF and complains. Restart it.",
        "Check if fast charging is disabled under Battery.",
        "The state is if and stays there. Restart it.",
    ],
)
def test_a_case_and_an_explanation_are_no_condition(answer: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: {answer}\nCustomer: Works!", metadata={}).conditions == ()


@pytest.mark.parametrize(
    ("problem", "conditions"),
    [
        ("They want Windows-1252 or Windows 1250.", []),
        ("The tags are Mac-Roman.", []),
        ("I see nothing under View > Linux Kernels.", []),
        ("It is on a Windows-based till.", ["Windows"]),
        ("I can't open an Android APK.", []),
        ("It happens on a Windows VM.", ["Windows"]),
    ],
)
def test_a_name_with_a_platform_in_it_is_no_platform(problem: str, conditions: list[str]) -> None:
    assert conditions_in([problem], []) == conditions
