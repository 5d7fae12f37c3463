"""A verification in another process leaves nothing behind, and removes the leftovers of killed ones."""

import signal
import subprocess
from pathlib import Path

from filelock import FileLock

from backends.integrity import verify_in_child
from backends.kit.child_process import child_command, child_environment


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


def test_a_hanging_child_whose_parent_is_gone_ends_after_twice_the_silence() -> None:
    """A child that hangs sends no heartbeats and reads no signal that the parent has ended; only a timer can end it."""
    program = "import time\nfrom backends import integrity\nintegrity._extend_life(0.05)\ntime.sleep(60)"
    child = subprocess.run(child_command("-c", program), env=child_environment(), check=False, timeout=30)
    assert child.returncode == -signal.SIGALRM
