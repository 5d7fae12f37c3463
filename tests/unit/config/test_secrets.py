"""What is masked before it is shown."""

import time

import pytest
from pydantic import BaseModel, JsonValue, SecretStr

from config.secrets import MASK, is_secret_key, masked, masked_text, secret_fields


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("bolt://neo4j:s3cret@host:7687", f"bolt://{MASK}@host:7687"),
        ("bolt://neo4j:s3@cret@host", f"bolt://{MASK}@host"),
        ("postgresql://u:s3/cr?et@host/db", f"postgresql://{MASK}@host/db"),
        ("postgresql://host/db?user=u&password=s3cret&sslmode=require", None),
        ("https://host/?api_key=s3cret&x=1", f"https://host/?api_key={MASK}&x=1"),
        ("https://host/?key=s3cret", f"https://host/?key={MASK}"),
        ("host=db user=u password=s3cret dbname=x", f"host=db user=u password={MASK} dbname=x"),
        ("password='s3 cret' host=db", f"password={MASK} host=db"),
        ("ssl_password = s3cret", f"ssl_password = {MASK}"),
        ("/plain/path?monkey=banana", "/plain/path?monkey=banana"),
        ("http://host/no-user", "http://host/no-user"),
    ],
)
def test_a_text_loses_user_information_and_secret_parameters(shown: str, expected: str | None) -> None:
    assert "s3" not in str(masked(shown))
    assert "cret" not in str(masked(shown))
    if expected is not None:
        assert masked(shown) == expected


def test_every_word_of_a_sentence_is_checked() -> None:
    sentence = "cannot reach bolt://u:s3cret@a and bolt://v:s3cret@b (token=s3cret); see a@b"
    assert masked_text(sentence) == f"cannot reach bolt://{MASK}@a and bolt://{MASK}@b (token={MASK}); see a@b"


def test_lists_and_tables_are_masked_inside() -> None:
    value: JsonValue = {"uris": ["bolt://u:s3cret@a", "bolt://b"], "token": "s3cret", "depth": 3}
    assert masked(value) == {"uris": [f"bolt://{MASK}@a", "bolt://b"], "token": MASK, "depth": 3}


@pytest.mark.parametrize("name", ["password", "api_key", "access_token", "client-secret", "AUTH"])
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_key(name)
    assert not is_secret_key(f"{name}_dir")


def test_a_models_secret_fields_are_those_that_it_declares() -> None:
    class Options(BaseModel):
        uri: SecretStr
        pin: SecretStr | None = None
        pins: tuple[SecretStr, ...] = ()
        host: str = ""

    assert secret_fields(Options) == {"uri", "pin", "pins"}


@pytest.mark.parametrize(
    "text", ["a://" * 5_000, "@" * 20_000, "password" * 2_500, "token=" * 3_000, "a_" * 10_000 + "="]
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    masked_text(text)
    assert time.process_time() - started < 2
