"""Sentences, items and code."""

import pytest

from toolsets.skills.extraction.sentences import sentences


@pytest.mark.parametrize("sentence", ["It needs version 1. Open it.", "Call 2. Then wait for 3. Done."])
def test_a_number_at_the_end_of_a_sentence_begins_no_step(sentence: str) -> None:
    assert not any(part.ordered for part in sentences(sentence))


def test_wrapped_lines_are_one_sentence_and_code_is_kept_as_it_is() -> None:
    text = (
        "Open the settings of the program that you\nuse and wait.\n\n```\na  b\n```\nThen run:\n$ ls -l\n1. One\n2. Two"
    )
    assert [(part.text, part.kind) for part in sentences(text)] == [
        ("Open the settings of the program that you use and wait.", "prose"),
        ("a  b", "code"),
        ("Then run:", "prose"),
        ("ls -l", "code"),
        ("One", "item"),
        ("Two", "item"),
    ]
