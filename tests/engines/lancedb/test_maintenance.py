"""Small files are merged in the background and on demand, without disturbing other calls."""

from contextlib import suppress
from pathlib import Path

import anyio

from backends.engines.lancedb.maintenance import WRITES_BETWEEN
from backends.ports.errors import Timeout
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import Vectors
from contracts.ports.vector_records import NAME, THINGS, axis, cloud, names_stored, record
from tests.engines.lancedb.tables import opened, small_files, upsert_one_by_one


async def test_files_of_single_writes_do_not_pile_up(tmp_path: Path) -> None:
    records = [record(f"r{number:03}", row) for number, row in enumerate(cloud(200, 1))]
    async with opened(tmp_path) as vectors:
        await vectors.ensure(THINGS)
        await upsert_one_by_one(vectors, records)
        assert await small_files(tmp_path) <= 2 * WRITES_BETWEEN
        await vectors.maintain(NAME)
        assert await small_files(tmp_path) <= 4
        assert await names_stored(vectors) == [item.id for item in records]
        assert (await vectors.dense(NAME, records[50].vector, 1))[0].id == "r050"


async def test_files_of_meta_values_do_not_pile_up(tmp_path: Path) -> None:
    """This also holds for several processes that write a few values each."""
    for process in range(4):
        async with opened(tmp_path) as vectors:
            for number in range(40):
                await vectors.set_meta(f"key {number % 5}", f"{process} {number}")
    assert await small_files(tmp_path, "notes") <= WRITES_BETWEEN
    async with opened(tmp_path) as vectors:
        assert [await vectors.get_meta(f"key {key}") for key in range(5)] == [f"3 {number}" for number in range(35, 40)]


async def write(vectors: Vectors, first: int) -> None:
    """Write five records in ten revisions, then delete the first."""
    for rev in range(1, 11):
        await vectors.upsert(NAME, [record(f"r{first + each}", axis(each), rev=rev) for each in range(5)])
    await vectors.delete(NAME, {RecordId(f"r{first}"): Revision(11)})


async def expect_all_written(vectors: Vectors) -> None:
    """Check what four writers wrote."""
    expected = {f"r{first + each}": 10 for first in (0, 10, 20, 30) for each in range(1, 5)}
    stored = await vectors.get(NAME, [RecordId(name) for name in expected])
    assert {name: item.rev for name, item in stored.items()} == expected
    assert await vectors.count(NAME) == len(expected)


async def test_maintenance_and_writers_of_one_engine_do_not_fail_each_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(THINGS)
        async with anyio.create_task_group() as group:
            for first in (0, 10, 20, 30):
                group.start_soon(write, vectors, first)
            for _ in range(3):
                group.start_soon(vectors.maintain, NAME)
        await expect_all_written(vectors)


async def test_maintenance_never_fails_a_writer_of_another_engine(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors, opened(tmp_path) as elsewhere:
        await vectors.ensure(THINGS)

        async def tidy() -> None:
            for _ in range(5):
                # Writers of another engine do not wait, so maintenance may give up.
                with suppress(Timeout):
                    await vectors.maintain(NAME)

        async with anyio.create_task_group() as group:
            for first in (0, 10, 20, 30):
                group.start_soon(write, elsewhere, first)
            group.start_soon(tidy)
        await expect_all_written(vectors)
        await vectors.maintain(NAME)
        await expect_all_written(vectors)
