"""Which part of a text is a password, and which words are none."""

import pytest

from toolsets.skills.redaction import redact
from toolsets.skills.redaction.values import is_configuration, is_setting, is_value, looks_secret, value_span


def test_placeholders_of_values_are_not_removed() -> None:
    for text in ("password=$DB_PASSWORD", "password: <your password>", "token: ${TOKEN}", "password: ********"):
        assert redact(text) == text


@pytest.mark.parametrize(
    "setting",
    [
        "password_encryption = scram-sha-256",
        "password_hash: argon2id",
        "PASSWORD_HASHERS = django.contrib.auth.hashers.Argon2PasswordHasher",
        "password-policy: strict",
        "passwd_type: sha512crypt",
        "ldap_pwd_policy = shadow",
        'password_command = "pass show mail"',
        "password_lifetime = 90d",
        r"password_file: C:\keys\db1.txt",
        "secret_key_type = ed25519",
    ],
)
def test_a_setting_that_describes_passwords_stays(setting: str) -> None:
    assert redact(f"Set {setting} and reload.") == f"Set {setting} and reload."
    assert redact(setting) == setting


@pytest.mark.parametrize(
    ("setting", "secret"),
    [
        ("password_hash = 5f4dcc3b5aa765d61d8327deb882cf99", "5f4dcc3b5aa765d61d8327deb882cf99"),
        ("password_encryption = Summer2024", "Summer2024"),
        ("password_encryption = scram-sha-256-Zebra77", "Zebra77"),
        ("password_policy_admin = kitten", "kitten"),
        ("password = scram-sha-256", "scram-sha-256"),
        ("password_file = MyCat2019", "MyCat2019"),
    ],
)
def test_a_password_goes_whatever_its_setting_describes(setting: str, secret: str) -> None:
    assert secret not in redact(setting)


def whole(text: str) -> tuple[int, int]:
    return 0, len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"Tulip 44"', "Tulip 44"),
        ("Tulip44.", "Tulip44"),
        ("(Tulip44)", "Tulip44"),
        ("Tulip44!", "Tulip44!"),
        ("“Tulip44”,", "Tulip44"),
    ],
)
def test_a_value_has_no_quotes_and_no_punctuation_behind_it(text: str, value: str) -> None:
    assert text[slice(*value_span(text, whole(text)))] == value


def test_an_assigned_value_ends_before_the_next_setting() -> None:
    text = "Tulip44;Server=x"
    assert text[slice(*value_span(text, whole(text), assigned=True))] == "Tulip44"
    assert text[slice(*value_span(text, whole(text)))] == text


@pytest.mark.parametrize("value", ["Tulip44", "kestrel", "tr0ub4dor&3", "changed1"])
def test_a_word_that_says_nothing_of_passwords_may_be_one(value: str) -> None:
    assert is_value(value, whole(value))


@pytest.mark.parametrize(
    "value",
    ["x", "wrong", "Required!", "falsch", "$PASSWORD", "%PASS%", "<password>", "********", "[password]", "SHA-256"],
)
def test_a_word_about_passwords_and_a_placeholder_are_none(value: str) -> None:
    assert not is_value(value, whole(value))


def test_a_participle_after_is_is_no_password() -> None:
    assert is_value("misplaced", whole("misplaced"))
    assert not is_value("misplaced", whole("misplaced"), stated=True)


@pytest.mark.parametrize(
    ("text", "number", "setting"),
    [
        ("the password length is 12", "12", True),
        ("the password has 12 characters", "12", True),
        ("it expires after 90 days", "90", True),
        ("the password is 1234", "1234", False),
        ("the password length matters.\nIt is 1234", "1234", False),
        ("the password length is Tulip44", "Tulip44", False),
    ],
)
def test_a_number_with_a_unit_or_behind_the_name_of_a_rule_is_a_setting(text: str, number: str, setting: bool) -> None:
    at = text.index(number)
    assert is_setting(text, (at, at + len(number))) is setting


@pytest.mark.parametrize(
    ("rest", "value", "treats"),
    [
        ("_encryption", "scram-sha-256", True),
        ("_policy", "strict", True),
        ("_lifetime", "90d", True),
        ("_hash", "5f4dcc3b5aa765d61d8327deb882cf99", False),
        ("_encryption", "Summer2024", False),
        ("", "strict", False),
        ("_admin", "strict", False),
    ],
)
def test_a_setting_of_how_passwords_are_treated_holds_none(rest: str, value: str, treats: bool) -> None:
    assert is_configuration(rest, value) is treats


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("Tulip44", True),
        ("tulip!x", True),
        ("aBcDeFgH", True),
        ("4711", False),
        ("471123", True),
        ("kestrel", False),
        ("iPhone", False),
        ("ab1", False),
    ],
)
def test_a_secret_reads_unlike_a_word(value: str, secret: bool) -> None:
    assert looks_secret(value) is secret
    assert looks_secret(value, at_least=len(value) + 1) is False
