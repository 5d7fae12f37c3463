"""The wording of sentences as instructions."""

import pytest

from tests.unit.toolsets.skills.samples import learned
from toolsets.skills.extraction import NothingToLearn
from toolsets.skills.extraction.instructions import as_sentence, instruction_in
from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.steps import steps_in


def resolution_of(answer: str) -> str:
    text = f"Customer: How do I clean up the template?\nAgent: {answer}\nCustomer: That worked, thanks!"
    return extract(text, metadata={}).resolution


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        ("You can clear the cache under Settings.", "Clear the cache under Settings."),
        ("Could you please restart the router?", "Restart the router."),
        ("Have you tried reinstalling the driver?", "Reinstall the driver."),
        (
            "I'd suggest disabling the firewall and restarting the service.",
            "Disable the firewall and restart the service.",
        ),
        ("The solution is to move the folder.", "Move the folder."),
        ("If you use Outlook, you need to remove the add-in.", "If you use Outlook, remove the add-in."),
        ("You should not delete the file.", "Do not delete the file."),
        ("We've just re-enabled your account.", "Support has re-enabled the customer's account."),
        ("Make sure the cable is plugged in.", "Make sure the cable is plugged in."),
        ("The log level can be changed in logging.conf.", "The log level can be changed in logging.conf."),
        ("Restarting the spooler fixed it.", "Restart the spooler."),
        ("**Open** [Settings](https://example.com/s) now.", "Open Settings (https://example.com/s) now."),
    ],
)
def test_steps_are_worded_as_instructions(answer: str, step: str) -> None:
    assert extract(f"Customer: It fails.\nAgent: {answer}", metadata={}).resolution == step


@pytest.mark.parametrize(
    "refusal",
    [
        "We cannot do that.",
        "That is not supported.",
        "Unfortunately this is not possible with the free plan.",
        "I'm afraid we don't offer that.",
        "No, that can't be changed.",
        "We are not able to reset it for you.",
    ],
)
def test_a_refusal_is_no_step(refusal: str) -> None:
    asked = f"Customer: How do I merge two accounts?\nAgent: {refusal}"
    with pytest.raises(NothingToLearn):
        extract(asked, metadata={})
    answered = f"{asked}\nCustomer: And by hand?\nAgent: Export the data of one account.\nCustomer: That worked."
    assert extract(answered, metadata={}).resolution == "Export the data of one account."


def test_a_refusal_with_a_reason_is_an_explanation() -> None:
    said = "It cannot be opened because it was saved by a newer version."
    assert extract(f"Customer: Why does the file not open?\nAgent: {said}", metadata={}).resolution == said


@pytest.mark.parametrize(
    "told",
    ["Give it a name and press Save.", "Give the user read access to the folder.", "Give `sudo apt update` a try."],
)
def test_to_give_a_thing_something_is_a_step(told: str) -> None:
    assert resolution_of(told) == told


def test_to_give_details_is_asked_of_the_customer() -> None:
    assert resolution_of("Give the exact error message. Then restart it.") == "Restart it."


def test_code_in_a_reworded_sentence_is_kept() -> None:
    assert resolution_of("Try running `foo and testing` and restarting it.") == "Run `foo and testing` and restart it."
    assert resolution_of("We've set `your.name` in your account.") == (
        "Support has set `your.name` in the customer's account."
    )


@pytest.mark.parametrize(
    ("told", "step"),
    [
        ("My advice: grease the hinge.", "Grease the hinge."),
        ("First things first: grease the hinge.", "Grease the hinge."),
        ("Next up, grease the hinge.", "Grease the hinge."),
        ("It often helps to grease the hinge.", "Grease the hinge."),
        ("We recommend greasing the hinge.", "Grease the hinge."),
        ("Afterwards grease the hinge.", "Grease the hinge."),
        ("With the cover off, unscrew the fan.", "With the cover off, unscrew the fan."),
        ("Under Advanced, untick Cache.", "Under Advanced, untick Cache."),
        (
            "Paste this into the terminal: `/ip dhcp-server enable 0`",
            "Paste this into the terminal: `/ip dhcp-server enable 0`",
        ),
        ("Confirm with Y.", "Confirm with Y."),
    ],
)
def test_a_step_has_any_verb_and_may_follow_an_opening(told: str, step: str) -> None:
    assert resolution_of(told) == step


@pytest.mark.parametrize(
    ("told", "step"),
    [
        ("You may wish to set the value.", "Set the value."),
        ("If all went well, you should now be able to install it.", "If all went well, install it."),
        ("You should carefully check the list.", "Check the list."),
        ("Therefore you can remove the package.", "Remove the package."),
        ("Restart it. If not, enable the feature.", "Restart it.\nIf not, enable the feature."),
        ("If you have two machines, it is useful to set up a cache.", "If you have two machines, set up a cache."),
        ("Otherwise, the key must be entered.", "Otherwise, the key must be entered."),
        ("Otherwise, enter the key.", "Otherwise, enter the key."),
        ("Open it. Note, that it is slow.", "Open it. Note, that it is slow."),
        ("To install it you can just run the script.", "To install it, run the script."),
        ("For this, you simply use the agent.", "For this, use the agent."),
        ("If the limit is e.g. 8 MB, you should raise the value.", "If the limit is e.g. 8 MB, raise the value."),
    ],
)
def test_a_step_is_what_somebody_can_do(told: str, step: str) -> None:
    assert steps_in(told) == step.split("\n")


@pytest.mark.parametrize(
    "told",
    [
        "Let's suppose that you only want stable packages.",
        "Suppose that you only want stable packages.",
        "Let's have a look at its syntax through some cases.",
        "Let us start with a reminder: emulation is slow.",
        "One should keep in mind that it is slow.",
        "You should know the following.",
        "Notice that it is slow.",
    ],
)
def test_what_only_introduces_or_explains_is_no_step(told: str) -> None:
    assert steps_in(f"Open the file. {told}") == [f"Open the file. {told}"]


@pytest.mark.parametrize(
    "told",
    [
        "apt-mark unhold postgresql-13.",
        "update-grub so that both are listed.",
        "crontab -e opens it for a look.",
    ],
)
def test_the_name_of_a_program_gets_no_capital(told: str) -> None:
    assert steps_in(f"Stop it. {told}")[-1].endswith(told)


def test_a_sentence_about_a_program_begins_with_a_capital() -> None:
    assert steps_in("apt installs what is missing.") == []
    assert as_sentence("apt installs what is missing.") == "Apt installs what is missing."


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Don't panic, and don't run `git gc` now.", "Don't run `git gc` now."),
        ("Whatever you do, don't open the cover.", "Don't open the cover."),
        ("No matter what, never pull the plug.", "Never pull the plug."),
        ("Under no circumstances unplug it while it writes.", "Do not unplug it while it writes."),
        ("In no case should you flash the beta.", "Do not flash the beta."),
        ("You must under no circumstances wipe the disk.", "Do not wipe the disk."),
        ("It is a bad idea to run `rm -rf` there.", "Do not run `rm -rf` there."),
        ("Running `rm -rf` there is a bad idea.", "Do not run `rm -rf` there."),
    ],
)
def test_a_warning_keeps_its_negation(text: str, step: str) -> None:
    assert steps_in(f"{text} Press the button.") == [step, "Press the button."]


@pytest.mark.parametrize("text", ["Ignore them.", "Just ignore that!", "Don't listen to them.", "Forget about it."])
def test_what_to_think_of_others_is_no_step(text: str) -> None:
    assert steps_in(f"Some people tell you to reformat. {text} Press the button.") == ["Press the button."]


def test_what_to_ignore_is_a_step_if_it_is_named() -> None:
    assert steps_in("Ignore the warning. If a second one appears, ignore it.") == [
        "Ignore the warning.",
        "If a second one appears, ignore it.",
    ]


@pytest.mark.parametrize(
    "step",
    [
        "In Options > Audio Setup choose Exclusive mode.",
        "Under Tools > Sync clear the cache.",
        "On Windows 11 open Device Manager.",
        "From Settings > About copy the serial number.",
    ],
)
def test_a_place_before_an_instruction_needs_no_comma(step: str) -> None:
    assert steps_in(f"Restart the player.\n- {step}\n- Press Apply.") == ["Restart the player.", step, "Press Apply."]


@pytest.mark.parametrize(
    "said", ["In Berlin support is closed.", "In Word print jobs get stuck.", "In Paris we open the shop at 9."]
)
def test_a_statement_about_a_place_is_no_instruction(said: str) -> None:
    assert steps_in(said) == []


@pytest.mark.parametrize(
    "heading",
    [
        "Do not:",
        "DO NOT:",
        "Don't:",
        "Don’t",
        "Never:",
        "Please don't",
        "Avoid the following:",
        "Never do any of the following:",
        "You must not:",
        "You should never do these things:",
        "What not to do:",
        "Under no circumstances, do not:",
        "It is not recommended to:",
        "These steps must not be taken:",
        "The following is forbidden:",
    ],
)
@pytest.mark.parametrize(
    "below", ["- Overwrite the file.\n- Open the lid.", "1. Overwrite the file.\n2. Open the lid."]
)
def test_what_a_list_forbids_is_no_step(heading: str, below: str) -> None:
    assert steps_in(f"{heading}\n{below}\n\nCopy the file.") == [
        "Do not overwrite the file.",
        "Do not open the lid.",
        "Copy the file.",
    ]


def test_what_a_paragraph_forbids_is_no_step() -> None:
    told = "Do not:\n\nOverwrite the file. It is needed.\n\nRather, do\n\nExecute:\n\ncp file /srv/file"
    assert steps_in(told) == ["Do not overwrite the file. It is needed.", "Execute:\ncp file /srv/file"]
    told = "Don't:\npull the plug\nopen the case\nInstead, press the button."
    assert steps_in(told) == ["Do not pull the plug.", "Do not open the case.", "Press the button."]


@pytest.mark.parametrize(
    "heading",
    [
        "Do not run:",
        "Never type",
        "Under no circumstances run this:",
        "Whatever you do, don't execute these:",
        "Never run any of:",
    ],
)
@pytest.mark.parametrize("code", ["rm -rf /", "rm -rf /\nmkfs.ext4 /dev/sda", "```\nrm -rf /\n```"])
def test_a_forbidden_command_is_kept_with_its_prohibition(heading: str, code: str) -> None:
    forbidden, *rest = steps_in(f"{heading}\n\n{code}\n\nRun this instead:\n\nrm -rf ./cache")
    assert forbidden.rstrip(":").startswith(heading.rstrip(":"))
    assert forbidden.endswith("\n" + code.strip("`\n"))
    assert rest == ["Run this instead:\nrm -rf ./cache"]


@pytest.mark.parametrize(
    ("heading", "below"), [("Do not use:", "bleach"), ("Never mix it with:", "vinegar"), ("Avoid:", "the sun")]
)
def test_forbidden_things_are_kept_with_their_prohibition(heading: str, below: str) -> None:
    assert steps_in(f"{heading}\n- {below}\n- acid\n\nRinse it.") == [f"{heading}\n- {below}\n- acid", "Rinse it."]


@pytest.mark.parametrize(
    "heading",
    [
        "If that does not work, try the following:",
        "Don't forget to:",
        "Never forget the following:",
        "If you do not see it:",
    ],
)
def test_a_negation_that_forbids_nothing_leaves_the_steps_below_it(heading: str) -> None:
    assert steps_in(f"{heading}\n- Open the lid.\n- Press reset.") == ["Open the lid.", "Press reset."]


@pytest.mark.parametrize(
    "hint", ["You can see it in About.", "Open Settings > About to find out.", "Look it up in About."]
)
def test_where_an_answer_is_found_is_no_step(hint: str) -> None:
    text = (
        f"Customer: The frame shows the pictures twice.\nAgent: Which version does it have? {hint}\nCustomer: 3.2\n"
        "Agent: Set the order to Date taken.\nCustomer: Works, thanks!"
    )
    assert extract(text, metadata={}).resolution == "Set the order to Date taken."


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Is the hose kinked?", "Check it behind the machine."),
        ("Which port is it in?", "Check it and move the plug to the blue port."),
    ],
)
def test_a_check_that_may_be_the_solution_is_a_step(asked: str, told: str) -> None:
    assert steps_in(f"{asked} {told}") == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "So that it survives a reboot, add a line to /etc/modules.",
            "So that it survives a reboot, add a line to /etc/modules.",
        ),
        ("So, add a line to /etc/modules.", "add a line to /etc/modules."),
        ("So that is the reason, and it stays so.", None),
        ("So that explains it.", None),
    ],
)
def test_a_purpose_may_begin_with_so_that(text: str, told: str | None) -> None:
    assert instruction_in(text) == told


def test_the_customers_sentence_about_a_command_is_no_step() -> None:
    assert (
        learned("docker ps shows no containers since the update", "Restart the daemon.", "Works, thanks!")
        == "Restart the daemon."
    )
