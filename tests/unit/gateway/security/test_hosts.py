"""Which hosts and origins are accepted."""

import pytest

from gateway.security.hosts import LOOPBACK, AllowedHosts, AllowedOrigins

HOSTS = AllowedHosts([*LOOPBACK, "box.lan", "Proxy.lan:8443", "any.lan:*"])
ORIGINS = AllowedOrigins([*(f"http://{name}" for name in LOOPBACK), "https://app.lan", "https://one.lan:3000"])


@pytest.mark.parametrize(
    "host",
    "localhost LOCALHOST LocalHost:8765 127.0.0.1:1 [::1] [::1]:80 BOX.lan:5 proxy.lan:8443 any.lan any.lan:1".split(),
)
def test_an_allowed_host_is_accepted_in_any_case_and_with_its_port(host: str) -> None:
    assert host in HOSTS


@pytest.mark.parametrize(
    "host",
    [
        *"localhost:evil.com 127.0.0.1:1@evil.com localhost.evil.com localhost. localhost: localhost:* ::1 [::1".split(),
        *"localhost:99999 any.lan:65536".split(),
        *"localhost:123456 user@localhost localhost/ proxy.lan proxy.lan:80 locälhost".split(),
        *("", "localhost, evil.com", "localhost\\x00", "localhost\\n", " localhost", "x" * 10_000),
    ],
)
def test_what_is_not_a_whole_allowed_name_is_refused(host: str) -> None:
    assert host not in HOSTS


@pytest.mark.parametrize("origin", ["http://localhost:3000", "HTTP://LOCALHOST", "http://[::1]:5", "https://app.lan"])
def test_an_allowed_origin_is_accepted(origin: str) -> None:
    assert origin in ORIGINS


@pytest.mark.parametrize(
    "origin",
    [
        *"null http://localhost:3000.evil.com http://localhost:3000@evil.com http://localhost:3000/ localhost".split(),
        *"http://localhost:65536 ftp://localhost https://one.lan https://one.lan:3001 http://".split(),
        "http://localhost http://evil.com",
    ],
)
def test_what_is_not_a_whole_allowed_origin_is_refused(origin: str) -> None:
    assert origin not in ORIGINS
