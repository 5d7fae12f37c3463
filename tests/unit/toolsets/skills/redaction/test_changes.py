"""Both values of a secret that was changed."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.changes import CHANGES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my password changed from Tulip44 to Rose55.", "my password changed from [password] to [password]."),
        ("the password was Tulip44, now it is Rose55", "the password was [password], now it is [password]"),
        ("the password is not Tulip44 but Rose55", "the password is not [password] but [password]"),
        ("password before: Tulip44, after: Rose55", "password before: [password], after: [password]"),
        ("I replaced the password Tulip44 with Rose55", "I replaced the password [password] with [password]"),
        ("das Passwort von Tulpe44 auf Rose55 geändert", "das Passwort von [password] auf [password] geändert"),
        ("The door code was reset to 8822", "The door code was reset to [code]"),
        ("I changed it from Tulip44! to Rose55!", "I changed it from [password] to [password]"),
    ],
)
def test_both_values_go(text: str, expected: str) -> None:
    assert applied(CHANGES, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the password length changed from 8 to 12 characters",
        "the password page moved from Settings to Account",
        "I changed it from v1.2 to v1.3",
        "the port changed from 8080 to 9090",
    ],
)
def test_other_changes_stay(text: str) -> None:
    assert applied(CHANGES, text) == text
