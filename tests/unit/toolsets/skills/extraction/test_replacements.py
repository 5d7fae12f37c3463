"""What is right takes the place of what is wrong."""

import pytest

from toolsets.skills.extraction.replacements import alike, splice, with_new_name, with_replacement, with_value


@pytest.mark.parametrize(
    ("said", "right", "wrong", "better"),
    [
        ("Set the port to 8080.", "8081", "8080", "Set the port to 8081."),
        ("Wait 5 minutes.", "10", "5 minutes", "Wait 10 minutes."),
        ("Wait 30 seconds.", "10 s", "30", "Wait 10 s."),
        ("Wait 5min.", "10 min", "5 min", "Wait 10 min."),
        ("Press the green button.", "the red button", "the green button", "Press the red button."),
        ("Press green button.", "the red button", "the green button", "Press red button."),
        ("Set it to 600.", "set it to 300 dpi", "600", "Set it to 300 dpi."),
        ("Open a/b.txt, then a/b.txt again.", "a/c.txt", "a/b.txt", "Open a/c.txt, then a/c.txt again."),
        ("Press the big green button.", "the big red", "green", "Press the big red button."),
    ],
)
def test_what_is_right_is_put_in_the_place_of_what_is_wrong(said: str, right: str, wrong: str, better: str) -> None:
    assert with_replacement(said, right, wrong) == better


@pytest.mark.parametrize(
    ("said", "wrong"),
    [("Use port 1 and lamp 1.", "1"), ("Set it to 80800.", "8080"), ("Set it to 8080.1.", "8080"), ("", "8080")],
)
def test_nothing_is_exchanged_where_it_is_absent_or_unclear(said: str, wrong: str) -> None:
    assert with_replacement(said, "8081", wrong) is None


@pytest.mark.parametrize(
    ("said", "right", "name", "better"),
    [
        ("Open the blue valve 2 turns.", "3 turns", "the blue valve", "Open the blue valve 3 turns."),
        ("Mount /dev/sda1.", "/dev/sdb1", "/dev/sda1", "Mount /dev/sdb1."),
        ("Press Start.", "Eject", "Start", None),
        ("Open the blue valve.", "3 turns", "the blue valve", None),
        ("Turn the valve 2 times, then the valve 4 times.", "3", "the valve", None),
    ],
)
def test_a_name_of_the_kind_or_the_amount_behind_it_is_replaced(
    said: str, right: str, name: str, better: str | None
) -> None:
    assert with_new_name(said, right, name) == better


@pytest.mark.parametrize(
    ("said", "right", "better"),
    [
        ("Hold it for 10 s.", "4 s", "Hold it for 4 s."),
        ("Hold it for 10 s at 20 cm.", "4 seconds", "Hold it for 4 seconds at 20 cm."),
        ("Set channel 36 first.", "channel 44", "Set channel 44 first."),
        ("Set the channel to 36.", "channel 44", "Set the channel to 44."),
        ("Press the green button.", "the red button", "Press the red button."),
        ("Mount /dev/sda1 now.", "/dev/sdb1", "Mount /dev/sdb1 now."),
        ("Set 5 and 6.", "7", None),
        ("Open the lid.", "7", None),
    ],
)
def test_a_value_takes_the_place_of_the_only_one_of_its_kind(said: str, right: str, better: str | None) -> None:
    assert with_value(said, right, right) == better


def test_the_wording_says_which_of_several_values_is_replaced() -> None:
    assert with_value("Set 5 and 6.", "7", "it should be 7, 6 is taken") == "Set 5 and 7."


def test_texts_are_put_in_several_places() -> None:
    assert splice("abc", [(0, 1), (2, 3)], "xy") == "xybxy"
    assert splice("abc", [], "x") == "abc"


@pytest.mark.parametrize(
    ("said", "right", "found"),
    [
        ("mount `/dev/sda1`, now", "/dev/sdb1", ["/dev/sda1"]),
        ("open Printer settings now", "Printer Setting", ["Printer settings"]),
        ("open it. Settings are there", "it Settings", []),
        ("press abc", "abd", []),
        ("mount /dev/sda now", "/dev/sdb1", []),
        ("a " * 1_000 + "/dev/sda1", "/dev/sdb1", []),
    ],
)
def test_words_are_alike_that_are_written_almost_alike(said: str, right: str, found: list[str]) -> None:
    assert [said[start:stop] for start, stop in alike(said, right)] == found
