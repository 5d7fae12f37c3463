import pytest

from toolsets.skills.extraction.steps import steps_in


@pytest.mark.parametrize(
    "text",
    [
        "What I'd like you to do is swap the two fuses.",
        "The thing I'd do is swap the two fuses.",
        "What you do now is swap the two fuses.",
        "The only thing left to do is swap the two fuses.",
        "What has worked for other customers is swapping the two fuses.",
        "All it takes is swapping the two fuses.",
        "Your best bet is to swap the two fuses.",
        "The way we solve this is by swapping the two fuses.",
        "Would you mind swapping the two fuses?",
        "Perhaps you'd be so kind as to swap the two fuses.",
        "May I ask you to swap the two fuses for me?",
        "We'd like you to swap the two fuses, please.",
        "Would it be possible for you to swap the two fuses?",
        "It's best to swap the two fuses.",
        "It would be great if you could swap the two fuses.",
        "I would swap the two fuses.",
        "If it were my machine, I'd swap the two fuses.",
        "I'd start by swapping the two fuses.",
        "You'd better swap the two fuses.",
        "You might as well swap the two fuses.",
        "I'm afraid you'll have to swap the two fuses.",
        "Feel free to swap the two fuses.",
        "Then you swap the two fuses.",
        "In the end you simply swap the two fuses.",
        "Swapping the two fuses usually cures it.",
        "If you swap the two fuses, the noise goes away.",
    ],
)
def test_the_words_around_an_instruction_are_left_out(text: str) -> None:
    assert steps_in(text) == ["Swap the two fuses."]


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("For this model you press both keys.", "For this model, press both keys."),
        ("Ah, for the older ones put them in the box.", "For the older ones, put them in the box."),
        ("For the older model swap the two fuses.", "For the older model, swap the two fuses."),
        ("On the laptop turn off the wifi.", "On the laptop, turn off the wifi."),
        ("With the key pull out the tray.", "With the key, pull out the tray."),
        ("In the app swipe up on the list.", "In the app, swipe up on the list."),
        ("At the back push in both levers.", "At the back, push in both levers."),
        ("For all users back up the files.", "For all users, back up the files."),
        ("On the old phone log out of the app.", "On the old phone, log out of the app."),
        ("On the laptop switch off wifi and wait.", "On the laptop, switch off wifi and wait."),
        ("On the big start up screen choose the mode.", "On the big start up screen, choose the mode."),
    ],
)
def test_an_instruction_keeps_what_it_is_for(text: str, step: str) -> None:
    assert steps_in(text) == [step]


@pytest.mark.parametrize(
    "text",
    [
        "I would think that the lid is warped.",
        "On the first start up the app asks for a name.",
        "In the app the menu is on the left.",
        "In the app log the entries are empty.",
        "I'd say it is an older unit.",
        "I would love to help.",
        "I'd send you a new one.",
        "I would check that with my colleagues.",
        "What I'd like to do is check your account.",
        "What it does is move the belt to the left.",
        "What bothers me is losing the time.",
        "What usually happens is that the seal dries out.",
        "It's best known for its quiet motor.",
        "It would be a shame if you gave up.",
        "For this one you have a warranty.",
        "With this plan you get free repairs.",
        "For this type press releases are online.",
        "In the end you decide.",
        "Turning it takes force.",
        "Cleaning it does not help.",
        "Restarting it only helps for a day.",
        "Knowing the model would help.",
        "Is there a way to restart it?",
        "The way to open it has changed.",
        "Some people tell you to reformat.",
        "I need you to be patient.",
    ],
)
def test_what_a_helper_thinks_has_or_explains_is_no_step(text: str) -> None:
    assert steps_in(text) == []
