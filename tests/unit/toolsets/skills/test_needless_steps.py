"""Numbers of steps in feedback."""

import pytest

from toolsets.skills.needless_steps import needless_steps, step_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Step 2 is unnecessary.", [2]),
        ("I think steps 2 and 3 are not needed any more, because it restarts itself", [2, 3]),
        ("Please skip the first step", [1]),
        ("The last step can be left out", [0]),
        ("Step 4 takes an hour, so drop it.", [4]),
        ("Never skip step 4.", []),
        ("Step 2 is unnecessary, restart the server", []),
        ("Is step 2 unnecessary?", []),
        ("Step 2 is hard.", []),
    ],
)
def test_a_sentence_calls_steps_unnecessary(text: str, numbers: list[int]) -> None:
    assert needless_steps(text) == numbers


@pytest.mark.parametrize(
    ("step", "numbers"),
    [
        ("step 2", [2]),
        ("steps 2 and 13", [2, 13]),
        ("step three", [3]),
        ("the first and second step", [1, 2]),
        ("the final step", [0]),
        ("the step", []),
        ("", []),
    ],
)
def test_a_text_names_the_numbers_of_steps(step: str, numbers: list[int]) -> None:
    assert step_numbers(step) == numbers
