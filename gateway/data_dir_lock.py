"""The lock of a data directory: shared by all processes that use its files, exclusive for one that moves files.

The directory itself is locked, so no lock file is needed, and the system releases the lock when the process ends.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from gateway.errors import Refused


@contextmanager
def shared_lock(data_dir: Path) -> Generator[None]:
    """Prevent files from being moved inside the block. Raises `Refused` while a rebuild moves some."""
    taken = f"A rebuild is replacing damaged files in {data_dir}; try again when it has finished."
    with _locked(data_dir, fcntl.LOCK_SH, taken):
        yield


@contextmanager
def exclusive_lock(data_dir: Path) -> Generator[None]:
    """Keep other processes out inside the block. Raises `Refused` if one is using the directory."""
    taken = (
        f"Damaged files cannot be moved out of {data_dir} while other processes use it, so nothing was moved: "
        "stop those servers and commands, and run `entrepot rebuild` again."
    )
    with _locked(data_dir, fcntl.LOCK_EX, taken):
        yield


@contextmanager
def _locked(data_dir: Path, how: int, taken: str) -> Generator[None]:
    try:
        directory = os.open(data_dir, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as problem:
        raise Refused(f"The data directory {data_dir} cannot be used: {problem}") from problem
    try:
        try:
            fcntl.flock(directory, how | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(taken) from None
        except OSError as problem:
            raise Refused(f"The data directory {data_dir} cannot be locked: {problem}") from problem
        yield
    finally:
        os.close(directory)
