"""Calls end with the engine."""

import asyncio
from pathlib import Path

import pytest

from backends.engines.lancedb.connection import Calls
from backends.kit.file_identity import OpenedPath
from backends.ports.errors import NotFound, StoreError, Timeout, Unavailable
from contracts.ports.vector_records import NAME, fill, record
from tests.engines.lancedb.tables import opened


async def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r"))
    with pytest.raises(StoreError) as problem:
        await vectors.count(NAME)
    assert isinstance(problem.value, Unavailable)


async def test_a_call_that_takes_too_long_times_out() -> None:
    calls = Calls("here", 0.01)
    with pytest.raises(Timeout, match=r"here did not answer within 0\.01 seconds"):
        await calls.run(asyncio.sleep(60))
    assert await calls.run(asyncio.sleep(0.02, "done"), timeout_s=30) == "done"


@pytest.mark.parametrize(
    ("raised", "error"),
    [(RuntimeError("Table 'x' was not found"), NotFound), (OSError("No space left"), Unavailable)],
)
async def test_an_error_of_the_driver_is_translated(raised: Exception, error: type[StoreError]) -> None:
    async def fail() -> None:
        raise raised

    with pytest.raises(error, match="here") as problem:
        await Calls("here", 10).run(fail())
    assert problem.value.__cause__ is raised


async def test_a_folder_that_was_replaced_fails_every_later_call(tmp_path: Path) -> None:
    """Even if the former one is put back: the driver would continue from other versions."""
    location = tmp_path / "place"
    location.mkdir()
    folder = OpenedPath(location)
    folder.remember()
    calls = Calls("here", 10, folder)
    assert await calls.run(asyncio.sleep(0, "done")) == "done"
    location.rename(tmp_path / "aside")
    with pytest.raises(Unavailable, match="moved away"):
        await calls.run(asyncio.sleep(0))
    location.mkdir()
    with pytest.raises(Unavailable, match="was removed or replaced"):
        await calls.run(asyncio.sleep(0))
    location.rmdir()
    (tmp_path / "aside").rename(location)
    assert calls.lost
    with pytest.raises(Unavailable, match="was removed or replaced"):
        await calls.run(asyncio.sleep(0))
    calls.close()
    calls.close()
