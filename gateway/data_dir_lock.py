"""The lock of a data directory: shared by all that use its files, exclusive for whoever moves files away.

The directory itself is locked: no lock file is needed, and the system drops the lock with the process that holds it.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from gateway.errors import Refused


@contextmanager
def in_use(data_dir: Path) -> Generator[None]:
    """Keep the files where they are until the block is left. Raises `Refused` while a rebuild moves some."""
    taken = f"A rebuild is replacing damaged files in {data_dir}: start again when it has ended."
    with _locked(data_dir, fcntl.LOCK_SH, taken):
        yield


@contextmanager
def alone(data_dir: Path) -> Generator[None]:
    """Keep other processes out until the block is left. Raises `Refused` while one works there."""
    taken = (
        f"What is damaged cannot be moved out of {data_dir} while other processes work there, so nothing was moved: "
        "stop the servers and commands that do, and run `entrepot rebuild` again."
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
