"""The scan finds files in a stable order and opens none."""

import hashlib
import os
import socket
import time
from pathlib import Path

import pytest

from toolsets.concept_rag.ingestion import files
from toolsets.concept_rag.ingestion.document import NotADocument, SkipKind
from toolsets.concept_rag.ingestion.files import FoundFile, SkippedPath, display_name, scan, sha256_of


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")


def found(*paths: Path, max_bytes: int = 1_000) -> list[str]:
    return [display_name(item.path) for item in scan(paths, max_bytes=max_bytes) if isinstance(item, FoundFile)]


def skipped(*paths: Path, max_bytes: int = 1_000) -> dict[str, SkipKind]:
    return {item.path.name: item.kind for item in scan(paths, max_bytes=max_bytes) if isinstance(item, SkippedPath)}


def test_files_come_in_the_order_of_their_names_below_each_path(tmp_path: Path) -> None:
    write(tmp_path, "b/z.md", "b/a.txt", "B.txt", "a.pdf", "ä.md", "c.html")
    expected = ["B.txt", "a.pdf", "b/a.txt", "b/z.md", "c.html", "ä.md"]
    assert found(tmp_path) == [str(tmp_path / name) for name in expected]
    assert found(tmp_path / "c.html", tmp_path)[0] == str(tmp_path / "c.html")
    assert len(found(tmp_path / "c.html", tmp_path, tmp_path / "b")) == 6


def test_a_file_is_reported_with_the_fields_that_show_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.txt")
    os.utime(tmp_path / "a.txt", ns=(5, 1_600_000_000_123_456_789))
    monkeypatch.chdir(tmp_path)
    state = (tmp_path / "a.txt").stat()
    expected = FoundFile(tmp_path / "a.txt", 4, state.st_mtime_ns, state.st_ino, state.st_dev)
    assert list(scan([Path("x/../a.txt")])) == [expected]


def test_hidden_files_and_folders_are_passed_over_unless_given(tmp_path: Path) -> None:
    write(tmp_path, ".git/a.txt", ".a.txt", "b.txt")
    assert found(tmp_path) == [str(tmp_path / "b.txt")]
    assert found(tmp_path / ".git", tmp_path / ".a.txt") == [str(tmp_path / ".git" / "a.txt"), str(tmp_path / ".a.txt")]
    assert skipped(tmp_path) == {}


def test_pages_in_the_folder_of_a_saved_page_are_parts_of_it(tmp_path: Path) -> None:
    write(tmp_path, "Ovens.html", "Ovens_files/frame.html", "Ovens_files/notes.txt", "Bread_files/crumb.html")
    assert found(tmp_path) == [
        str(tmp_path / name) for name in ("Bread_files/crumb.html", "Ovens.html", "Ovens_files/notes.txt")
    ]
    assert skipped(tmp_path) == {"frame.html": "part_of_page"}


def test_an_entry_that_is_no_regular_file_is_reported_with_its_kind(tmp_path: Path) -> None:
    write(tmp_path, "a.exe", "noending")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "large.txt").write_bytes(b"x" * 1_001)
    (tmp_path / "nowhere.txt").symlink_to("missing")
    (tmp_path / "one.txt").symlink_to("two.txt")
    (tmp_path / "two.txt").symlink_to("one.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket.txt"))
    assert skipped(tmp_path, tmp_path / "gone.txt", Path("/dev/null")) == {
        "a.exe": "unknown_format",
        "empty.txt": "empty",
        "gone.txt": "not_a_file",
        "large.txt": "over_size_limit",
        "noending": "unknown_format",
        "nowhere.txt": "not_a_file",
        "null": "not_a_file",
        "one.txt": "symlink_loop",
        "pipe.txt": "not_a_file",
        "socket.txt": "not_a_file",
        "two.txt": "symlink_loop",
    }


def test_links_to_folders_are_followed_once_and_loops_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a/x.txt")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to("a")
    (tmp_path / "file.txt").symlink_to("a/x.txt")
    assert found(tmp_path) == [str(tmp_path / "a" / "x.txt"), str(tmp_path / "file.txt")]
    assert skipped(tmp_path) == {"loop": "symlink_loop"}


def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "closed/a.txt", "open/a.txt")
    list_folder = files.list_folder

    def refusing(folder: str) -> list[str]:
        # The superuser, who may run the tests, is refused nothing.
        if folder.endswith("closed"):
            raise PermissionError(13, "Permission denied", folder)
        return list_folder(folder)

    monkeypatch.setattr(files, "list_folder", refusing)
    assert skipped(tmp_path) == {"closed": "no_access"}
    assert found(tmp_path) == [str(tmp_path / "open" / "a.txt")]


def test_names_of_any_bytes_are_found_and_shown(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9\n.txt"
    with open(name, "wb") as file:
        file.write(b"text")
    assert found(tmp_path) == [f"{tmp_path}/caf\\xe9\n.txt"]


def test_a_path_with_a_null_is_skipped(tmp_path: Path) -> None:
    assert skipped(tmp_path / "a\0b.txt") == {"a\0b.txt": "not_a_file"}


def test_deep_folders_are_scanned(tmp_path: Path) -> None:
    write(tmp_path, "/".join("d" * 500) + "/a.txt")
    assert len(found(tmp_path)) == 1


def test_a_thousand_files_are_scanned_soon(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number % 10}/{number}.md" for number in range(1_000)))
    start = time.process_time()
    assert len(found(tmp_path)) == 1_000
    assert time.process_time() - start < 2


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)
    assert sha256_of(tmp_path / "a") == hashlib.sha256(b"x" * 3_000_000).hexdigest()
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "missing", "."):
        with pytest.raises(NotADocument):
            sha256_of(tmp_path / name)
