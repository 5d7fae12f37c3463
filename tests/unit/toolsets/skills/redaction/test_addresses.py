"""E-mail addresses, telephone numbers and IP addresses."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction import redact
from toolsets.skills.redaction.addresses import EMAILS, LOCATIONS


def test_a_public_address_goes_and_a_private_one_stays() -> None:
    """A public IP address is a person's or a firm's; private ones are the same everywhere and steps need them."""
    text = "From 81.2.69.142 open 192.168.1.1, 127.0.0.1, fe80::1 and 8.8.8.8; version 81.2.69.142 is not an address"
    assert redact(text) == text.replace("81.2.69.142", "[IP address]", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mail ann@example.com.", "Mail [email]."),
        ("<ann.lee+help@mail.example.co.uk>", "<[email]>"),
        ("ann [at] example [dot] com", "[email]"),
        ("ann at example dot com is mine", "[email] is mine"),
        ("You can write to ann at example.com", "You can write to [email]"),
        ('"ann lee"@example.com writes', "[email] writes"),
        ("git@example.com:shop/app.git", "git@example.com:shop/app.git"),
        ("Look at example.com for help.", "Look at example.com for help."),
        ("npm install @types/node@20", "npm install @types/node@20"),
    ],
)
def test_an_email_address_goes_however_it_is_written(text: str, expected: str) -> None:
    assert applied(EMAILS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+44 20 7946 0958 is busy", "[phone number] is busy"),
        ("call me on 555 0142 88", "call me on [phone number]"),
        ("(415) 555-2671 rings", "[phone number] rings"),
        ("030 901820 is my number", "[phone number] is my number"),
        ("phone: o171 5550142", "phone: [phone number]"),
        ("part number 0800 123456", "part number 0800 123456"),
        ("since 2026-01-31 10:00", "since 2026-01-31 10:00"),
        ("order 12345678 came", "order 12345678 came"),
    ],
)
def test_a_telephone_number_goes_and_the_number_of_a_thing_stays(text: str, expected: str) -> None:
    assert applied(LOCATIONS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 2a00:1450:4001:82a::200e:", "from [IP address]:"),
        ("ping 81.2.69.142", "ping [IP address]"),
        ("ping 2001:db8::1 and 192.0.2.7", "ping 2001:db8::1 and 192.0.2.7"),
        ("set 9.9.9.9 and 2620:fe::fe", "set 9.9.9.9 and 2620:fe::fe"),
        ("see 3.12.4.7 for firmware 81.2.69.142", "see 3.12.4.7 for firmware 81.2.69.142"),
        ("join 239.1.2.3", "join 239.1.2.3"),
        ("at 10:15:30 in ab:cd:ef:01:23:45", "at 10:15:30 in ab:cd:ef:01:23:45"),
    ],
)
def test_only_an_ip_address_that_identifies_somebody_goes(text: str, expected: str) -> None:
    assert applied(LOCATIONS, text) == expected
