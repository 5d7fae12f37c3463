"""A verification in another process leaves nothing behind, and removes the leftovers of killed ones."""

from pathlib import Path

from filelock import FileLock

from backends.integrity import verify_in_child


async def test_the_leftovers_of_a_killed_verification_are_removed(tmp_path: Path) -> None:
    """The folder of a running one is not."""
    left, needed = tmp_path / "verification-left", tmp_path / "verification-needed"
    for folder in (left, needed):
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "copy").write_text("of a file", encoding="utf-8")
    with FileLock(needed / "lock"):
        await verify_in_child("sqlite", {}, tmp_path, (tmp_path / "graph.db",))
        assert (needed / "copy").exists()
    assert [*tmp_path.glob("verification-*")] == [needed]
