"""Comparison of live stores with those of other settings."""

from pathlib import Path

import pytest

from config.settings import Settings
from gateway.comparison import compare
from gateway.errors import Refused
from gateway.rebuild import Rebuild
from tests.unit.gateway.test_rebuild import Notes, settings_of


def over_one_log(directory: Path, name: str) -> Settings:
    """Return settings that serve the skills from stores of their own over the common log."""
    settings = settings_of(directory / name)
    stores = {**settings.stores, "log": {"kind": "sqlite", "directory": str(directory / "log")}}
    defaults = settings.defaults.model_copy(update={"events": "log"})
    return settings.model_copy(update={"stores": stores, "defaults": defaults})


async def test_equal_stores_are_reported_for_each_toolset(tmp_path: Path) -> None:
    live, target = over_one_log(tmp_path, "live"), over_one_log(tmp_path, "target")
    (tmp_path / "live").mkdir()
    await Rebuild(live, None, None, Notes()).run()
    found = await compare(live, target, "skills", Notes())
    assert found.keys() == {"skills"}
    assert found["skills"].equal
    assert (found["skills"].nodes, found["skills"].differing) == (0, 0)


async def test_stores_with_another_log_are_refused(tmp_path: Path) -> None:
    live = settings_of(tmp_path / "live")
    (tmp_path / "live").mkdir()
    await Rebuild(live, None, None, Notes()).run()
    with pytest.raises(Refused, match="skills cannot be compared: The other stores use another event log"):
        await compare(live, settings_of(tmp_path / "other"), None, Notes())


async def test_a_mistyped_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no data directory"):
        await compare(settings_of(tmp_path / "mistyped"), settings_of(tmp_path / "other"), None, Notes())


async def test_a_toolset_that_is_not_served_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        await compare(settings_of(tmp_path), settings_of(tmp_path / "other"), "memory", Notes())
