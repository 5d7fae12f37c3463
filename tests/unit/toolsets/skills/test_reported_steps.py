"""Steps that feedback reports: wrong for some only, harmful, or needed besides."""

import pytest

from toolsets.skills.confidence import judge
from toolsets.skills.feedback import Addition, read_feedback


@pytest.mark.parametrize(
    ("feedback", "step"),
    [
        (
            "Step 2 is wrong for bikes from 2023 on, there the holder is plastic. Use the 3 mm spacer instead.",
            "For bikes from 2023 on, use the 3 mm spacer instead: there the holder is plastic.",
        ),
        ("Step 2 does not apply to tablets. Swipe up instead.", "For tablets, swipe up instead."),
        ("Step 2 is outdated for the pro plan: open Admin instead.", "For the pro plan, open Admin instead."),
    ],
)
def test_a_step_may_be_wrong_for_some_only(feedback: str, step: str) -> None:
    """What is right for them follows the step, and the skill is not blamed."""
    content = read_feedback(feedback)
    assert content.additions == (Addition(step, number=2),)
    assert not content.unused
    assert judge(feedback) == "neutral"


@pytest.mark.parametrize(
    ("feedback", "step"),
    [
        ("I closed the tap first, then it worked", "Close the tap."),
        ("We also cleaned the sieve, and after that everything works.", "Clean the sieve."),
        ("Worked after I also replaced the seal", "Replace the seal."),
        ("It only worked once I had closed the tap", "Close the tap."),
    ],
)
def test_what_somebody_did_besides_is_a_step_without_its_success(feedback: str, step: str) -> None:
    content = read_feedback(feedback)
    assert [addition.step for addition in content.additions] == [step]
    assert not content.unused


@pytest.mark.parametrize("feedback", ["Worked after I followed the steps", "It works, I was happy first"])
def test_a_success_without_another_deed_adds_no_step(feedback: str) -> None:
    assert not read_feedback(feedback).additions


def test_a_step_that_is_wrong_for_some_without_a_remedy_is_quoted() -> None:
    content = read_feedback("Step 2 is wrong for bikes from 2023 on. The holder is plastic.")
    assert not content.additions
    assert content.unused == ("Step 2 is wrong for bikes from 2023 on.", "The holder is plastic.")


@pytest.mark.parametrize(
    ("feedback", "needless", "doubted"),
    [
        ("Please remove step 4, it breaks the sync.", (4,), ()),
        ("drop step 3", (3,), ()),
        ("Step 2 ruined my sheet, please drop it.", (2,), ()),
        ("Step 1 crashed my phone.", (), (1,)),
        ("Worked great but the second step made it worse.", (), (2,)),
        ("The last step is dangerous.", (), (0,)),
    ],
)
def test_a_step_may_do_harm(feedback: str, needless: tuple[int, ...], doubted: tuple[int, ...]) -> None:
    content = read_feedback(feedback)
    assert (content.needless, content.doubted) == (needless, doubted)
    assert not content.additions
    assert judge(feedback) in {"neutral", "negative"}


@pytest.mark.parametrize(
    ("feedback", "step"),
    [
        ("worked, but only after I also rebooted the hub", "Reboot the hub."),
        ("It worked, though I needed to enable pop-ups in my browser first.", "Enable pop-ups in your browser."),
        ("Fine, except that I had to restart the service as well.", "Restart the service."),
        ("You forgot to say that the lid has to be closed.", "The lid has to be closed."),
        ("It forgot to tell people to unplug it.", "Unplug it."),
    ],
)
def test_what_had_to_be_done_besides_is_a_step(feedback: str, step: str) -> None:
    assert [addition.step for addition in read_feedback(feedback).additions] == [step]


@pytest.mark.parametrize(
    "feedback", ["Worked, but I had to call twice.", "Step 1 did nothing, step 2 fixed it.", "I also have a dog."]
)
def test_what_else_people_report_is_no_step(feedback: str) -> None:
    content = read_feedback(feedback)
    assert not content.additions
    assert not content.doubted
