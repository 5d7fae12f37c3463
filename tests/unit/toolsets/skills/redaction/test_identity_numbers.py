"""Numbers by which states and hospitals know a person."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.identity_numbers import IDENTITY_NUMBERS


@pytest.mark.parametrize(
    ("number", "wrong"),
    [
        ("12345678Z", "12345678A"),
        ("X1234567L", "X1234567M"),
        ("2 69 05 49 588 157 80", "2 69 05 49 588 157 81"),
        ("529.982.247-25", "529.982.247-26"),
    ],
    ids=["DNI", "NIE", "NIR", "CPF"],
)
def test_a_number_without_a_name_needs_its_check_digits(number: str, wrong: str) -> None:
    assert applied(IDENTITY_NUMBERS, f"It is {number}.") == "It is [social security number]."
    assert applied(IDENTITY_NUMBERS, f"It is {wrong}.") == f"It is {wrong}."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RSSMRA85T10A562S is mine", "[social security number] is mine"),
        ("tax file number: 123 456 782", "tax file number: [social security number]"),
        ("Steuernummer ist 12 345 678 901", "Steuernummer ist [social security number]"),
        ("2690549588157 80 de sécurité sociale", "[social security number] de sécurité sociale"),
        ("medical record number AB 1234567", "medical record number [account number]"),
    ],
)
def test_a_number_goes_beside_its_name(text: str, expected: str) -> None:
    assert applied(IDENTITY_NUMBERS, text) == expected


@pytest.mark.parametrize(
    "text", ["part number 12345678Z", "build 529.982.247-25", "The chart has 12 rows", "tax of 19 per cent"]
)
def test_the_number_of_a_thing_stays(text: str) -> None:
    assert applied(IDENTITY_NUMBERS, text) == text
