"""Passwords next to the name of a user."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.credentials import BESIDE_NAMES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the login (anna / Tulip44) fails", "the login (anna / [password]) fails"),
        ("login: anna | Tulip44x", "login: anna | [password]"),
        ("zugangsdaten: [email] / Tulpe44", "zugangsdaten: [email] / [password]"),
        ("[email]: Tulip44", "[email]: [password]"),
        ("Login details:\nanna\nTulip44", "Login details:\nanna\n[password]"),
        ("Credentials\n\n[email]\n\nkestrels", "Credentials\n\n[email]\n\n[password]"),
    ],
)
def test_a_password_beside_a_name_goes(text: str, expected: str) -> None:
    assert applied(BESIDE_NAMES, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the login (anna / Kestrel) page",
        "the login (ctrl / alt+F2) console",
        "the login (anna / db1.example.org) host",
        "login: anna / 12345678",
        "[email]: mode=strict2",
        "Login details:\nClick the link\nTulip44",
    ],
)
def test_a_word_a_host_keys_and_a_setting_stay(text: str) -> None:
    assert applied(BESIDE_NAMES, text) == text
