"""The engine's own files in a folder are distinguished from others."""

from pathlib import Path

import pytest

from backends.engines.chroma.files import DATABASE, own_files
from backends.ports.ids import namespace
from contracts.ports.vector_records import DIM, cloud, fill, record
from tests.engines.chroma.conftest import opened

INDEX = "0b1f6c1e-7a55-4c3e-9d0a-2f1b3c4d5e6f"
OTHERS = ("events.db", "notes.txt", f"{DATABASE}.bak", INDEX.upper(), INDEX[:-1])


def test_files_of_others_are_left_out(tmp_path: Path) -> None:
    own = {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-journal", INDEX}
    for name in {*own, *OTHERS}:
        (tmp_path / name).touch()
    assert [file.name for file in own_files(tmp_path)] == sorted(own)


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_folder_that_is_missing_or_a_file_has_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert own_files(tmp_path / name) == ()


async def test_everything_that_the_engine_makes_is_its_own(tmp_path: Path) -> None:
    """With index folders, which come with the thousandth row."""
    async with opened(tmp_path) as engine:
        records = (record(f"r{number:04}", row) for number, row in enumerate(cloud(1_200, 1, DIM)))
        await fill(await engine.vectors(namespace("here")), *records)
    folder = tmp_path / "chroma"
    made = {file for file in folder.iterdir() if "lock" not in file.name}
    assert made == {*own_files(folder)}
    assert any(file.is_dir() for file in made)
