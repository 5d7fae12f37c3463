"""Credentials of requests."""

from base64 import b64encode

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.requests import REQUESTS

BASIC = b64encode(b"anna:Tulip44").decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://anna:Tulip44@db/shop", "postgres://[credentials]@db/shop"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [token]"),
        ("with bearer abc_def12345", "with bearer [token]"),
        (f"Proxy: Basic {BASIC}", "Proxy: Basic [token]"),
        ("anna:Tulip44@tcp(db:3306)/shop", "[credentials]@tcp(db:3306)/shop"),
        ("Cookie: session=abc123; theme=dark", "Cookie: [token]"),
        ("PHPSESSID=a1b2c3d4e5", "PHPSESSID=[token]"),
        ("https://example.com/a?api_key=abc123&page=2", "https://example.com/a?api_key=[token]&page=2"),
        ("https://example.com/reset/a1b2c3d4e5f6", "https://example.com/reset/[token]"),
        ("sqlplus scott/tiger@ORCL", "sqlplus [credentials]@ORCL"),
        ("<dbPassword>kestrel</dbPassword>", "<dbPassword>[password]</dbPassword>"),
    ],
)
def test_a_credential_goes_and_the_rest_of_the_request_stays(text: str, expected: str) -> None:
    assert applied(REQUESTS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:8080/a@b",
        "Authorization is required",
        "the bearer of this letter",
        "Basic settings",
        "Basic aW5zdGFsbGF0aW9u",
        "https://example.com/a?page=2&sort=name",
        "https://example.com/reset/instructions",
        "connect read/write to the database",
        "<token/>",
    ],
)
def test_what_carries_no_credential_stays(text: str) -> None:
    assert applied(REQUESTS, text) == text
