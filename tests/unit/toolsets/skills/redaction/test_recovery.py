"""Phrases and answers that recover an account."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.recovery import RECOVERY

SEED = "zoo apple river stone candle window garden tiger ocean pencil rocket velvet"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the recovery phrase is correct horse battery staple.", "the recovery phrase is [password]."),
        ("I unlocked it with the passphrase horse battery staple", "I unlocked it with the passphrase [password]"),
        ("my passphrase horse battery staple fence fails", "my passphrase [password] fails"),
        ("password: horse battery staple fence", "password: [password]"),
        (f"I typed my wallet words {SEED}.", "I typed my wallet words [password]."),
        ("My mother's maiden name is Miller", "My mother's maiden name is [password]"),
        ("I answered Rex to the security question", "I answered [password] to the security question"),
        (
            "The security question about my first pet: I gave Rex.",
            "The security question about my first pet: I gave [password].",
        ),
    ],
)
def test_what_recovers_an_account_goes(text: str, expected: str) -> None:
    assert applied(RECOVERY, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the recovery phrase is a list of words",
        "the passphrase prompt opens twice",
        "The password page shows my account settings again",
        "the wallet shows eight words of the phrase",
        "the security question is not shown",
    ],
)
def test_sentences_about_it_stay(text: str) -> None:
    assert applied(RECOVERY, text) == text
