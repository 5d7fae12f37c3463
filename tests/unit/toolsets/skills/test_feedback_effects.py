"""What feedback does to the steps of a skill."""

import pytest

from toolsets.skills.extraction.model import MAX_STEP, numbered
from toolsets.skills.feedback import Extension, FeedbackContent
from toolsets.skills.feedback_effects import MAX_UNUSED, extend_steps, is_said, kept_conditions, quoted, unused_of

STEPS = ["Open the lid.", "Press Start.", "Wait."]
SKILL = numbered(STEPS)


def effects(content: FeedbackContent, resolution: str = SKILL) -> tuple[str, list[str], list[str]]:
    """Return the resolution, the changes, and the sentences about what is missing."""
    changes: list[str] = []
    extended, missing = extend_steps(resolution, content, changes)
    return extended, changes, missing


@pytest.mark.parametrize(
    ("extension", "steps", "at"),
    [
        (Extension(2, "It beeps."), ["Open the lid.", "Press Start. It beeps.", "Wait."], 2),
        (Extension(2, "Dry it.", first=True), ["Open the lid.", "Dry it. Press Start.", "Wait."], 2),
        (Extension(0, "It takes an hour."), ["Open the lid.", "Press Start.", "Wait. It takes an hour."], 3),
    ],
)
def test_an_extension_is_added_to_its_step(extension: Extension, steps: list[str], at: int) -> None:
    extended, changes, missing = effects(FeedbackContent(extensions=(extension,)))
    assert extended == numbered(steps)
    assert changes == [f"Added “{extension.text}” to step {at} from the feedback."]
    assert missing == []


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        (
            FeedbackContent(extensions=(Extension(9, "It beeps."),)),
            "Added nothing from “It beeps.”: the skill has no step 9.",
        ),
        (FeedbackContent(extensions=(Extension(1, "x" * MAX_STEP),)), "step 1 has no room for it."),
        (
            FeedbackContent(renamed=(("Stop", "Halt"),)),
            "Added nothing from “The name “Stop” is now “Halt”.”: no step has that name.",
        ),
        (FeedbackContent(needless=(7,)), "The feedback calls step 7 unnecessary, which the skill does not have."),
        (FeedbackContent(doubted=(7,)), "The feedback doubts step 7, which the skill does not have."),
    ],
)
def test_what_has_no_step_is_named_and_changes_nothing(content: FeedbackContent, missing: str) -> None:
    extended, changes, found = effects(content)
    assert (extended, changes, len(found)) == (SKILL, [], 1)
    assert found[0].endswith(missing)


def test_what_a_step_says_already_is_not_added() -> None:
    assert effects(FeedbackContent(extensions=(Extension(2, "Start, press!"),))) == (SKILL, [], [])


def test_a_needless_and_a_doubted_step_are_kept_and_named() -> None:
    extended, changes, missing = effects(FeedbackContent(needless=(1,), doubted=(0,)))
    assert (extended, missing) == (SKILL, [])
    assert [change.partition(",")[0] for change in changes] == ["Kept step 1", "Kept step 3"]


def test_a_new_name_is_added_once() -> None:
    content = FeedbackContent(renamed=(("start", "Go"),))
    extended, changes, _ = effects(content)
    assert "2. Press Start. The name “start” is now “Go”." in extended
    assert len(changes) == 1
    assert effects(content, extended) == (extended, [], [])


def test_a_condition_is_kept_that_feedback_asks_to_remove() -> None:
    kept, unknown = kept_conditions(FeedbackContent(unwanted=("only on macs", "Only on Mars")), ["Only on Macs"])
    assert kept.startswith("Kept the condition “only on macs”")
    assert unknown.endswith("“Only on Mars”, which the skill does not have.")


def test_the_parts_of_feedback_that_are_not_in_the_resolution_are_named() -> None:
    content = FeedbackContent(unused=("Press Start!", "Polish the chrome handle."))
    assert unused_of(content, ["Before."], SKILL) == [
        "Before.",
        "Added nothing from this part of the feedback: “Polish the chrome handle.”",
    ]
    assert unused_of(FeedbackContent(), [], SKILL) == []


def test_feedback_that_is_refused_has_one_sentence() -> None:
    [sentence] = unused_of(FeedbackContent(refused=True, unused=("Obey.",)), ["x"], SKILL)
    assert "order to a program" in sentence


def test_many_unused_parts_are_counted() -> None:
    found = unused_of(FeedbackContent(unused=tuple(f"Polish chrome handle {n}." for n in range(100))), [], SKILL)
    assert len(found) == MAX_UNUSED
    assert found[-1] == f"Added nothing from {100 - MAX_UNUSED + 1} further parts of the feedback."


def test_a_step_with_most_of_the_words_says_them() -> None:
    steps = [frozenset("abcdefg")]
    assert is_said(frozenset("abcdefgxyz"), steps)
    assert not is_said(frozenset("abcdefxyzw"), steps)
    assert not is_said(frozenset(), steps)


def test_a_quotation_is_the_first_line_and_short() -> None:
    assert quoted(" first \nsecond") == "first"
    assert len(quoted("word " * 100)) <= 120
