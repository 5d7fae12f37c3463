"""How toolsets are, as operators are told."""

from contextlib import nullcontext

import anyio
import pytest
from pydantic import BaseModel

from gateway import health
from gateway.health import toolsets_health
from gateway.surfaces import Served
from toolsets.spec import RunningToolset, Toolset, ToolsetHealth


async def leaking() -> ToolsetHealth:
    return ToolsetHealth(ok=False, problems=("cannot reach bolt://u:s3cret@host",))


async def broken() -> ToolsetHealth:
    raise ValueError("s3cret")


async def silent() -> ToolsetHealth:
    await anyio.sleep_forever()
    raise AssertionError


async def test_each_toolset_answers_for_itself_and_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE_S", 0.01)
    checks = {"quiet": None, "leaking": leaking, "broken": broken, "silent": silent}
    served = [
        Served(
            Toolset(name, name, "", BaseModel, frozenset(), lambda _: nullcontext(RunningToolset())),
            RunningToolset(health=check),
        )
        for name, check in checks.items()
    ]
    found = await toolsets_health(served, {"quiet": ["the disk is full"]})
    assert {name: each.ok for name, each in found.items()} == {
        "broken": False,
        "leaking": False,
        "quiet": False,
        "silent": False,
    }
    assert "s3cret" not in str(found)
    assert found["quiet"].problems == ("the disk is full",)
    assert found["broken"].problems == ("Its health check failed: ValueError.",)
