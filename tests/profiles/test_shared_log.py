"""Two servers with stores of their own on one PostgreSQL log, also while one of them rebuilds its stores."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.profiles.conftest import TOOLSETS
from tests.profiles.families import FAMILIES
from tests.support.commands import rebuild
from tests.support.servers import Running, ours_http

GROUP = "shared"
PATIENCE_S = 60.0


async def write(server: Running, name: str) -> None:
    for family in FAMILIES:
        assert family.stands(await family.write(server.caller(f"/mcp/{family.toolset}"), GROUP, name))


async def shown(server: Running, *names: str) -> None:
    """Wait until a server lists exactly these facts in every toolset, and is ready without a lag."""
    async with asyncio.timeout(PATIENCE_S):
        for family in FAMILIES:
            caller = server.caller(f"/mcp/{family.toolset}")
            while sorted(await family.listed(caller, GROUP)) != sorted(names):
                await asyncio.sleep(0.1)
    await server.caught_up()


async def test_each_server_fills_its_own_stores_from_the_common_log(
    on_its_log: Mapping[str, str], tmp_path: Path
) -> None:
    """Lease, checkpoint and live generation belong to a store: those of one server never serve for the other's."""
    if not on_its_log:
        pytest.skip("the log of this profile is not on a server")
    one_place, other_place = tmp_path / "one", tmp_path / "other"
    async with ours_http(one_place, toolsets=TOOLSETS, variables=on_its_log) as one:
        await write(one, "before the other")
        async with ours_http(other_place, toolsets=TOOLSETS, variables=on_its_log) as other:
            await shown(other, "before the other")
            await write(other, "by the other")
            for server in (one, other):
                await shown(server, "before the other", "by the other")
            assert (await rebuild(one_place, variables=on_its_log)).keys() >= {family.toolset for family in FAMILIES}
            await write(one, "after the rebuild")
            await write(other, "last")
            for server in (one, other):
                await shown(server, "before the other", "by the other", "after the rebuild", "last")
    assert not (one_place / "events.db").exists()
