"""Keys, tokens and random strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.redaction import applied
from toolsets.skills.redaction import redact
from toolsets.skills.redaction.keys import BLOCKS, MARKED, UNMARKED, is_random


@given(
    st.text(alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", min_size=36, max_size=36),
    st.sampled_from(["ghp_", "npm_", "glpat-", "sk_live_", "xoxb-", "hf_"]),
    st.sampled_from(["{}", "token {}", "it says '{}' here", "a={}&b=c", "(see {})", "> {}", "{}."]),
)
def test_any_key_with_a_known_beginning_goes(body: str, prefix: str, sentence: str) -> None:
    key = f"{prefix}{body}1aB"
    assert body not in redact(sentence.format(key))


BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
BEGIN, END = (f"-----{edge} PRIVATE KEY-----" for edge in ("BEGIN", "END"))
HEX = "5f4dcc3b5aa765d61d8327deb882cf99"
RANDOM = "Zk3vQ9x7Lp2Wm8Rt4Yb6Nc1H"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a\n{BEGIN}\n{BASE64}\n{BASE64}\n{END}\nb", "a\n[private key]\nb"),
        (f"> {BEGIN}\n> {BASE64}\n> {END}", "> [private key]"),
        (f"{BEGIN}\n{BASE64}\nThat is all I have.", "[private key]\nThat is all I have."),
        (f"It ends so:\n{BASE64}\n{END}", "It ends so:\n[private key]"),
        (f"Private-Lines: 1\n{BASE64}\nPrivate-MAC: 1", "Private-Lines: 1\n[private key]Private-MAC: 1"),
        ("A key begins with BEGIN PRIVATE KEY.", "A key begins with BEGIN PRIVATE KEY."),
    ],
)
def test_a_private_key_goes_even_if_it_is_cut(text: str, expected: str) -> None:
    assert applied(BLOCKS, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"jwt eyJ{RANDOM}.{RANDOM}", "jwt [token]"),
        (f"AK{'IA'}IOSFODNN7EXAMPLE", "[token]"),
        (f"$2b$12${RANDOM}", "[token]"),
        (f"https://hooks.slack.com/services/{RANDOM[:9]}", "https://hooks.slack.com/services/[token]"),
        ("key 4F7K2-9QWXZ-77TRB-KK3LM-PQ8RS", "key [licence key]"),
        ("the 2fa secret is JBSWY3DPEHPK3PXP", "the 2fa secret is [token]"),
        ("sk-learn-preprocessing-scaler", "sk-learn-preprocessing-scaler"),
        ("https://example.com/services/a1b2c3", "https://example.com/services/a1b2c3"),
    ],
)
def test_a_key_goes_by_its_form(text: str, expected: str) -> None:
    assert applied(MARKED, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"use {RANDOM} here", "use [token] here"),
        (f"the token {HEX}", "the token [token]"),
        (f"commit {HEX}", f"commit {HEX}"),
        (f"the key's fingerprint {HEX}", f"the key's fingerprint {HEX}"),
        ("a7f3c9d2-5b1e-4c8a-9f6d-2e7b8c1d4a5f", "a7f3c9d2-5b1e-4c8a-9f6d-2e7b8c1d4a5f"),
        ("/usr/lib/python3/dist-packages/apt_pkg", "/usr/lib/python3/dist-packages/apt_pkg"),
    ],
)
def test_a_random_string_goes_unless_it_may_be_a_digest(text: str, expected: str) -> None:
    assert applied(UNMARKED, text) == expected


@pytest.mark.parametrize(
    ("run", "random"),
    [
        (RANDOM, True),
        (RANDOM[:16], False),
        (HEX, False),
        (HEX.upper(), False),
        ("getElementsByClassName2024", False),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", False),
        ("aB1aB1aB1aB1aB1aB1aB1aB1", False),
    ],
)
def test_a_run_is_random_by_how_often_it_changes(run: str, random: bool) -> None:
    assert is_random(run) is random
