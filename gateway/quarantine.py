"""Moves the damaged files of a store into a folder beside it; kept separate because nothing else here moves files."""

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from gateway.errors import Refused

LOCKED_S = 10.0
"""SQLite holds the lock only while it creates an empty file; a server with Kuzu or Chroma holds it until it ends."""


def quarantine(files: Sequence[Path]) -> Path:
    """Move the files that exist into a new folder beside the first one and return the folder.

    Raises `Refused` if that is not possible, or while another process re-creates the first file; every file is then where
    it was.
    """
    try:
        # A server that finds its file missing re-creates it under this lock.
        with FileLock(f"{files[0]}.lock", timeout=LOCKED_S):
            folder = _new_folder(files[0].parent)
            _move([file for file in files if file.exists()], folder)
    except (OSError, Timeout) as problem:
        raise Refused(f"{files[0]} is damaged and cannot be moved aside, so nothing was moved: {problem}") from problem
    return folder


def _move(files: Sequence[Path], folder: Path) -> None:
    """Move all files into a new folder, or none. Raises `Refused` if some can be moved neither forward nor back."""
    moved: list[Path] = []
    try:
        for file in files:
            file.rename(folder / file.name)
            moved.append(file)
    except BaseException as problem:
        try:
            for file in moved:
                (folder / file.name).rename(file)
            folder.rmdir()
        except OSError as further:
            raise Refused(
                f"Some files of a damaged store were moved to {folder}, but the others could not be moved ({problem}), and "
                f"these could not be moved back ({further}). Move them back beside {files[0]}, and try again."
            ) from further
        raise


def _new_folder(parent: Path) -> Path:
    name = time.strftime("damaged-%Y%m%dT%H%M%S")
    folder = parent / name
    for number in count(2):
        with suppress(FileExistsError):
            folder.mkdir()
            break
        folder = parent / f"{name}-{number}"
    return folder
