"""Identifiers made from an injected source of chance: UUIDs, plain and ordered by time."""

import random
import re
from uuid import UUID

from backends.ports.values import Micros

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def uuid4(rng: random.Random) -> str:
    """Return a random UUID, version 4."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def uuid7(rng: random.Random, now: Micros) -> str:
    """Return a UUID, version 7: milliseconds first, so that ids sort by time; within one millisecond by chance."""
    milliseconds = now // 1_000
    # Drawn at once: each draw from the system's chance lets another thread have the interpreter.
    drawn = rng.getrandbits(74)
    value = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | (drawn >> 62) << 64
    return str(UUID(int=value | 2 << 62 | drawn & (1 << 62) - 1))


def is_uuid(text: str) -> bool:
    """Say whether `text` has the form in which our UUIDs are written: lower case, with hyphens."""
    return _UUID.fullmatch(text) is not None
