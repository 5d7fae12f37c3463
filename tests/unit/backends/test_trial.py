"""A look in another process leaves nothing behind, and clears what one that was killed has left."""

from pathlib import Path

from filelock import FileLock

from backends.trial import look_through


async def test_what_a_killed_look_left_is_removed(tmp_path: Path) -> None:
    """And what one that goes on at this moment needs is not."""
    left, needed = tmp_path / "examined-left", tmp_path / "examined-needed"
    for folder in (left, needed):
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "copy").write_text("of a file", encoding="utf-8")
    with FileLock(needed / "lock"):
        await look_through("sqlite", {}, tmp_path, (tmp_path / "graph.db",))
        assert (needed / "copy").exists()
    assert [*tmp_path.glob("examined-*")] == [needed]
