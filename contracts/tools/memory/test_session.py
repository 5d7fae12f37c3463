"""One session of 150 calls, recorded on the embedded profile, gives the same replies on every other."""

from pathlib import Path

import pytest

from contracts.promises import promise
from contracts.servers import Combination
from contracts.sessions import changes
from contracts.tools.memory.session import CALLS, SESSION


@promise("memory:session:replies")
async def test_a_recorded_session_gets_the_recorded_replies(
    engines: Combination, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids and clock are seeded; scores may be 0.005 apart, and rows as near as that may change places."""
    for variable, value in engines.variables().items():
        monkeypatch.setenv(variable, value)
    before = SESSION.recorded()
    assert len(before) == CALLS
    assert not changes(before, await SESSION.played(engines.profile, tmp_path))
