"""Answers in a form that name nothing."""

import pytest

from toolsets.skills.form_answers import after_empty_answer, names_nothing, without_empty_answers


@pytest.mark.parametrize(
    ("feedback", "left"),
    [
        ("Missing step: none", ""),
        ("Corrections: n/a. It works.", "It works."),
        ("It works.\nMissing step: -\nRestart it.", "It works.\n \nRestart it."),
        ("Missing step: none of the cables fits", "Missing step: none of the cables fits"),
        ("Missing step: restart it", "Missing step: restart it"),
        ("", ""),
    ],
)
def test_a_question_whose_answer_is_nothing_is_left_out(feedback: str, left: str) -> None:
    assert without_empty_answers(feedback).strip() == left


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("Missing step: none", ""),
        ("Missing step: none, restart it", "restart it"),
        ("none", ""),
        ("none of them", "none of them"),
        ("Restart it", "Restart it"),
    ],
)
def test_a_sentence_loses_such_an_answer_at_its_beginning(sentence: str, left: str) -> None:
    assert after_empty_answer(sentence) == left


@pytest.mark.parametrize(
    "answer",
    ["", "-", "none", "n/a", "[describe the step]", "I don't know", "TBD", "all good", "nothing comes to mind."],
)
def test_an_answer_names_nothing(answer: str) -> None:
    assert names_nothing(answer)


@pytest.mark.parametrize(
    "answer", ["restart it", "none of the cables fits, so buy one", "open [File] first", "good light is needed"]
)
def test_an_answer_names_a_step(answer: str) -> None:
    assert not names_nothing(answer)
