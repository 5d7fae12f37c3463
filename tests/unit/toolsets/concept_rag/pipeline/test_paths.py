"""Recorded paths, and whether their files still exist."""

import os
from collections.abc import Iterator
from pathlib import Path

from toolsets.concept_rag.pipeline.paths import file_path, is_below, is_gone, older_than, recorded_path, with_parents


def test_a_path_is_below_itself_and_its_folders_only() -> None:
    assert is_below("/a/b.md", {"/a"})
    assert is_below("/a/b.md", {"/a/b.md", "/c"})
    assert is_below("/a", {"/"})
    assert not is_below("/ab/c.md", {"/a"})


class Many(frozenset[str]):
    """So many folders that looking at each of them would take too long."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("each of the folders was looked at")


def test_a_path_is_not_compared_with_each_of_many_folders() -> None:
    assert is_below("/a/b/c.md", Many(("/a/b", "/c")))
    assert not is_below("/a/b/c.md", Many(("/a/c",)))


def test_a_folder_has_a_path_if_it_is_among_the_parents() -> None:
    assert with_parents(["/a/b/c.md", "/a/d.md"]) == {"/a/b/c.md", "/a/b", "/a", "/a/d.md", "/"}
    assert with_parents([]) == set()


def test_names_of_any_bytes_are_found_again(tmp_path: Path) -> None:
    for name in (b"caf\xe9.md", b"back\\slash.md", b"literal\\xff.md"):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        path.write_bytes(b"x")
        recorded = recorded_path(path)
        recorded.encode()
        assert file_path(recorded) == path
        assert not is_gone(recorded)
        path.unlink()
        assert is_gone(recorded)


def test_what_is_no_file_any_more_is_gone_and_what_cannot_be_asked_is_not(tmp_path: Path) -> None:
    assert is_gone(str(tmp_path))
    (tmp_path / "file").write_bytes(b"x")
    assert is_gone(str(tmp_path / "file" / "inside"))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not is_gone(str(tmp_path / "loop"))


def test_a_file_that_another_run_removes_meanwhile_is_not_an_old_one(tmp_path: Path) -> None:
    old, gone = tmp_path / "old", tmp_path / "gone"
    old.write_bytes(b"x")
    assert older_than([gone, old], old.stat().st_mtime + 1) == [old]
    assert older_than([gone, old], old.stat().st_mtime) == []
