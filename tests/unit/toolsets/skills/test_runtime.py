"""Health: a store that hangs is named when its time is up, and the others are asked meanwhile."""

import random
from pathlib import Path

import anyio
import pytest

from tests.support.toolsets.skills import stores_in
from toolsets.clock import system_now
from toolsets.skills.runtime import Skills
from toolsets.skills.settings import SkillsSettings
from toolsets.spec import Services


async def test_a_store_that_hangs_is_named_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stores_in(tmp_path) as stores:
        skills = Skills(Services(stores, system_now, random.Random(), SkillsSettings()))
        assert await skills.unanswered(within_s=30) == ()
        monkeypatch.setattr(skills.live_stores, "graph", anyio.sleep_forever)
        with anyio.fail_after(20):
            assert await skills.unanswered(within_s=0.5) == ("The graph did not answer within 0.5 s",)
