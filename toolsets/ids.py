"""Identifiers from an injected random source: UUIDs, random ones and ones ordered by time."""

import random
import re
from uuid import UUID

from backends.ports.values import Micros

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def uuid4(rng: random.Random) -> str:
    """Return a random UUID, version 4."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def uuid7(rng: random.Random, now: Micros) -> str:
    """Return a UUID, version 7, which sorts by time in milliseconds; the order within a millisecond is random."""
    milliseconds = now // 1_000
    # One draw: each draw from the system's random source releases the GIL.
    drawn = rng.getrandbits(74)
    value = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | (drawn >> 62) << 64
    return str(UUID(int=value | 2 << 62 | drawn & (1 << 62) - 1))


def is_uuid(text: str) -> bool:
    """Return whether `text` is a UUID as this module writes it: lower case, with hyphens."""
    return _UUID.fullmatch(text) is not None
