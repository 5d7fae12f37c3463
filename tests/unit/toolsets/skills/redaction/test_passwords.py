"""Passwords and keys that are stated."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.passwords import PASSWORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my password is kestrel.", "my password is [password]."),
        ("PASSWORD=kestrel", "PASSWORD=[password]"),
        ("pw: kestrel, as always", "pw: [password], as always"),
        ("What is the password? Tulip44", "What is the password? [password]"),
        ("the password is spelt k-e-s-t-r-e-l", "the password is spelt [password]"),
        ("I set the password to kestrel", "I set the password to [password]"),
        ("ssid home / kestrel99", "ssid home / [password]"),
        ("wifi: home / kestrel99", "wifi: home / [password]"),
        ('<add key="DbPassword" value="kestrel99"/>', '<add key="DbPassword" value="[password]"/>'),
        ("u: anna p: Tulip44", "u: anna p: [password]"),
        ("login anna:Tulip44", "login anna:[password]"),
        ("I took Tulip44 as my password", "I took [password] as my password"),
        ("root / Tulip44x", "root / [password]"),
        ("snmp community: kestrel9", "snmp community: [password]"),
        ("api key: q8r7t6y5u4", "api key: [token]"),
        ("STRIPE_KEY=q8r7t6y5u4", "STRIPE_KEY=[token]"),
        ("username/password is anna/kestrel", "username/password is [password]"),
    ],
)
def test_a_stated_secret_goes(text: str, expected: str) -> None:
    assert applied(PASSWORDS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "my password is wrong.",
        "my password is being rejected",
        "the password field is empty",
        "the password must have 12 characters",
        "the token is expired",
        "the api key page does not open",
        "use the password Windows asks for",
        "password: [password]",
        "PASSWORD=$SECRET",
    ],
)
def test_words_about_a_secret_stay(text: str) -> None:
    assert applied(PASSWORDS, text) == text
