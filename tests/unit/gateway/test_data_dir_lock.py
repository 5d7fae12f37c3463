"""The lock of a data directory."""

from pathlib import Path

import pytest

from gateway.data_dir_lock import exclusive_lock, shared_lock
from gateway.errors import Refused


def test_many_use_a_directory_at_once(tmp_path: Path) -> None:
    with shared_lock(tmp_path), shared_lock(tmp_path):
        pass
    assert [*tmp_path.iterdir()] == []


def test_nobody_is_alone_while_somebody_uses_it(tmp_path: Path) -> None:
    with (
        shared_lock(tmp_path),
        pytest.raises(Refused, match="so nothing was moved: stop those servers"),
        exclusive_lock(tmp_path),
    ):
        pass
    with exclusive_lock(tmp_path):
        pass


def test_nobody_uses_it_while_files_are_moved(tmp_path: Path) -> None:
    with (
        exclusive_lock(tmp_path),
        pytest.raises(Refused, match="try again when it has finished"),
        shared_lock(tmp_path),
    ):
        pass
    with shared_lock(tmp_path):
        pass


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive_lock(tmp_path):
        raise KeyError
    with exclusive_lock(tmp_path):
        pass


def test_what_is_no_directory_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for missing in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(Refused, match="cannot be used"), shared_lock(missing):
            pass
