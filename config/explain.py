"""Every effective value with the source it came from, secrets masked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from config.settings import TABLE
from config.sources import KeyPath, Loaded

MASK = "********"

_SECRET_KEY = re.compile(
    r"(^|[_-])(password|passwd|passphrase|token|secret|secrets|key|credential|credentials|auth)$", re.I
)
_USERINFO = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/@\s]*@", re.I)


@dataclass(frozen=True, slots=True)
class Explained:
    """One value: its dotted key, what it is (masked where secret), and which source decided it."""

    key: str
    value: JsonValue
    source: str


def explain(loaded: Loaded) -> tuple[Explained, ...]:
    """Return every effective value, sorted by key; values that nobody set and that have no default are left out."""
    tree = TABLE.validate_python(loaded.settings.model_dump(mode="json", exclude_none=True))
    found = [Explained(".".join(key), _masked(key, value), loaded.origin(key)) for key, value in _leaves((), tree)]
    return tuple(sorted(found, key=lambda each: each.key))


def _leaves(key: KeyPath, value: JsonValue) -> Iterator[tuple[KeyPath, JsonValue]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves((*key, name), inner)
    else:
        yield key, value


def _masked(key: KeyPath, value: JsonValue) -> JsonValue:
    if _SECRET_KEY.search(key[-1]) and isinstance(value, str | int | float | list) and not isinstance(value, bool):
        return MASK
    if isinstance(value, list):
        return [_masked(key, item) for item in value]
    return _USERINFO.sub(rf"\g<scheme>{MASK}@", value) if isinstance(value, str) else value
