"""Sentences, items and code."""

import pytest

from toolsets.skills.extraction.sentences import MAX_IN_PARAGRAPH, sentences


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


def test_a_fence_may_begin_after_text_and_end_before_it() -> None:
    text = "Add this ```yaml\na: 1\n  b:  2\n``` Then restart it.\n```ls```\nIt ends with ~~~\nRun ```ls -l\ncd```"
    assert [(part.text, part.kind) for part in sentences(text)] == [
        ("Add this:", "prose"),
        ("a: 1", "code"),
        ("  b:  2", "code"),
        ("Then restart it.", "prose"),
        ("ls", "code"),
        ("It ends with ~~~", "prose"),
        ("Run:", "prose"),
        ("ls -l", "code"),
        ("cd", "code"),
    ]


@pytest.mark.parametrize("bar", ["| ", ""])
def test_the_rows_of_a_table_are_kept(bar: str) -> None:
    rows = [f"{bar}Key | Value |", f"{bar}--- | ---", f"{bar}a b | Say A. |"]
    text = "\n".join(("Set these:", *rows, "", "Restart it."))
    assert [(part.text, part.kind) for part in sentences(text)] == [
        ("Set these:", "prose"),
        *((row, "code") for row in rows),
        ("Restart it.", "prose"),
    ]


@pytest.mark.parametrize(
    "said", ["Remove (not purge!) as many as you can.", "Names, dates, … are bad.", "Some (vim, emacs, …) can do it."]
)
def test_a_mark_before_a_word_in_lower_case_ends_no_sentence(said: str) -> None:
    assert [part.text for part in sentences(said)] == [said]


def test_a_paragraph_is_read_up_to_a_thousand_sentences() -> None:
    assert len(sentences("It works. " * 1_200)) == MAX_IN_PARAGRAPH
    assert len(sentences("It works. " * 900)) == 900


def test_an_item_on_the_line_of_a_sentence_is_a_sentence() -> None:
    text = "Restart the player. - In Options > Audio choose Loud. - Press Apply."
    assert [part.text for part in sentences(text)] == [
        "Restart the player.",
        "In Options > Audio choose Loud.",
        "Press Apply.",
    ]
    assert [part.text for part in sentences("Set it to 3 - not more. Call 5 - 7 people.")] == [
        "Set it to 3 - not more.",
        "Call 5 - 7 people.",
    ]
