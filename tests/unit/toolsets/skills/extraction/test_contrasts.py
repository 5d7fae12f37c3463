"""What is right is set against what is wrong."""

import pytest

from toolsets.skills.extraction.contrasts import contrasts_in, counterpart, is_plain, proper_ones_in, without_asides


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("It is 2.5 bar, not 2.2.", "2.5 bar", "2.2"),
        ("I was wrong, the port is 2222, not 2022.", "2222", "2022"),
        ("Sorry, I meant the red button, not the green button.", "the red button", "the green button"),
        ("My mistake: not 600 dpi but 300 dpi.", "300 dpi", "600 dpi"),
        ("I was wrong. Use /dev/sdb1 instead of /dev/sda1.", "/dev/sdb1", "/dev/sda1"),
    ],
)
def test_a_contrast_has_what_is_right_and_what_is_wrong(text: str, right: str, wrong: str) -> None:
    [found] = contrasts_in(text)
    assert (found.right, found.wrong) == (right, wrong)
    assert text[found.start : found.stop] == text


@pytest.mark.parametrize(
    "text",
    [
        "Do not open it.",
        "Is it 2.5 bar, not 2.2?",
        "The lamp is not red.",
        "If it is 2.5 bar, not 2.2, open it.",
        "Press the red button, not the green button.",
    ],
)
def test_other_sentences_set_nothing_against_something(text: str) -> None:
    assert list(contrasts_in(text)) == []


def test_a_contrast_begins_with_the_admission_before_it_and_ends_before_the_next_order() -> None:
    text = "Open it. Sorry, I was wrong. It is 2.5 bar, not 2.2, and then close it."
    [found] = contrasts_in(text)
    assert text[: found.start] == "Open it. "
    assert text[found.stop :] == "close it."
    assert found.sure


def test_contrasts_come_in_order_and_only_the_first_ones_are_read() -> None:
    text = "It is 2.5 bar, not 2.2. " * 30
    assert len(list(contrasts_in(text))) == 20


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I was wrong. The correct one is 2222.", "2222"),
        ("The correct one is 2222.", None),
        ("Sorry. Is the correct one 2222?", None),
    ],
)
def test_what_is_right_may_be_named_alone_after_an_admission(text: str, right: str | None) -> None:
    assert [each.right for each in proper_ones_in(text)] == ([] if right is None else [right])
    assert all(each.wrong is None for each in proper_ones_in(text))


@pytest.mark.parametrize(
    ("said", "wrong", "value"),
    [
        ("the port is 2222", "2022", "2222"),
        ("hold it for 4 seconds", "10 seconds", "4 seconds"),
        ('press "Save as"', "Save", "Save as"),
        ("mount /dev/sdb1", "/dev/sda1", "/dev/sdb1"),
        ("press the red button", "the green button", "the red button"),
        ("what it is", "red", None),
    ],
)
def test_the_counterpart_is_of_the_kind_of_what_is_wrong(said: str, wrong: str, value: str | None) -> None:
    assert counterpart(said, wrong) == value


def test_asides_at_the_end_are_left_out() -> None:
    assert without_asides("the red button, of course") == "the red button"
    assert without_asides("the red button") == "the red button"


@pytest.mark.parametrize(
    ("value", "plain"),
    [("the red button", True), ("2222", True), ("", False), ("it is red", False), ("a. b", False), ("x " * 9, False)],
)
def test_a_value_is_short_and_no_sentence(value: str, plain: bool) -> None:
    assert is_plain(value) is plain
