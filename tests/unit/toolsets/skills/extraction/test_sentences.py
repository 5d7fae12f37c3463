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


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("No worries :) Take the lid off.", ["No worries.", "Take the lid off."]),
        ("good, halfway there ;) now close it", ["good, halfway there.", "now close it"]),
        ("Halfway there 🙂👍🏽 now close it.", ["Halfway there.", "now close it."]),
        ("It happens. :-) Take it off", ["It happens.", "Take it off"]),
        ("Great 👍!! Now press Start", ["Great!!", "Now press Start"]),
        ("no problem at all:) Take it off 😀", ["no problem at all.", "Take it off."]),
        ("(just kidding ;)) Press it.", ["(just kidding) Press it."]),
        ("Wipe it :) with a cloth.", ["Wipe it with a cloth."]),
        ("1. Take it off :)\n2. 🙂", ["Take it off."]),
        ("💡 Open settings 👉 Privacy", ["Open settings 👉 Privacy"]),
    ],
)
def test_an_emoticon_ends_a_sentence_and_is_left_out(said: str, parts: list[str]) -> None:
    assert [part.text for part in sentences(said)] == parts


@pytest.mark.parametrize(
    "said",
    [
        "Copy it (to drive C:) and go.",
        "Plug it in (see below ;) at the back.",
        "Tap the 👍 icon or 👎.",
        'Choose "🙂" there.',
        "Type :D and press Enter.",
        "Run `echo :) > a` then.",
        "Set it to 20:30 (8) or 1:3.",
        "print(a;) is wrong",
    ],
)
def test_signs_that_are_no_emoticon_are_kept(said: str) -> None:
    assert [part.text for part in sentences(said)] == [said]
