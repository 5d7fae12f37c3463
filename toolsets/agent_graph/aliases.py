"""Names of one entity, compared without case."""

import sys
from collections.abc import Iterable
from typing import Final

from backends.kit.byte_cache import ByteCache
from backends.ports.text import MAX_TEXT_BYTES, shadow

MAX_SHADOW_BYTES: Final = 4 * 2**20
"""The cache of shadows, those of several entities with as many aliases as possible: each write compares all of them again."""

SHADOWS: Final = ByteCache[str, str](MAX_SHADOW_BYTES, lambda name, other: sys.getsizeof(name) + sys.getsizeof(other))


def added_names(present: Iterable[str], offered: Iterable[str]) -> tuple[str, ...]:
    """Return the names of `offered` that are not in `present`, each once, ignoring case."""
    seen = {_shadow(name) for name in present}
    added: list[str] = []
    for name in offered:
        folded = _shadow(name)
        if folded not in seen:
            seen.add(folded)
            added.append(name)
    return tuple(added)


def fitting_names(present: Iterable[str], added: Iterable[str]) -> tuple[str, ...]:
    """Return the leading aliases of `added` that fit beside those in `present`: 256 kB in all."""
    room = MAX_TEXT_BYTES - sum(len(name.encode()) + 1 for name in present)
    fitting: list[str] = []
    for name in added:
        room -= len(name.encode()) + 1
        if room < 0:
            break
        fitting.append(name)
    return tuple(fitting)


def _shadow(name: str) -> str:
    if (known := SHADOWS.get(name)) is None:
        known = shadow(name)
        SHADOWS.put(name, known)
    return known
