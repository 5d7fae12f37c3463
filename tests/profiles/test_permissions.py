"""Whatever the engines keep in files is for their owner alone."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.profiles.conftest import Start
from tests.profiles.families import FAMILIES

OTHERS = 0o077


async def test_nobody_else_may_read_what_is_made_in_the_data_directory(
    start: Start, variables: Mapping[str, str], tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    async with start() as server:
        for family in FAMILIES:
            await family.write(server.caller(f"/mcp/{family.toolset}"), "general", "kept")
        await server.caught_up()
        made = {path.relative_to(tmp_path): path.lstat().st_mode & OTHERS for path in tmp_path.rglob("*")}
    if not made and any(name.endswith("__URI") for name in variables):
        pytest.skip("the engines of this profile keep nothing in the data directory")
    assert made
    assert {str(path): oct(mode) for path, mode in made.items() if mode} == {}
