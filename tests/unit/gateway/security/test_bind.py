"""Where the server may listen."""

import pytest
from pydantic import SecretStr

from config.settings import ServerSettings
from gateway.errors import Refused
from gateway.security.bind import address, bind, is_loopback

EVERYWHERE = "0.0.0.0"  # noqa: S104 nothing is bound to it without a token


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        (EVERYWHERE, False),
        ("::", False),
        ("example.org", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_beyond_loopback_a_token_is_needed() -> None:
    with pytest.raises(Refused, match="so it needs server"):
        bind(ServerSettings(host=EVERYWHERE, port=0))
    with bind(ServerSettings(host=EVERYWHERE, port=0, token=SecretStr("x"))) as listening:
        assert address(listening)[1] > 0


def test_a_port_in_use_is_reported_in_a_sentence() -> None:
    with bind(ServerSettings(port=0)) as listening, pytest.raises(Refused, match="Choose another with --port"):
        bind(ServerSettings(port=address(listening)[1]))
