"""A gateway that is assembled from settings."""

import logging
from contextlib import nullcontext
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel, JsonValue

from backends.ports.errors import Unavailable, Undecodable, Unusable
from config.settings import Settings
from config.sources import load
from gateway.composition import (
    Gateway,
    assemble_gateway,
    background,
    check_data_dir_exists,
    create_data_dir,
    open_stores,
    other_stores,
    warm_up,
)
from gateway.errors import Refused
from gateway.plugins import installed
from gateway.surfaces import Served
from toolsets.spec import BackgroundTask, RunningToolset, Toolset


def settings_of(directory: Path) -> Settings:
    """Return settings that serve the skills alone."""
    others: dict[str, JsonValue] = {each: {"enabled": False} for each in installed() if each != "skills"}
    return load({"data_dir": str(directory), "toolsets": others}).settings


async def test_assembling_opens_nothing(tmp_path: Path) -> None:
    async with assemble_gateway(settings_of(tmp_path / "data")) as gateway:
        assert [each.toolset.name for each in gateway.served] == ["skills"]
        assert gateway.unified is gateway.surfaces[0]
        assert {route.path for route in gateway.routes} >= {"/search", "/create", "/update"}
        assert await gateway.full_stores() == {}
    assert [*tmp_path.iterdir()] == []


async def test_only_what_is_asked_for_is_assembled(tmp_path: Path) -> None:
    settings = load({"data_dir": str(tmp_path)}).settings
    async with assemble_gateway(settings, ["memory"]) as gateway:
        assert [each.toolset.name for each in gateway.served] == ["memory"]
    with pytest.raises(Refused):
        async with assemble_gateway(settings, ["nothing"]):
            pass


async def test_every_store_in_use_is_opened(tmp_path: Path) -> None:
    async with assemble_gateway(settings_of(tmp_path)) as gateway:
        await open_stores(gateway)
        assert [*tmp_path.iterdir()] != []
        await warm_up(gateway)


def running(name: str, **parts: object) -> Served:
    """Return a toolset with these parts."""
    running = RunningToolset(**parts)  # pyright: ignore[reportArgumentType]
    return Served(Toolset(name, name, name, BaseModel, frozenset(), lambda _: nullcontext(running)), running)


async def opened_with(tmp_path: Path, error: Exception) -> None:
    async def fail() -> None:
        raise error

    async with assemble_gateway(settings_of(tmp_path), ["skills"]) as gateway:
        failing = running("x", open=fail)
        await open_stores(Gateway(gateway.settings, (), gateway.stores, (failing,), gateway.surfaces, gateway.routes))


@pytest.mark.parametrize("error", [Unavailable("away"), Undecodable("odd")])
async def test_what_may_answer_later_is_logged(
    tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    await opened_with(tmp_path, error)
    assert str(error) in caplog.text


async def test_a_store_that_must_not_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="another model"):
        await opened_with(tmp_path, Unusable("another model"))


async def test_background_tasks_run_until_the_block_is_left_and_one_that_fails_ends_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)
    seen: list[str] = []

    async def forever() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            seen.append("ended")

    async def failing() -> None:
        seen.append("ran")
        raise ValueError("broken")

    tasks = (BackgroundTask("forever", forever), BackgroundTask("failing", failing))
    with anyio.fail_after(5):
        async with background([running("x", background=tasks)]):
            await anyio.wait_all_tasks_blocked()
            assert seen == ["ran"]
    assert seen == ["ran", "ended"]
    assert "The background task failing ended with an error" in caplog.text


async def test_the_stores_of_other_settings_are_opened_on_first_use(tmp_path: Path) -> None:
    target = settings_of(tmp_path / "other")
    async with other_stores(target, "skills", beside=settings_of(tmp_path / "own")) as other:
        assert other.assignment.toolset.name == "skills"
        assert [*(tmp_path / "other").iterdir()] == []
        assert await (await other.stores.events()).head() == 0
    assert [*(tmp_path / "other").iterdir()] != []
    with pytest.raises(Refused):
        async with other_stores(target, "memory"):
            pass


def test_a_data_directory_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    create_data_dir(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o077 == 0
    check_data_dir_exists(tmp_path / "a" / "b")


def test_a_data_directory_that_is_missing_or_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no data directory"):
        check_data_dir_exists(tmp_path / "mistyped")
    assert not (tmp_path / "mistyped").exists()
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="cannot be used"):
        create_data_dir(tmp_path / "file")
