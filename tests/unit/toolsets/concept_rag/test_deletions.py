"""Files that were deleted, and files whose disk is not there."""

import os
import shutil
import tempfile
from collections.abc import Generator, Mapping, Set
from pathlib import Path

import pytest

from toolsets.concept_rag.deletions import EMPTY, LEADS_NOWHERE, MISSING, NO_FOLDER, OTHER_DISK, Deletions
from toolsets.concept_rag.ingestion.files import FoundFile, scan


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Path]:
    """A folder on another device."""
    if not os.access("/dev/shm", os.W_OK) or Path("/dev/shm").stat().st_dev == tmp_path.stat().st_dev:  # noqa: S108
        pytest.skip("there is no second device")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as made:
        yield Path(made)


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("A relay is a switch.", encoding="utf-8")


class Watch:
    """Looks at paths again and again, as a server does."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths
        self.deletions = Deletions(paths)
        self.recorded: Set[str] = set()

    def look(self) -> tuple[Set[str], Mapping[str, str]]:
        present = {str(each.path) for each in scan(self.paths) if isinstance(each, FoundFile)}
        lost = self.deletions.find(self.recorded, present)
        self.recorded = lost.recorded
        return lost.deleted, lost.kept

    def restarted(self) -> "Watch":
        again = Watch(*self.paths)
        again.recorded = self.recorded
        return again


@pytest.fixture
def watch(folder: Path) -> Watch:
    write(folder, "a.md", "b.md", "inner/c.md", "inner/deep/d.md")
    watching = Watch(folder)
    assert watching.look() == (set(), {})
    return watching


def test_files_that_went_while_others_stay_are_deleted(watch: Watch, folder: Path) -> None:
    (folder / "a.md").unlink()
    shutil.rmtree(folder / "inner")
    deleted = {str(folder / name) for name in ("a.md", "inner/c.md", "inner/deep/d.md")}
    assert watch.look() == (deleted, {})
    assert watch.restarted().look() == (deleted, {})


def test_files_of_a_renamed_folder_are_deleted_at_their_old_place(watch: Watch, folder: Path) -> None:
    (folder / "inner").rename(folder / "outer")
    assert watch.look() == ({str(folder / "inner/c.md"), str(folder / "inner/deep/d.md")}, {})
    assert str(folder / "outer/deep/d.md") in watch.recorded


def test_a_folder_that_is_missing_empty_or_a_file_has_no_deleted_files(watch: Watch, folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    for each in (watch, watch.restarted()):
        assert each.look() == (set(), {str(folder): MISSING})
    (folder / "inner").mkdir(parents=True)
    for each in (watch, watch.restarted()):
        assert each.look() == (set(), {str(folder): EMPTY})
    (folder / "inner").rmdir()
    folder.rmdir()
    folder.write_bytes(b"no folder")
    for each in (watch, watch.restarted()):
        assert each.look() == (set(), {str(folder): NO_FOLDER})
    folder.unlink()
    folder.with_name("elsewhere").rename(folder)
    assert watch.look() == (set(), {})


def test_an_empty_folder_keeps_its_files_within_another_followed_folder(folder: Path) -> None:
    write(folder, "a.md", "disk/b.md")
    watch = Watch(folder, folder / "disk")
    watch.look()
    (folder / "disk/b.md").unlink()
    assert watch.look() == (set(), {str(folder / "disk"): EMPTY})


def test_a_configured_file_is_deleted_if_its_folder_has_others(folder: Path) -> None:
    write(folder, "a.md", "b.md")
    watch = Watch(folder / "a.md")
    watch.look()
    (folder / "a.md").unlink()
    assert watch.look() == ({str(folder / "a.md")}, {})
    (folder / "b.md").unlink()
    assert watch.look() == (set(), {str(folder / "a.md"): MISSING})


def test_files_below_a_link_stay_while_it_leads_nowhere_and_go_with_it(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.md")
    write(tmp_path / "other", "b.md")
    (folder / "link").symlink_to(tmp_path / "other")
    watch = Watch(folder)
    watch.look()
    (tmp_path / "other").rename(tmp_path / "away")
    assert watch.look() == (set(), {str(folder / "link"): LEADS_NOWHERE})
    assert watch.restarted().look() == (set(), {str(folder / "link"): LEADS_NOWHERE})
    (folder / "link").unlink()
    assert watch.look() == ({str(folder / "link/b.md")}, {})


@pytest.mark.parametrize("place", [".", "disk", "some/disk"])
def test_files_of_a_disk_stay_while_another_one_is_in_its_place(tmp_path: Path, disk: Path, place: str) -> None:
    """A link to a folder on another device stands for a mount point, which is a folder below once it is unmounted."""
    root = tmp_path / "books"
    mount = Path(os.path.normpath(root / place))
    if mount != root:
        write(root, "a.md")
    write(disk, "b.md", "inner/c.md")
    mount.parent.mkdir(exist_ok=True)
    mount.symlink_to(disk)
    watch = Watch(root)
    watch.look()
    mount.unlink()
    write(mount, "other.md")
    for _ in range(3):
        assert watch.look() == (set(), {str(mount): OTHER_DISK})
    shutil.rmtree(mount)
    mount.symlink_to(disk)
    assert watch.look() == (set(), {})
    (mount / "b.md").unlink()
    assert watch.look() == ({str(mount / "b.md")}, {})


def test_a_folder_that_moved_to_another_disk_has_deleted_files(tmp_path: Path, disk: Path) -> None:
    root = tmp_path / "books"
    write(root, "a.md", "b.md")
    watch = Watch(root)
    watch.look()
    shutil.copytree(root, disk, dirs_exist_ok=True)
    shutil.rmtree(root)
    root.symlink_to(disk)
    (root / "a.md").unlink()
    assert watch.look() == ({str(root / "a.md")}, {})
