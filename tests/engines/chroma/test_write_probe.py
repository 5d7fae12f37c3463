"""A probe writes to a copy: a folder stays as it is, and damage that shows only on writing is found."""

from pathlib import Path

import pytest

from backends.engines.chroma.write_probe import probe_writes
from backends.ports.errors import Unusable
from backends.ports.ids import namespace
from contracts.ports.vector_records import DIM, cloud, fill, record
from tests.engines.chroma.conftest import opened
from tests.support.folders import contents

TIMEOUT_S = 60.0


async def filled(directory: Path, count: int) -> Path:
    """Fill a folder and close it; a thousand records have an index on disk."""
    async with opened(directory) as engine:
        records = (record(f"r{number:04}", row) for number, row in enumerate(cloud(count, 1, DIM)))
        await fill(await engine.vectors(namespace("here")), *records)
    return directory / "chroma"


@pytest.mark.parametrize("count", [3, 1_200])
async def test_a_probe_leaves_the_folder_as_it_is(tmp_path: Path, count: int) -> None:
    folder = await filled(tmp_path, count)
    before = contents(tmp_path)
    await probe_writes(folder, TIMEOUT_S)
    assert contents(tmp_path) == before


async def test_a_database_that_cannot_be_read_is_damage_of_the_folder(tmp_path: Path) -> None:
    """The message names the folder, not the copy."""
    folder = await filled(tmp_path, 3)
    (folder / "chroma.sqlite3").write_bytes(b"no database at all " * 500)
    before = {*tmp_path.iterdir()}
    with pytest.raises(Unusable, match=f"Chroma in {folder} cannot be used") as problem:
        await probe_writes(folder, TIMEOUT_S)
    assert folder / "chroma.sqlite3" in problem.value.replaceable
    assert {*tmp_path.iterdir()} == before
