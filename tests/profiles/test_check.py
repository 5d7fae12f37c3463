"""`entrepot check` creates nothing and changes nothing."""

from collections.abc import Mapping
from pathlib import Path

from contracts.servers import Combination
from gateway.plugins import installed
from tests.profiles.conftest import Start
from tests.profiles.families import FAMILIES
from tests.support.commands import entrepot
from tests.support.folders import contents


async def check(data: Path, engines: Combination, variables: Mapping[str, str]) -> None:
    """Check all toolsets; only some of them are served by the tests' servers."""
    done = await entrepot("check", "--data-dir", str(data), "--profile", engines.profile, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {*installed()} - {family.toolset for family in FAMILIES}, "nothing is checked that never was"
    assert all(f"toolset {name}: 0 projections" in done.stdout for name in installed())


async def test_nothing_is_created_in_a_new_data_directory(
    engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    await check(tmp_path, engines, variables)
    assert contents(tmp_path) == {}


async def test_the_data_directory_of_a_stopped_server_is_unchanged(
    start: Start, engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    async with start() as server:
        for family in FAMILIES:
            await family.write(server.caller(f"/mcp/{family.toolset}"), "general", "kept")
        await server.caught_up()
    before = contents(tmp_path)
    await check(tmp_path, engines, variables)
    assert contents(tmp_path) == before
