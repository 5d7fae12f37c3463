"""Free space on a disk."""

import shutil
from pathlib import Path

import pytest

from backends.kit.disk import check_free_space, disk_full_problem
from backends.ports.errors import Unavailable


def test_a_disk_with_less_than_the_needed_space_is_refused_in_words(tmp_path: Path) -> None:
    beyond = shutil.disk_usage(tmp_path).total + 1
    with pytest.raises(Unavailable, match=rf"the disk of .* is full \(\d+ kB are left, {beyond // 1024} kB are needed"):
        check_free_space(tmp_path, min_bytes=beyond)
    assert disk_full_problem(tmp_path, min_bytes=beyond) is not None


def test_a_disk_with_space_or_a_missing_folder_is_no_problem(tmp_path: Path) -> None:
    check_free_space(tmp_path, min_bytes=1)
    assert disk_full_problem(tmp_path / "missing") is None
