"""An opened file is found where it was, moved, deleted or replaced, and again once it is back."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backends.kit.file_identity import OpenedPath

TAKE_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


def made(path: Path) -> None:
    path.mkdir() if path.name == "folder" else path.touch()


@pytest.mark.parametrize("name", ["file", "folder"])
def test_what_was_opened_differs_from_what_lies_there(tmp_path: Path, name: str) -> None:
    path, aside = tmp_path / name, tmp_path / "aside"
    made(path)
    opened = OpenedPath(path)
    opened.remember()
    assert opened.state() == "same"
    path.rename(aside)
    assert opened.state() == "moved"
    made(path)
    assert opened.state() == "replaced"
    path.rmdir() if name == "folder" else path.unlink()
    aside.rename(path)
    assert opened.state() == "same"
    opened.close()
    opened.close()


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="this system cannot tell a deleted file from one that was moved")
@pytest.mark.parametrize("name", ["file", "folder"])
def test_a_deleted_file_differs_from_one_that_was_moved(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made(path)
    opened = OpenedPath(path)
    opened.remember()
    path.rmdir() if name == "folder" else path.unlink()
    assert opened.state() == "deleted"
    made(path)
    opened.remember()
    assert opened.state() == "same"
    opened.close()


def test_closing_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    """The system drops all locks that a process has on a file when it closes the file for the first time."""
    path = tmp_path / "file"
    with path.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        opened = OpenedPath(path)
        opened.remember()
        opened.close()
        other = subprocess.run(
            [sys.executable, "-c", TAKE_LOCK, str(path)], capture_output=True, text=True, check=False
        )
    assert "BlockingIOError" in other.stderr
