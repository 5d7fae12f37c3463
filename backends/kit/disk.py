"""Free space on the disk: whether a store can still write, without writing. Shared by engines and `backends.stores`."""

import shutil
from pathlib import Path
from typing import Final

LEAST_FREE: Final = 1 << 20
"""Bytes; with less, a transaction of some pages and its journal may not fit."""


def shortage(place: Path) -> str | None:
    """Return a sentence if the disk under a folder or file is full; None otherwise, or if that cannot be determined."""
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return None
    return None if free >= LEAST_FREE else f"the disk of {place} is full ({free // 1024} kB are left); make room"
