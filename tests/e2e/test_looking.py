"""A log that is lost is told by `entrepot check`, and not made by it."""

from pathlib import Path

from tests.support.folders import contents
from tests.support.knowledge import create
from tests.support.processes import Command, run
from tests.support.servers import ours_http


async def test_a_lost_log_is_not_made_by_looking_for_it(tmp_path: Path) -> None:
    """Made, it would be one that knows nothing of what the graph holds."""
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "kept", area="general")
    for file in tmp_path.glob("events.db*"):
        file.unlink()
    before = set(contents(tmp_path))
    done = run(Command(["check", "--data-dir", str(tmp_path)]))
    assert "graph.db" in done.stdout, done.stderr
    assert set(contents(tmp_path)) == before
