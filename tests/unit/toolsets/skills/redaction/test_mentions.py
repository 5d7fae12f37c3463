"""Values that ordinary words around them give away."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.mentions import MENTIONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The password failed. I changed it to Tulip44.", "The password failed. I changed it to [password]."),
        ("I used blue-fish77. It is the password of the shop.", "I used [password]. It is the password of the shop."),
        ("credentials: anna / Tulip44", "credentials: anna / [password]"),
        ("the login blue-fish77 fails", "the login [password] fails"),
        ("Your parking code is 4711.", "Your parking code is [code]."),
        ("I got the code 471123 by text.", "I got the code [code] by text."),
        ("By text it said 4711, the code.", "By text it said [code], the code."),
    ],
)
def test_a_value_goes_where_words_around_it_speak_of_a_secret(text: str, expected: str) -> None:
    assert applied(MENTIONS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I changed it to Tulip44.",
        "The password failed. It rained. It snowed. I changed it to Tulip44.",
        "The password failed. I used Ubuntu22.",
        "The password failed. I used Tulip44 cables.",
        "Your error code is 4711.",
        "I got the code 471123.",
        "I got the postal code 471123 by text.",
    ],
)
def test_the_same_value_stays_elsewhere(text: str) -> None:
    assert applied(MENTIONS, text) == text
