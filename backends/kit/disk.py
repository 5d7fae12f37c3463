"""Free space on the disk: whether a store can still write, without writing. Shared by engines and `backends.stores`."""

import shutil
from pathlib import Path
from typing import Final

from backends.ports.errors import Unavailable

LEAST_FREE: Final = 1 << 20
"""Bytes; with less, a transaction of some pages and its journal may not fit."""


def shortage(place: Path, *, least: int = LEAST_FREE) -> str | None:
    """Return a sentence if the disk under a folder or file has fewer than `least` bytes left.

    Returns None otherwise, or if that cannot be determined.
    """
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return None
    if free >= least:
        return None
    needed = "" if least == LEAST_FREE else f", {least // 1024} kB are needed"
    return f"the disk of {place} is full ({free // 1024} kB are left{needed}); make room"


def check_room(place: Path, *, least: int) -> None:
    """Raise `Unavailable` if the disk under a folder or file has fewer than `least` bytes left."""
    if (sentence := shortage(place, least=least)) is not None:
        raise Unavailable(sentence)
