"""A path is open once, in this process as in others, whatever name it goes by."""

import subprocess
import sys
from pathlib import Path

import pytest

from backends.kit import file_lock
from backends.ports.errors import AlreadyOpen, Unavailable


def test_a_path_is_acquired_once_until_it_is_released(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "store")
    lock = file_lock.acquire(tmp_path / "store")
    for name in (tmp_path / "store", link, tmp_path / "other" / ".." / "store"):
        with pytest.raises(AlreadyOpen, match="is open already"):
            file_lock.acquire(name)
    lock.release()
    lock.release()
    file_lock.acquire(link).release()


def test_another_process_cannot_acquire_it(tmp_path: Path) -> None:
    lock = file_lock.acquire(tmp_path / "store")
    attempt = (
        "import sys; from pathlib import Path; from backends.kit import file_lock; file_lock.acquire(Path(sys.argv[1]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", attempt, str(tmp_path / "store")], capture_output=True, text=True, check=False
    )
    assert "AlreadyOpen" in ran.stderr
    lock.release()


def test_a_place_that_takes_no_lock_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="cannot be used"):
        file_lock.acquire(tmp_path / "file" / "store")
