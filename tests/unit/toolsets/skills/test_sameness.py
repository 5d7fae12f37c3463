"""Steps that differ, and steps that contradict each other."""

import pytest

from toolsets.skills.sameness import contradict, differ

CONTRADICTORY = [
    ("Do not clean the print head with alcohol.", "Clean the print head with alcohol."),
    ("Insert the paper so that the printed side faces down.", "Insert the paper with the printed side facing up."),
    ("Never restart the server during a backup.", "Restart the server during a backup."),
    ("Set the switch to on.", "Set the switch to off."),
    ("Disable the firewall.", "Enable the firewall."),
    ("Turn the screw clockwise.", "Turn the screw counterclockwise."),
    ("Use a dry cloth.", "Use a damp cloth."),
    ("Don't delete the cache folder, it holds your licences.", "Delete the cache folder."),
    ("Mount the bracket with the arrow pointing upwards.", "Mount the bracket with the arrow pointing down."),
    ("Raise the timeout.", "Lower the timeout."),
    ("Avoid rebooting the router.", "Do not update. Reboot the router, then wait."),
    ("Install the update before the reboot.", "Install the update after the reboot."),
    ("Keep the old driver.", "Remove the old driver."),
    ("Turn off fast startup in the power options.", "Turn on fast startup in the power options."),
    ("Don't use the USB hub.", "Use the USB hub."),
    ("Never use the USB hub.", "Always use the USB hub."),
    ("Do not descale it with vinegar.", "Fill the tank and descale it with vinegar."),
]


COMPATIBLE = [
    ("Open the lid.", "Close the lid."),
    ("Unplug the printer.", "Plug the printer in again."),
    ("Clean the print head with water.", "Do not clean the print head with alcohol."),
    ("Turn off the router.", "Turn on the computer."),
    ("Remove the old gasket.", "Insert the new gasket."),
    ("If it is the 2024 model, turn on the saver.", "Turn off the saver."),
    ("Restart the router.", "Do not restart the computer."),
    ("Press the left button.", "Press the button on the right side of the lid for ten seconds and wait."),
    ("Delete the file.", "Do not forget the second file."),
    ("Click Save.", "Don't click Cancel."),
    ("Do not open the cover of the receiver.", "Press the button on the receiver."),
    ("Raise the seat.", "Lower the temperature."),
    ("Write down the address.", "Look up the address."),
    ("Go to the first page.", "Go to the last chapter of the manual and read it."),
    ("Run `apt update`.", "Don't run `apt upgrade`."),
    ("Log in without a password.", "Log in to the admin page and change the theme."),
    ("Install the driver.", "Uninstall the old driver."),
    ("Do not switch the machine off.", "Wait until the machine switches off."),
    ("Wait for two minutes.", "Do not wait for more than ten minutes."),
    ("Download the file.", "Upload the file."),
    ("Do not turn the router off.", "Turn the router on."),
]


def test_opposites_negations_and_other_figures_differ() -> None:
    assert differ("Turn it on", "Turn it off")
    assert differ("Delete the file", "Do not delete the file")
    assert differ("Use version 2.1", "Use version 2.2")
    assert differ("Run `rm *.tmp` in the folder", "Run `rm *.bak` in the folder")
    assert differ("Run ls -R in the folder", "Run ls -r in the folder")
    assert differ("Open the file:\nmode = fast", "Open the file:\nmode = safe")
    assert not differ("Run `apt update`", "Run the update")
    assert not differ("Turn it on", "Switch it on")
    assert not differ("Use version 2.1", "Use the newest version")


@pytest.mark.parametrize(("one", "other"), CONTRADICTORY)
def test_steps_that_exclude_each_other_contradict(one: str, other: str) -> None:
    assert contradict(one, other)
    assert contradict(other, one)


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_steps_that_both_may_be_followed_do_not_contradict(one: str, other: str) -> None:
    assert not contradict(one, other)
    assert not contradict(other, one)
