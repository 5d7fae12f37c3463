"""Rebuilds of a data directory."""

from pathlib import Path

import pytest
from filelock import FileLock
from pydantic import JsonValue

from config.settings import Settings
from config.sources import load
from gateway.errors import Refused
from gateway.plugins import installed
from gateway.rebuild import Rebuild, Rebuilt
from toolsets.reports import Progress, no_progress


class Notes:
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def progress(self, toolset: str) -> Progress:
        return no_progress


def settings_of(directory: Path) -> Settings:
    """Return settings that serve the skills alone."""
    others: dict[str, JsonValue] = {each: {"enabled": False} for each in installed() if each != "skills"}
    return load({"data_dir": str(directory), "toolsets": others}).settings


async def rebuilt(directory: Path, toolset: str | None = None, target: Settings | None = None) -> Rebuilt:
    return await Rebuild(settings_of(directory), toolset, target, Notes()).run()


async def test_an_empty_data_directory_is_rebuilt_from_no_events(tmp_path: Path) -> None:
    found = await rebuilt(tmp_path)
    assert (found.reports.keys(), found.stopped) == ({"skills"}, [])
    assert (found.reports["skills"].events, found.reports["skills"].nodes) == (0, 0)


async def test_a_mistyped_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no data directory"):
        await rebuilt(tmp_path / "mistyped")


async def test_a_second_rebuild_is_refused_while_the_first_one_runs(tmp_path: Path) -> None:
    with FileLock(tmp_path / "rebuild.lock"), pytest.raises(Refused, match="Another rebuild"):
        await rebuilt(tmp_path)


async def test_the_stores_of_other_settings_are_filled_and_equal(tmp_path: Path) -> None:
    target = settings_of(tmp_path / "other")
    (tmp_path / "own").mkdir()
    reports = (await rebuilt(tmp_path / "own", target=target)).reports
    assert reports["skills"].nodes == 0
    assert (tmp_path / "other").is_dir()


async def test_one_cause_that_stops_several_toolsets_is_one_sentence(tmp_path: Path) -> None:
    others: dict[str, JsonValue] = {each: {"enabled": False} for each in ("agent_graph", "concept_rag", "memory")}
    stores: dict[str, JsonValue] = {"embedded": {"kind": "sqlite", "max_page": 3}}
    settings = load({"data_dir": str(tmp_path), "toolsets": others, "stores": stores}).settings
    found = await Rebuild(settings, None, None, Notes()).run()
    assert found == Rebuilt(
        {},
        [
            "The rebuild of knowledge and skills stopped: [stores.embedded]: option max_page: there is no such option; "
            "did you mean max_pages? Stores that were not switched yet are unchanged"
        ],
    )
