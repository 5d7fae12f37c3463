"""What a customer found himself is learned as steps, with its commands."""

import pytest

from toolsets.skills.extraction import NothingToLearn
from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.own_solutions import own_solution


def learned(reply: str) -> str:
    told = f"Customer: The nightly backup does not start.\nAgent: Restart cron.\nCustomer: {reply}"
    return extract(told, metadata={}).resolution


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("No luck. Got it - the file had odd line ends. I ran dos2unix on it, now it runs.", "Run dos2unix on it."),
        ("Refused again. Never mind, I found it: one has to log out first.", "Log out first."),
        (
            "Solved it myself: turned off the saver under Battery, that did it.",
            "Turn off the saver under Battery.",
        ),
        (
            "I turned off power saving in Settings > Battery, that fixed it.",
            "Turn off power saving in Settings > Battery.",
        ),
        ("Nope. Solved it in the meantime: I had to renew the token. All good now.", "Renew the token."),
        ("never mind, fixed: the disk was full, deleted the old logs.", "Delete the old logs."),
        ("Figured it out. There was a stale lock, I removed /var/lock/b and it started.", "Remove /var/lock/b."),
        (
            "No change. Fixed it. On the NAS I opened port 20 and restarted nfsd.",
            "On the NAS, open port 20 and restart nfsd.",
        ),
        (
            "No effect. Problem solved. In a.conf we added `b c;` and reloaded it.",
            "In a.conf, add `b c;` and reload it.",
        ),
        ("No luck. I found out why: too much water. I drained it. It works again.", "Too much water. Drain it."),
        ("Found it. The key was old. I replaced it, now it works.", "The key was old. Replace it."),
    ],
)
def test_deeds_become_instructions(reply: str, step: str) -> None:
    assert learned(reply) == step


@pytest.mark.parametrize(
    "below", ["\n```\nrm -r /b\nsystemctl restart b\n```\n", "\n\n    rm -r /b\n    systemctl restart b\n\n"]
)
def test_the_commands_below_a_deed_are_kept(below: str) -> None:
    told = learned(f"Same. Found it myself! I emptied the folder and restarted the job:{below}Now it runs, thanks.")
    assert told == "Empty the folder and restart the job:\nrm -r /b\nsystemctl restart b"


def test_a_line_below_a_command_is_one_too() -> None:
    told = own_solution(
        'Solved it: I ran this:\n\ncurl -O https://a.example/k\necho "a b" | tee /etc/k\nsudo apt update\nNow it works.'
    )
    assert told == ['Run this:\ncurl -O https://a.example/k\necho "a b" | tee /etc/k\nsudo apt update']


def test_what_cannot_be_reworded_stays_in_the_words_of_the_customer() -> None:
    told = learned("No luck. Solved it. I copied the file while we were offline. Works now.")
    assert told == "I copied the file while we were offline."


@pytest.mark.parametrize(
    "reply",
    [
        "Got it, thanks. I will try it tomorrow.",
        "Found it, the serial number is X200.",
        "I found the problem: I pulled the plug. What now?",
        "Found it. I pressed Save, but it still fails.",
        "I have not solved it. I changed the cable.",
    ],
)
def test_an_announcement_without_a_solution_is_none(reply: str) -> None:
    assert own_solution(reply) == []


def test_a_solution_that_failed_teaches_nothing() -> None:
    with pytest.raises(NothingToLearn):
        learned("No luck. I solved it: I changed the cable. Edit: it is back again.")


@pytest.mark.parametrize(
    "reply",
    [
        "Found it. Let me check.",
        "Found it, let me do that.",
        "Found it. Give me a second.",
        "Found it. Now I'm pressing it.",
        "Got it: I'll be back in five.",
        "Found it! It is behind the cover.",
    ],
)
def test_what_a_customer_is_going_to_do_has_solved_nothing(reply: str) -> None:
    assert learned(f"{reply}\nCustomer: Yes!! It runs now. Thank you") == "Restart cron."


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("Solved! I took off the cover and it works.", "Take off the cover."),
        (
            "Got it working by switching the remote to SSH and restarting it.",
            "Switch the remote to SSH and restart it.",
        ),
        ("Edit: managed to fix it: swapped the two cables at the meter.", "Swap the two cables at the meter."),
        ("Update: solved. Turned out the valve was off; turned it on again.", "The valve was off. Turn it on again."),
        (
            "Turns out that the breaker had tripped, I switched it back on. Works.",
            "The breaker had tripped. Switch it back on.",
        ),
        ("ok I am stupid, the lock was on. took it off, works.", "The lock was on. Take it off."),
        (
            "Found it! Someone had closed the valve. Opened it again. Works now.",
            "Someone had closed the valve. Open it again.",
        ),
        ("my neighbour told me to press both keys for 5 s, and that did the trick", "Press both keys for 5 s."),
        ("It works now! My brother said I should unscrew the lid.", "Unscrew the lid."),
        (
            "Found the culprit: the screw was loose. Tightened it, it heats to 90 now",
            "The screw was loose. Tighten it.",
        ),
    ],
)
def test_the_subject_and_the_announcement_may_be_missing(reply: str, step: str) -> None:
    assert (
        learned(f"It did not help.\nAgent: I will ask a colleague.\nCustomer: {reply}\nAgent: Great, thanks!") == step
    )


def confirmed(*replies: str) -> str:
    """Return the resolution of a conversation that the caller confirms."""
    told = "\n".join(("Customer: The lamp is dark.", *replies))
    return extract(told, resolution_confirmed=True, metadata={}).resolution


def test_what_the_customer_did_last_is_the_solution_if_the_caller_confirms_one() -> None:
    told = "Customer: Never mind. Plugged the charger into another socket and it charges."
    failed = ("Agent: Change the fuse.", "Customer: Still dark.")
    assert confirmed(*failed, "Agent: I will ask.", told) == "Plug the charger into another socket."


@pytest.mark.parametrize(
    "reply",
    ["I took it off but cannot see anything.", "I did what you said.", "Took it off, no change.", "I called them."],
)
def test_what_solved_nothing_is_not_learned(reply: str) -> None:
    with pytest.raises(NothingToLearn):
        confirmed("Agent: I will ask.", f"Customer: {reply}")


def test_a_helper_that_instructs_afterwards_has_the_solution() -> None:
    told = confirmed(
        "Agent: Is it on?", "Customer: I turned it on and it blinks.", "Agent: Replace the bulb.", "Customer: ok"
    )
    assert told == "Replace the bulb."


def test_an_explanation_that_the_customer_follows_stays() -> None:
    told = "Customer: It blinks.\nAgent: That is the filter, it must be dry.\nCustomer: I dried it and it is green now."
    assert extract(told, metadata={}).resolution == "That is the filter, it must be dry."


@pytest.mark.parametrize(
    ("told", "reply"),
    [
        (
            "Log in to your router and switch on the 2.4 GHz band.",
            "found it, 2.4 was off! turned it on and the radio sees it now",
        ),
        ("Switch off the reminder in the clock menu.", "Got it! It was on. Turned it off and it is quiet now, thanks"),
        (
            "Enable guest access in the settings.",
            "Found it: the box for guest access was unticked. Ticked it, it works now.",
        ),
        (
            "Set the paper size to A4 in the tray menu.",
            "Found it, it was set to Letter. Changed it to A4 and it prints now!",
        ),
        ("Open the tap under the sink.", "Found it, turned it like you said. Works now, thanks!"),
    ],
)
def test_a_customer_who_only_follows_an_instruction_has_no_solution_of_his_own(told: str, reply: str) -> None:
    asked = f"Customer: The radio is lost.\nAgent: {told}\nCustomer: where do i find that?\nAgent: On the left."
    assert extract(f"{asked}\nCustomer: {reply}", metadata={}).resolution == told


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("Found it: the fuse was off. Turned it on and it works now.", "The fuse was off. Turn it on."),
        ("Found it, the band was on! Turned it off and it works now.", "The band was on! Turn it off."),
        ("Found it, I had to delete the band. It works now.", "Delete the band."),
    ],
)
def test_another_thing_or_another_deed_is_a_solution_of_his_own(reply: str, step: str) -> None:
    told = f"Customer: The radio is lost.\nAgent: Switch on the band.\nCustomer: {reply}"
    assert extract(told, metadata={}).resolution == step


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        (
            "Found it myself. What I did:\n1. Update Manager > View > Kernels > install 6.5\n2. rebooted",
            "1. Update Manager > View > Kernels > install 6.5.\n2. Reboot.",
        ),
        (
            "Found it myself: Update Manager > View > install 6.5, reboot, works.",
            "Update Manager > View > install 6.5, reboot.",
        ),
        (
            "Solved: Tools > Options > tick Keep aspect and restart, now it prints right.",
            "Tools > Options > tick Keep aspect and restart.",
        ),
        ("Found it: Display > Rate was at 75 Hz, 60 Hz works.", "Display > Rate was at 75 Hz, 60 Hz works."),
        (
            "found it\nCustomer: In the boiler menu under Times the old plan was active. I chose the new plan and now it starts",
            "In the boiler menu under Times the old plan was active. Choose the new plan.",
        ),
        (
            "Found it myself. What I did:\n1. updated the dock with fwupdmgr:\n\nCode:\nfwupdmgr refresh\n\nWorks now.",
            "Update the dock with fwupdmgr:\nfwupdmgr refresh",
        ),
    ],
)
def test_menus_places_and_short_items_are_kept(reply: str, steps: str) -> None:
    assert learned(f"No change. {reply}") == steps
