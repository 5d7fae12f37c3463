"""Codes of devices and doors."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.device_codes import DEVICE_CODES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I unlock the door with 4711#", "I unlock the door with [code]"),
        ("The authenticator app shows 123 456", "The authenticator app shows [code]"),
        ("the garage code is 4711", "the garage code is [code]"),
        ("the pin for the cabinet: 4711", "the pin for the cabinet: [code]"),
        ("My unlock pattern is 14789", "My unlock pattern is [code]"),
        ("the combination of the safe is 12-34-56", "the combination of the safe is [code]"),
        ("the locker has code 4711", "the locker has code [code]"),
        ("Dial 4711 on the keypad", "Dial [code] on the keypad"),
        ("Der Türcode ist 4711", "Der Türcode ist [code]"),
        ("le code de la porte est 4711", "le code de la porte est [code]"),
    ],
)
def test_the_code_of_a_device_goes(text: str, expected: str) -> None:
    assert applied(DEVICE_CODES, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Der Fehlercode ist 4711",
        "mein Statuscode: 4711",
        "the garage code is 6 digits",
        "The authenticator app shows 12 entries",
        "Enter 4711 in the lock column",
        "the combination of keys is Ctrl+Alt",
    ],
)
def test_codes_that_are_no_secret_stay(text: str) -> None:
    assert applied(DEVICE_CODES, text) == text
