"""Numbers of cards and accounts, and codes."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction import redact
from toolsets.skills.redaction.numbers import NEIGHBOURS, NUMBERS, is_iban, passes_luhn


def test_a_card_number_needs_its_check_digit_unless_the_text_says_card() -> None:
    assert redact("order 4111111111111112") == "order 4111111111111112"
    assert redact("card 4111111111111112") == "card [card number]"


@pytest.mark.parametrize(
    ("number", "valid"),
    [
        ("4111111111111111", True),
        ("4111111111111112", False),
        ("79927398713", True),
        ("79927398710", False),
        ("0", True),
    ],
)
def test_the_last_digit_checks_the_others(number: str, valid: bool) -> None:
    assert passes_luhn([int(digit) for digit in number]) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("DE89 3704 0044 0532 0130 00", True),
        ("gb82west12345698765432", True),
        ("DE88 3704 0044 0532 0130 00", False),
        ("DE89", False),
        ("", False),
        ("DE89" + "0" * 40, False),
        ("ÄE89370400440532013000", False),
    ],
)
def test_an_iban_has_a_correct_check_number(text: str, valid: bool) -> None:
    assert is_iban(text) is valid


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DE89370400440532013000 is mine", "[account number] is mine"),
        ("my SSN is 123-45-6789", "my SSN is [social security number]"),
        ("It is 123-45-6789.", "It is [social security number]."),
        ("It is QQ123456C and AB 12 34 56 C", "It is QQ123456C and [social security number]"),
        ("756.1234.5678.97 it says", "[social security number] it says"),
        ("customer number 12345678", "customer number [account number]"),
        ("Kundennummer: 4711 0815", "Kundennummer: [account number]"),
        ("passport no. C01X00T47", "passport no. [account number]"),
        ("born on 12.04.1981", "born on [date of birth]"),
        ("my card expires 04/27", "my card expires [expiry date]"),
        ("cvv 123, valid until 04/27", "cvv [code], valid until [expiry date]"),
        ("my PIN is 4711", "my PIN is [code]"),
        ("the PIN is four seven one one", "the PIN is [code]"),
        ("the last four digits are 6789", "the last four digits are [code]"),
        ("123 456 is your login code", "[code] is your login code"),
        ("Google code G-123456 came", "Google code G-[code] came"),
        ("The gate opens with 4711.", "The gate opens with [code]."),
        ("call oh one seven one five five five", "call [phone number]"),
    ],
)
def test_a_number_goes_that_is_named_or_has_its_form(text: str, expected: str) -> None:
    assert applied(NUMBERS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "error code 4711",
        "the status code is 404",
        "It is 000-12-3456 and 666-12-3456.",
        "order 4111111111111112",
        "version 123-45-67890",
        "one two three steps",
        "the warranty expires 04/27",
        "the gate opens with 3000 users",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert applied(NUMBERS, text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[card number], 04/27", "[card number], [expiry date]"),
        ("[account number] / 12345678", "[account number] / [account number]"),
        ("[phone number], 04/27", "[phone number], 04/27"),
    ],
)
def test_a_placeholder_shows_what_its_neighbour_is(text: str, expected: str) -> None:
    assert applied(NEIGHBOURS, text) == expected
