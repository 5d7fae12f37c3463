"""One session of 300 calls, recorded on the embedded profile, gives the same replies on every other."""

from importlib.resources import files
from pathlib import Path

import pytest

from contracts.promises import promise
from contracts.servers import Combination
from contracts.sessions import differences, recorded, stage
from contracts.tools.knowledge.session import CALLS, script


@promise("knowledge:session:replies")
async def test_a_recorded_session_gets_the_recorded_replies(
    engines: Combination, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids and clock are seeded; scores may be 0.005 apart, and rows as near as that may change places."""
    for variable, value in engines.variables().items():
        monkeypatch.setenv(variable, value)
    before = recorded(files("contracts.tools.knowledge").joinpath("session.jsonl").read_text(encoding="utf-8"))
    async with stage(engines.profile, "knowledge", tmp_path) as set_up:
        played = await set_up.play(script)
    assert len(played) == len(before) == CALLS
    for number, (then, now) in enumerate(zip(before, played, strict=True)):
        assert (now.tool, now.arguments) == (then.tool, then.arguments), f"call {number}"
        assert not differences(then.reply, now.reply), f"call {number}: {now.tool} {now.arguments}"
