"""The engine over one file: its name, its health, its end."""

from pathlib import Path

import pytest

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import Unavailable
from tests.engines.kuzu.files import SPACE, filled, opened


def test_the_files_of_a_store_are_known_before_it_is_opened(tmp_path: Path) -> None:
    files = ADAPTER.files({"file": "sub/other.kuzu"}, tmp_path)
    assert files[0] == tmp_path / "sub" / "other.kuzu"
    assert tmp_path / "sub" / "other.kuzu.wal" in files
    assert (ADAPTER.driver({}), ADAPTER.driver({"driver": "ladybug"})) == ("kuzu", "ladybug")


async def test_health_names_the_file_its_schema_and_the_driver(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    health = await engine.health()
    assert (health.ok, health.detail) == (True, f"{tmp_path / 'graph.kuzu'} answers")
    assert set(health.versions) == {driver, "graph.kuzu"}
    assert await engine.out_of_space() is None
    await engine.close()


async def test_closing_twice_is_fine_and_later_calls_are_unavailable(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await engine.close()
    await engine.close()
    with pytest.raises(Unavailable):
        await graph.get_meta("key")
    assert not (await engine.health()).ok


async def test_everything_in_the_folder_of_a_closed_store_is_its_own(tmp_path: Path, driver: str) -> None:
    await filled(tmp_path, driver)
    made = {file for file in tmp_path.iterdir() if "lock" not in file.name}
    assert made <= {*ADAPTER.files({"driver": driver}, tmp_path)}
