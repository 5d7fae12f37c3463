"""Damaged files go aside together or not at all."""

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from gateway.errors import Refused
from gateway.quarantine import quarantine


@pytest.fixture
def elsewhere(tmp_path: Path) -> Generator[Path]:
    """A folder on another file system, from which nothing can be renamed to here."""
    shared = Path("/dev/shm")  # noqa: S108 -- a file system of its own on Linux
    if not shared.is_dir() or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)


def written(*files: Path) -> tuple[Path, ...]:
    for file in files:
        file.write_text(file.name, encoding="utf-8")
    return files


def test_all_that_is_there_moves_under_its_name(tmp_path: Path) -> None:
    store, log = written(tmp_path / "graph.db", tmp_path / "graph.db-wal")
    folder = quarantine((store, log, tmp_path / "graph.db-shm"))
    assert {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} == {
        "graph.db": "graph.db",
        "graph.db-wal": "graph.db-wal",
    }
    assert not store.exists()
    assert not log.exists()


def test_a_second_time_within_a_second_takes_a_folder_of_its_own(tmp_path: Path) -> None:
    folders = {quarantine(written(tmp_path / "graph.db")) for _ in range(3)}
    assert len(folders) == 3
    assert all((folder / "graph.db").exists() for folder in folders)


def test_a_failed_quarantine_moves_every_file_back(tmp_path: Path, elsewhere: Path) -> None:
    files = written(tmp_path / "graph.db", tmp_path / "graph.db-wal", elsewhere / "far")
    with pytest.raises(Refused, match=r"graph\.db is damaged and cannot be moved aside, so nothing was moved: .*far"):
        quarantine(files)
    assert all(file.read_text(encoding="utf-8") == file.name for file in files)
    assert not [*tmp_path.glob("damaged-*")]
