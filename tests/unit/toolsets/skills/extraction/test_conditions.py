"""Conditions: when a skill applies."""

import pytest

from toolsets.skills.extraction.conditions import conditions_in
from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.steps import steps_in


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
        ("You need firmware 2.0 or later for that. Open Tools.", "Requires firmware 2.0 or later"),
        ("Applies to: version 5 and later\nOpen Tools.", "Applies to: version 5 and later"),
        (
            "Even if you emptied the bin, as long as that file is still in use by a program (read or write), copy it from /proc.",
            "As long as that file is still in use by a program (read or write)",
        ),
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
        "You need your 4-digit PIN for that.",
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
        "Customer: It fails.\nAgent: Change it under Contract > Emergency data. You need your PIN for that.",
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
        ("The app hangs when the phone is locked.", "When the phone is locked"),
        ("After the update df shows another size.", "After the update"),
    ],
)
def test_what_happens_then_is_no_part_of_a_condition(problem: str, condition: str) -> None:
    assert condition in extract(f"Customer: {problem}\nAgent: Delete the entry.", metadata={}).conditions


@pytest.mark.parametrize(
    "answer",
    [
        "Take out the toner. If your firmware is older than 2.81, also update it.",
        "If your client is older than 5.2, first update it. Then set the MTU to 1300.",
        "Reload it. If you have clients with a driver older than libpq 10, keep md5.",
        "Run it. For the Pro edition, choose Tools instead.",
        "Open Settings. Then, on your router, disable SIP ALG.",
        "On macOS 14.4, open Privacy. On 14.5 or later, open Security.",
    ],
)
def test_what_limits_one_step_is_no_condition_of_the_skill(answer: str) -> None:
    skill = extract(f"Customer: It fails.\nAgent: {answer}", metadata={})
    assert skill.conditions == ()


@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        ("For annual plans go to Billing. Then click Refund.", "For annual plans"),
        ("On UEFI machines, disable Fast Startup. Then run update-grub.", "On UEFI machines"),
        ("Clean it. This only applies to model B.", "Only applies to model B"),
    ],
)
def test_what_limits_the_whole_answer_is_a_condition(answer: str, condition: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: {answer}", metadata={}).conditions == (condition,)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("The firmware is 2.85.", "If your firmware is older than 2.81, update it."),
        ("We use Fedora 40.", "On Fedora 38, run alsactl init."),
        ("It is version 3.4.", "From version 4.0 on, use the wizard."),
        ("I have driver 537 here.", "When the driver is older than 470, reset it."),
    ],
)
def test_a_condition_that_is_not_true_of_the_customer_is_none(said: str, answer: str) -> None:
    skill = extract(f"Customer: It fails. {said}\nAgent: {answer}", metadata={})
    words = answer.partition(",")[0]
    assert words not in skill.conditions
    assert words in extract(f"Customer: It fails.\nAgent: {answer}", metadata={}).conditions or words.endswith(" on")


@pytest.mark.parametrize(
    ("problem", "condition"),
    [
        (
            "After we upgraded PostgreSQL 13 to 15 our application cannot log in any more.",
            "After we upgraded PostgreSQL 13 to 15",
        ),
        ("Since the update to Android 15 my Pixel 8 drops every call.", "Since the update to Android 15"),
        ("After the dist-upgrade the GRUB menu does not list it any more.", "After the dist-upgrade"),
        ("When my laptop is docked over USB-C the second screen flickers.", "When my laptop is docked over USB-C"),
        ("Since the last firmware update nothing prints.", "Since the last firmware update"),
        ("After changing the network drives it is slow.", "After changing the network drives"),
    ],
)
def test_a_sentence_of_the_problem_is_no_condition_as_a_whole(problem: str, condition: str) -> None:
    assert condition in extract(f"Customer: {problem}\nAgent: Delete the entry.", metadata={}).conditions


@pytest.mark.parametrize(
    ("problem", "conditions"),
    [
        ("The script with Windows line ends fails.", ()),
        ("It fails with Chrome extensions of ours.", ()),
        ("It fails on Windows laptops.", ("Windows",)),
        ("It fails in Safari.", ("Safari",)),
        ("The server on Linux crashes.", ("Linux",)),
    ],
)
def test_a_platform_in_the_name_of_another_thing_is_no_condition(problem: str, conditions: tuple[str, ...]) -> None:
    assert extract(f"Customer: {problem}\nAgent: Delete the entry.", metadata={}).conditions == conditions


@pytest.mark.parametrize(
    "text",
    [
        "Since the 1st every balance is zero.",
        "Since the new year every export that I make has each line twice.",
        "Since Easter the till prints two receipts.",
        "Since the storm the modem has no signal.",
        "Since 3.11. the light is off.",
    ],
)
def test_a_date_or_an_event_is_no_condition(text: str) -> None:
    assert conditions_in([text], []) == []


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Since the 5.3 update the map is empty.", "Since the 5.3 update"),
        ("Since the 8.2 release the widgets are gone.", "Since the 8.2 release"),
        ("The page is cut in landscape mode.", "In landscape mode"),
        ("I can't change an entry in a closed period.", "In a closed period"),
    ],
)
def test_a_version_or_a_setting_of_the_customer_is_a_condition(text: str, condition: str) -> None:
    assert conditions_in([text], []) == [condition]


@pytest.mark.parametrize(
    "text",
    [
        "Clean it. If the error comes back when it is dry, replace the sensor.",
        "Clean it. If the light is still on, replace the sensor.",
        "Open Export and choose Parquet if your tool offers it.",
        "On the licence server, stop the service.",
        "Clean it. If the noise returns, the bearing is worn and needs a change.",
    ],
)
def test_what_belongs_to_one_step_is_no_condition(text: str) -> None:
    assert conditions_in([], [text]) == []


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Karma was updated to 8.2 and forgets them. Press Learn.", "Karma 8.2"),
        (
            "Press Learn. The app must be version 4.2 or newer for ChromeOS.",
            "The app must be version 4.2 or newer for ChromeOS",
        ),
        ("Press Merge. It can't be undone for a period that is closed.", "For a period that is closed"),
        ("On the large model, open the flap.", "On the large model"),
    ],
)
def test_a_limit_of_the_whole_answer_is_a_condition(text: str, condition: str) -> None:
    assert conditions_in([], [text]) == [condition]


def test_a_limit_before_the_first_step_stays_with_it() -> None:
    assert steps_in("On the 2022 model, the magnet is in the jug. Clean it with vinegar.") == [
        "On the 2022 model, the magnet is in the jug. Clean it with vinegar."
    ]


def test_a_condition_may_be_behind_the_order_of_an_item() -> None:
    answer = "1. Stop the service.\n2. Delete the file.\nThis only works with a version before 2022."
    assert conditions_in([], [answer]) == ["Only works with a version before 2022"]


def test_how_a_customer_can_be_reached_is_no_condition() -> None:
    assert conditions_in(["You can reach me by phone if the chat drops."], []) == []


@pytest.mark.parametrize(
    "answer",
    [
        "It only finds 5 GHz networks, so please choose the 5 GHz one if your router offers both. Restart it.",
        "Press Reset. Also check that the sign is a minus if your site is in the west.",
        "Without an antenna you need the RF9 adapter:\n- Plug in the RF9.\n- Switch it to AUX.",
        "You need the RF9 adapter for that. Then buy the RF9 and plug it in.",
    ],
)
def test_what_a_step_limits_or_obtains_is_no_condition(answer: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: {answer}", metadata={}).conditions == ()


_THEN = "Agent: Open the menu and press Reset for 5 seconds.\nCustomer: Works, thanks!\n"


def _limits_of(*said: str) -> tuple[str, ...]:
    turns = "".join(f"{('Customer', 'Agent')[at % 2]}: {text}\n" for at, text in enumerate(said))
    return extract(turns + _THEN, metadata={}).conditions


@pytest.mark.parametrize(
    "told",
    [
        "The upload bar stays at 0. Also in Safari.",
        "The upload bar stays at 0 in Chrome and in Safari.",
        "The upload bar stays at 0 in Chrome. Tried Firefox as well.",
        "The upload bar stays at 0. I tried it in a private window, also in Edge, it is the same.",
        "It happens in every browser, Chrome, Firefox and Edge.",
    ],
)
def test_a_place_where_it_is_the_same_is_no_limit(told: str) -> None:
    assert _limits_of(told) == ()


@pytest.mark.parametrize(
    "told", ["The upload bar stays at 0 in Firefox only.", "I use Firefox. It hangs in Firefox at 0."]
)
def test_a_single_browser_is_a_limit(told: str) -> None:
    assert _limits_of(told) == ("Firefox",)


@pytest.mark.parametrize(
    ("question", "reply", "limit"),
    [
        ("Which model do you ride?", "Trail Runner 3, bought in May", "Trail Runner 3"),
        ("Which model is it, please?", "it's the Kilo S2, I think", "Kilo S2"),
        ("ok, is it a mac or windows?", "mac, sequoia", "macOS Sequoia"),
        ("Is it an iPhone or an Android phone?", "android", "Android"),
        ("Which firmware is on the switches, and is the cable ok?", "fw 2.1.4 on both.", "Firmware 2.1.4"),
        ("Which browser do you use?", "chrome 120", "Chrome 120"),
    ],
)
def test_an_answer_to_a_question_for_the_model_is_a_limit(question: str, reply: str, limit: str) -> None:
    assert _limits_of("The picture is green.", question, reply) == (limit,)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Which model is it?", "I don't know"),
        ("Which browser is it?", "Edge. Chrome too"),
        ("When did you buy it?", "May 2024"),
        ("Which model is it?", "I would have to look it up at home, sorry"),
    ],
)
def test_other_answers_are_no_limits(question: str, reply: str) -> None:
    assert _limits_of("The picture is green.", question, reply) == ()


def test_of_an_environment_the_product_counts_and_what_the_answer_names() -> None:
    told = "The parser drops the year.\n\n```\ngridlib 5.2.0\nPython 3.12\nUbuntu 22.04\n```"
    assert _limits_of(told) == ("gridlib 5.2.0",)
    turns = f"Customer: {told}\nAgent: Its locale module differs in Python 3.12. Set `eager=True`.\nCustomer: Works!\n"
    assert set(extract(turns, metadata={}).conditions) == {"gridlib 5.2.0", "Python 3.12"}


@pytest.mark.parametrize(
    ("event", "condition"),
    [
        ("we got a new modem on Tuesday", "Since we got a new modem"),
        ("we merged two teams last spring", "Since we merged two teams"),
        ("the tablet was upgraded two weeks ago", "Since the tablet was upgraded"),
        ("the upgrade to 15.3", "Since the upgrade to 15.3"),
    ],
)
def test_an_event_has_no_date(event: str, condition: str) -> None:
    skill = extract(f"Customer: The scanner is silent since {event}.\nAgent: Restart it.", metadata={})
    assert condition in skill.conditions


@pytest.mark.parametrize(
    ("needed", "conditions"),
    [
        ("A third one requires Premium.", ()),
        ("For more than five people you need the Team plan.", ()),
        ("More than one needs Plus.", ()),
        ("This needs the Team plan.", ("This needs the Team plan",)),
    ],
)
def test_what_an_extra_needs_is_no_condition(needed: str, conditions: tuple[str, ...]) -> None:
    talk = f"Customer: How do I share the list?\nAgent: Open Share and add the address. {needed}\nCustomer: works, thank you"
    assert extract(talk, metadata={}).conditions == conditions


@pytest.mark.parametrize(
    ("question", "reply", "limits"),
    [
        ("What phone do you have?", "a pixel, 7a i believe. android 13", {"Pixel 7a", "Android 13"}),
        ("Which phone is it on?", "A Nokia G22 with Android 12", {"Nokia G22", "Android 12"}),
        ("Which phone?", "motorola edge 40, probably", {"Motorola Edge 40"}),
        ("Which router?", "an old one, 5 years or so", set[str]()),
        ("Which watch is it?", "its the 2", set[str]()),
    ],
)
def test_a_model_may_be_told_in_lower_case_and_with_its_system(question: str, reply: str, limits: set[str]) -> None:
    assert set(_limits_of("The picture is green.", question, reply)) == limits


@pytest.mark.parametrize("who", ["none of our machines", "some of the plugs", "most of my red lamps"])
def test_a_circumstance_ends_before_a_part_of_things(who: str) -> None:
    problem = f"After updating the NAS from 7.1 to 7.2 {who} can open the shares."
    told = f"Customer: {problem}\nAgent: Restart it.\nCustomer: Works, thanks!"
    assert extract(told, metadata={}).conditions == ("After updating the NAS from 7.1 to 7.2",)
