"""The port over the tables of a folder: large calls are divided, and tables are only there for collections."""

from pathlib import Path

import pytest

from backends.engines.lancedb import vectors as port
from backends.ports.errors import InvalidInput
from backends.ports.values import RecordId, Revision
from contracts.ports.vector_records import DIM, NAME, THINGS, axis, cloud, fill, names_stored, record
from tests.engines.lancedb.tables import bare_table, opened, table_folder


async def test_calls_with_more_ids_than_one_condition_takes_are_divided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "AT_ONCE", 7)
    records = [record(f"r{number:02}", row, rank=number) for number, row in enumerate(cloud(30, 1))]
    names = [item.id for item in records]
    async with opened(tmp_path) as vectors:
        await fill(vectors, *records)
        found = await vectors.get(NAME, [*names, RecordId("unknown"), names[0]])
        assert {name: item.fields["rank"] for name, item in found.items()} == {
            name: number for number, name in enumerate(names)
        }
        await vectors.delete(NAME, dict.fromkeys(names[:20], Revision(2)))
        assert await vectors.revisions(NAME, names) == {
            name: 2 if number < 20 else 1 for number, name in enumerate(names)
        }
        assert await names_stored(vectors) == names[20:]


async def test_a_dropped_collection_leaves_no_table(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r"))
        assert table_folder(tmp_path).is_dir()
        await vectors.drop(NAME)
        assert not table_folder(tmp_path).exists()


async def test_deleted_records_stay_as_rows_that_nothing_finds(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r", axis(1), "word"), record("s", axis(1), "word"))
        await vectors.delete(NAME, {RecordId("r"): Revision(2), RecordId("never"): Revision(3)})
        assert await (await bare_table(tmp_path)).count_rows() == 3
        assert await vectors.count(NAME) == 1
        assert [hit.id for hit in await vectors.dense(NAME, axis(1), 5)] == ["s"]
        assert [hit.id for hit in await vectors.keyword(NAME, "word", 5)] == ["s"]


async def test_a_query_of_another_length_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(THINGS)
        with pytest.raises(InvalidInput):
            await vectors.dense(NAME, axis(0, DIM + 1), 5)
