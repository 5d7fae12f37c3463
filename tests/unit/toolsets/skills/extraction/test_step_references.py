import pytest

from toolsets.skills.extraction.dialogue import follow
from toolsets.skills.extraction.steps import steps_in
from toolsets.skills.transcript import Transcript, Turn

_LIST = "1. Unplug the cooler.\n2. Remove the grille. It is heavy.\n3. Clean the fan."


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Wait an hour before step 2.", "Wait an hour before step “Remove the grille”."),
        ("Repeat steps 2 and 3.", "Repeat steps “Remove the grille” and “Clean the fan”."),
        ("Use a brush in step no. 3.", "Use a brush in step “Clean the fan”."),
        ("Step 3 takes an hour.", "Clean the fan. The step “Clean the fan” takes an hour."),
        ("Follow step 2 of the manual.", "Follow step 2 of the manual."),
        ("Run `step 2` again.", "Run `step 2` again."),
        ("Go to step 7.", "Go to step 7."),
    ],
)
def test_the_words_of_a_step_take_the_place_of_its_number(text: str, last: str) -> None:
    assert steps_in(f"First open the box.\n{_LIST}\n\n{text}")[-1] == last


def test_a_number_belongs_to_the_list_before_it() -> None:
    assert steps_in("1. Open A.\n2. Close A.\n\nRepeat step 1.\n\n1. Open B.\n2. Close B.\n\nRepeat step 1.") == [
        "Open A.",
        "Close A.",
        "Repeat step “Open A”.",
        "Open B.",
        "Close B.",
        "Repeat step “Open B”.",
    ]


def test_letters_are_marks_too() -> None:
    assert steps_in("a) Open it.\nb) Press TARE.\nc) Repeat step b if it blinks.")[-1] == (
        "Repeat step “Press TARE” if it blinks."
    )


def test_a_number_may_be_of_the_answer_before() -> None:
    turns = (
        Turn("customer", "The cooler shows E9."),
        Turn("agent", _LIST),
        Turn("customer", "It is hot."),
        Turn("agent", "Wait an hour before step 2."),
        Turn("customer", "It works, thanks."),
    )
    assert follow(Transcript(turns), confirmed=False).steps[-1] == "Wait an hour before step “Remove the grille”."


@pytest.mark.parametrize(
    "before",
    ["It has to be freed from behind:", "The filter is a part that has to be replaced.", "Then please calibrate:"],
)
def test_an_introduction_is_no_step(before: str) -> None:
    steps = steps_in(f"{before}\n{_LIST}")
    assert len(steps) == 3
    assert steps[0].endswith("Unplug the cooler.")


def test_an_instruction_before_a_list_is_a_step() -> None:
    assert steps_in(f"Turn off the heating first. Then:\n{_LIST}")[:2] == [
        "Turn off the heating first.",
        "Unplug the cooler.",
    ]
