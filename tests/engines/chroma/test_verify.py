"""Verification finds damage that only writing meets, and changes nothing."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from backends import integrity
from backends.ports.errors import Unusable
from backends.ports.ids import namespace
from backends.stores import OpenStores
from contracts.ports.vector_records import DIM, NAME, cloud, fill, record
from tests.engines.chroma.conftest import opened

SPACE = namespace("here")
COUNT = 1_500
"""The engine writes the files of an index when it has a thousand rows."""
TABLES = {"vectors": {"kind": "chroma"}}


async def _fill(directory: Path) -> None:
    async with opened(directory) as engine:
        records = (record(f"r{number:04}", row) for number, row in enumerate(cloud(COUNT, 1, DIM)))
        await fill(await engine.vectors(SPACE), *records)


def _digests(directory: Path) -> Mapping[Path, str]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def test_verification_changes_nothing(tmp_path: Path) -> None:
    await _fill(tmp_path)
    async with opened(tmp_path) as engine:
        before = _digests(tmp_path)
        await engine.verify()
        assert _digests(tmp_path) == before
        assert await (await engine.vectors(SPACE)).count(NAME) == COUNT


async def test_links_that_only_a_write_follows_make_the_store_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every record is read and found over them, but the engine never returns from adding one."""
    monkeypatch.setattr(integrity, "SILENCE_S", 10.0)
    await _fill(tmp_path)
    [links] = (tmp_path / "chroma").glob("*/link_lists.bin")
    links.write_bytes(links.read_bytes()[: links.stat().st_size // 2])
    stores = OpenStores(TABLES, tmp_path)
    problem = (await stores.verify())["vectors"]
    assert isinstance(problem, Unusable)
    assert tmp_path / "chroma" / "chroma.sqlite3" in problem.replaceable
    await stores.close()
