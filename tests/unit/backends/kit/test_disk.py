"""Free space on a disk."""

import shutil
from pathlib import Path

import pytest

from backends.kit.disk import check_room, shortage
from backends.ports.errors import Unavailable


def test_a_disk_with_less_than_the_needed_space_is_refused_in_words(tmp_path: Path) -> None:
    beyond = shutil.disk_usage(tmp_path).total + 1
    with pytest.raises(Unavailable, match=rf"the disk of .* is full \(\d+ kB are left, {beyond // 1024} kB are needed"):
        check_room(tmp_path, least=beyond)
    assert shortage(tmp_path, least=beyond) is not None


def test_a_disk_with_room_or_a_missing_folder_is_no_shortage(tmp_path: Path) -> None:
    check_room(tmp_path, least=1)
    assert shortage(tmp_path / "missing") is None
