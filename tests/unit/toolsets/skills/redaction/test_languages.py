"""Passwords and codes named in other languages."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.languages import LANGUAGES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("パスワードは kestrel です", "パスワードは [password] です"),
        ("密码是kestrel。", "密码是[password]。"),
        ("비밀번호: kestrel", "비밀번호: [password]"),
        ("heslo je Tulipan44", "heslo je [password]"),
        ("la password è Tulipano44", "la password è [password]"),
        ("ich nehme Tulpe als Passwort", "ich nehme [password] als Passwort"),
        ("Tulipe44 comme mot de passe", "[password] comme mot de passe"),
        ("Das Kennwort lautet Tulpe44.", "Das Kennwort lautet [password]."),
        ("Meine PIN lautet 4711", "Meine PIN lautet [code]"),
    ],
)
def test_a_value_after_its_name_goes(text: str, expected: str) -> None:
    assert applied(LANGUAGES, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Das Passwort ist abgelaufen",
        "le mot de passe est obligatoire",
        "il codice di errore è 4711",
        "密码错误",
        "heslo je krátké",
        "gilt als Passwort",
        "パスワードは [password] です",
    ],
)
def test_words_about_a_password_stay(text: str) -> None:
    assert applied(LANGUAGES, text) == text
