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


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("nothing.invalid", "The host nothing.invalid has no address: "),
        ("a..b", "The host a..b has no address: "),
        (
            "192.0.2.1",
            "Cannot listen on 192.0.2.1: this machine does not have the address. Choose another with --host.",
        ),
    ],
)
def test_a_host_that_cannot_be_bound_is_named_with_the_reason(host: str, told: str) -> None:
    with pytest.raises(Refused) as caught:
        bind(ServerSettings(host=host, port=0, token=SecretStr("x")))
    assert str(caught.value).startswith(told)
    assert str(caught.value).endswith("Choose another with --host.")
    assert "Unknown error" not in str(caught.value)


def test_an_address_may_have_the_brackets_of_a_url() -> None:
    server = ServerSettings(host="[::1]", port=0)
    assert server.host == "::1"
    with bind(server) as listening:
        assert address(listening)[0] == "::1"
