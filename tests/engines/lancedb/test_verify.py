"""Verification finds damage that reading records does not, and changes nothing."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol, cast

import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.verify import PROBE
from backends.ports.errors import Unusable
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, MODEL, NAME, axis, cloud, names_stored, record
from tests.engines.lancedb.tables import bare_table, opened, table_folder

FIELDS = (FieldSpec("rank", "int", sort=True), FieldSpec("colour", "str"), FieldSpec("tags", "strs"))
INDEXED = ("id", "words", "f_rank", "f_colour", "f_tags", "vector")


class Index(Protocol):
    """The part of the driver's index configuration that the tests use."""

    @property
    def columns(self) -> list[str]: ...

    @property
    def index_uuid(self) -> str: ...


async def _fill(directory: Path) -> None:
    """Fill a collection with 300 records, of which all columns are indexed."""
    async with opened(directory, index_from=256) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
        records = [
            record(f"r{number:03}", row, f"word{number} it's", rank=number, colour="red's", tags=("a", "b"))
            for number, row in enumerate(cloud(300, 1))
        ]
        await vectors.upsert(NAME, records)
        await vectors.delete(NAME, {RecordId("r000"): Revision(2)})
        await vectors.set_meta("key", "value")
        await vectors.maintain(NAME)


async def _verify(directory: Path) -> None:
    engine = await ADAPTER.open({"index_from": 256}, directory)
    try:
        await engine.verify()
    finally:
        await engine.close()


def _digests(directory: Path) -> Mapping[Path, str]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def test_verification_changes_nothing(tmp_path: Path) -> None:
    await _fill(tmp_path)
    before = _digests(tmp_path)
    await _verify(tmp_path)
    assert _digests(tmp_path) == before
    async with opened(tmp_path) as vectors:
        assert PROBE not in await names_stored(vectors)
        assert (await vectors.revisions(NAME, [RecordId("r001")])) == {"r001": 1}


async def test_an_empty_collection_and_an_empty_folder_are_sound(tmp_path: Path) -> None:
    await _verify(tmp_path)
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
    await _verify(tmp_path)


async def test_records_without_words_and_tags_are_sound(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
        await vectors.upsert(
            NAME, [record("a", axis(0), "", tags=()), record("b", axis(1), "?!"), record("c", axis(2))]
        )
    await _verify(tmp_path)


async def _folders_by_column(directory: Path) -> Mapping[str, Path]:
    """Return the folder of each column's index."""
    indexes = cast("Iterable[Index]", await (await bare_table(directory)).list_indices())
    return {index.columns[0]: table_folder(directory) / "_indices" / index.index_uuid for index in indexes}


@pytest.mark.parametrize("column", INDEXED)
async def test_a_damaged_index_makes_the_store_unusable(tmp_path: Path, column: str) -> None:
    await _fill(tmp_path)
    folders = await _folders_by_column(tmp_path)
    for file in folders[column].rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00" * file.stat().st_size)
    async with opened(tmp_path) as vectors:
        assert len(await names_stored(vectors)) == 299, "a scan reads no index"
    with pytest.raises(Unusable, match="entrepot rebuild") as problem:
        await _verify(tmp_path)
    assert table_folder(tmp_path) in problem.value.replaceable
