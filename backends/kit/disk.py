"""Free space on the disk: whether a store can still write, without writing. Shared by engines and `backends.stores`."""

import shutil
from pathlib import Path
from typing import Final

from backends.ports.errors import Unavailable

MIN_FREE_BYTES: Final = 1 << 20
"""Bytes; with less, a transaction of some pages and its journal may not fit."""


def disk_full_problem(path: Path, *, min_bytes: int = MIN_FREE_BYTES) -> str | None:
    """Return a sentence if the disk under a folder or file has fewer than `min_bytes` left.

    Returns None otherwise, or if that cannot be determined.
    """
    try:
        free = shutil.disk_usage(path).free
    except OSError:
        return None
    if free >= min_bytes:
        return None
    needed = "" if min_bytes == MIN_FREE_BYTES else f", {min_bytes // 1024} kB are needed"
    return f"the disk of {path} is full ({free // 1024} kB are left{needed}); make room"


def check_free_space(path: Path, *, min_bytes: int) -> None:
    """Raise `Unavailable` if the disk under a folder or file has fewer than `min_bytes` left."""
    if (sentence := disk_full_problem(path, min_bytes=min_bytes)) is not None:
        raise Unavailable(sentence)
