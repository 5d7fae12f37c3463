"""The lock of a data directory."""

from pathlib import Path

import pytest

from gateway.data_dir_lock import exclusive, shared
from gateway.errors import Refused


def test_many_use_a_directory_at_once(tmp_path: Path) -> None:
    with shared(tmp_path), shared(tmp_path):
        pass
    assert [*tmp_path.iterdir()] == []


def test_nobody_is_alone_while_somebody_uses_it(tmp_path: Path) -> None:
    with (
        shared(tmp_path),
        pytest.raises(Refused, match="so nothing was moved: stop those servers"),
        exclusive(tmp_path),
    ):
        pass
    with exclusive(tmp_path):
        pass


def test_nobody_uses_it_while_files_are_moved(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(Refused, match="try again when it has finished"), shared(tmp_path):
        pass
    with shared(tmp_path):
        pass


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive(tmp_path):
        raise KeyError
    with exclusive(tmp_path):
        pass


def test_what_is_no_directory_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for missing in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(Refused, match="cannot be used"), shared(missing):
            pass
