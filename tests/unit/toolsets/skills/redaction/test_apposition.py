"""Secrets next to their name without "is"."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.apposition import APPOSITIONS, GROUPED_KEYS, LISTS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"hunter2" is my password', '"[password]" is my password'),
        ("Kestrel is my password, by the way", "[password] is my password, by the way"),
        ("Blue-Fish-77 (password) fails", "[password] (password) fails"),
        ("I typed Blue-Fish-77, the password", "I typed [password], the password"),
        ("the password (Blue-Fish-77) fails", "the password ([password]) fails"),
        ("The problem is my password.", "The problem is my password."),
        ("The first field is the password.", "The first field is the password."),
        ("the password (8.2) dialog", "the password (8.2) dialog"),
    ],
)
def test_a_value_beside_the_name_of_a_password_goes(text: str, expected: str) -> None:
    assert applied(APPOSITIONS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The recovery key is 4F7K2-9QWXZ-77TRB.", "The recovery key is [licence key]."),
        ("licence: A4K-99B-Z7Q", "licence: [licence key]"),
        ("The recovery key looks like XXXX-XXXX-XXXX.", "The recovery key looks like XXXX-XXXX-XXXX."),
        ("The model is KX-TG6721G here.", "The model is KX-TG6721G here."),
    ],
)
def test_groups_of_capitals_and_digits_go_if_they_are_called_a_key(text: str, expected: str) -> None:
    assert applied(GROUPED_KEYS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("backup codes: [code], 123456 and 234567", "backup codes: [code], [code] and [code]"),
        ("my passwords [password] / Tulip44", "my passwords [password] / [password]"),
        ("the code [code], 404 and 500", "the code [code], 404 and 500"),
        ("The codes expired. It is [code], 404 and 500", "The codes expired. It is [code], 404 and 500"),
    ],
)
def test_the_rest_of_a_list_goes_if_its_name_is_a_plural(text: str, expected: str) -> None:
    assert applied(LISTS, text) == expected
