"""The accepted `Host` and `Origin` headers: a complete name with a port, compared ignoring case."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_AUTHORITY = r"(?P<name>[a-z0-9_](?:[a-z0-9._-]*)|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}|\*))?"
_HOST = re.compile(_AUTHORITY)
_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://" + _AUTHORITY)
_MAX_LENGTH = 300
"""A name has at most 253 characters, to which scheme and port are added."""

_MAX_PORT = 65_535


@dataclass(frozen=True, slots=True)
class _Authority:
    """A host or an origin; `scheme` is empty for a host, `port` is empty without one."""

    scheme: str
    name: str
    port: str


class AllowedHosts:
    """Names that a request may be sent to: `name` with any port or none, `name:port` with that one, `name:*` with any."""

    def __init__(self, names: Iterable[str]) -> None:
        self._allowed = _with_any_port(_parsed(_HOST, name) for name in names)

    def __contains__(self, host: str) -> bool:
        """Return whether a `Host` header is accepted."""
        return _matches(self._allowed, _parsed(_HOST, host))


class AllowedOrigins:
    """Origins that a request may come from: hosts with a scheme, such as `https://name:port`."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._allowed = _with_any_port(_parsed(_ORIGIN, origin) for origin in origins)

    def __contains__(self, origin: str) -> bool:
        """Return whether an `Origin` header is accepted."""
        return _matches(self._allowed, _parsed(_ORIGIN, origin))


@lru_cache(maxsize=64)
def _parsed(pattern: re.Pattern[str], text: str) -> _Authority | None:
    """Return the parts of a host or origin, None if it is not one, such as with user information or port 99999."""
    found = pattern.fullmatch(text.lower()) if len(text) <= _MAX_LENGTH and text.isascii() else None
    if found is None:
        return None
    parts = found.groupdict(default="")
    if parts["port"].isdecimal() and int(parts["port"]) > _MAX_PORT:
        return None
    return _Authority(parts.get("scheme", ""), parts["name"], parts["port"])


def _with_any_port(places: Iterable[_Authority | None]) -> frozenset[_Authority]:
    known = [place for place in places if place is not None]
    return frozenset(_Authority(each.scheme, each.name, each.port or "*") for each in known)


def _matches(allowed: frozenset[_Authority], sent: _Authority | None) -> bool:
    if sent is None or sent.port == "*":
        return False
    return sent in allowed or _Authority(sent.scheme, sent.name, "*") in allowed
