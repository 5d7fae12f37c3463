"""Arrays of vectors take memory for collections that are searched, within a bound, and are read again when they are needed."""

from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from backends.engines.sqlite.connection import DatabaseFile, OpenNamespace
from backends.engines.sqlite.schema import VECTORS
from backends.engines.sqlite.settings import SqliteSettings
from backends.engines.sqlite.vectors import arrays
from backends.engines.sqlite.vectors.arrays import VectorArray, VectorArrays
from backends.engines.sqlite.vectors.search import WordCounts
from backends.engines.sqlite.vectors.store import SqliteVectors
from backends.ports.ids import namespace
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector
from backends.engines.sqlite.filters import SqlCondition
from backends.engines.sqlite.vectors.arrays import Masks

DIM = 384
COLLECTIONS = 40


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Searched:
    """Collections `c0`, `c1`, ... in a real file; the vectors of each are the first unit vectors, in another order."""

    def __init__(self, database: DatabaseFile) -> None:
        self.clock = Clock()
        self.arrays = VectorArrays(self.clock)
        self._database = database
        self.vectors = SqliteVectors(OpenNamespace(database, namespace("space")), self.arrays, WordCounts())

    async def create(self, number: int, records: int = 1) -> None:
        await self.vectors.ensure(CollectionSpec(f"c{number}", DIM, "a model"))
        rows = [VectorRecord(RecordId(f"c{number}-{row}"), _unit(row), "", Revision(1), {}) for row in range(records)]
        await self.vectors.upsert(f"c{number}", rows)

    async def search(self, number: int, row: int = 0) -> str:
        [hit] = await self.vectors.dense(f"c{number}", _unit(row), 1)
        return hit.id

    def using(self, number: int) -> AbstractContextManager[VectorArray]:
        """Use the array of a collection; collections have the keys 1, 2, ..."""
        return self.arrays.using(self._database.incarnation, number + 1)

    def array(self, number: int) -> VectorArray:
        with self.using(number) as array:
            return array


def _unit(row: int) -> "Vector":
    vector = np.zeros(DIM, dtype=np.float32)
    vector[row] = 1
    return vector


@pytest.fixture
def searched(tmp_path: Path) -> Generator[Searched]:
    database = DatabaseFile(tmp_path / VECTORS.file, VECTORS, SqliteSettings())
    database.open()
    yield Searched(database)
    database.close()


async def test_many_collections_of_one_record_take_little_memory(searched: Searched) -> None:
    for number in range(COLLECTIONS):
        await searched.create(number)
        assert await searched.search(number) == f"c{number}-0"
    assert 0 < searched.arrays.bytes < COLLECTIONS * 50_000


async def test_an_array_grows_with_its_collection(searched: Searched) -> None:
    for records in range(1, DIM, 7):
        await searched.create(0, records)
        assert await searched.search(0, records - 1) == f"c0-{records - 1}"


async def test_the_least_recently_searched_are_freed_beyond_the_bound_and_read_again(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "MAX_BYTES", 200_000)
    for number in range(COLLECTIONS):
        await searched.create(number)
        assert await searched.search(number) == f"c{number}-0"
        await searched.search(0)
        assert searched.arrays.bytes <= 200_000
    kept = searched.array(0)
    await searched.create(1, 2)
    assert await searched.search(1, 1) == "c1-1"
    assert searched.array(0) is kept


async def test_arrays_that_are_unused_for_long_are_freed_while_nothing_is_searched(searched: Searched) -> None:
    """A relay asks for a meta value every few seconds."""
    await searched.create(0)
    await searched.search(0)
    searched.clock.now = arrays.UNUSED_S - 1
    await searched.vectors.get_meta("incarnation")
    assert searched.arrays.bytes > 0
    searched.clock.now = arrays.UNUSED_S
    await searched.vectors.get_meta("incarnation")
    assert searched.arrays.bytes == 0
    assert await searched.search(0) == "c0-0"


async def test_a_large_array_in_use_is_not_read_again(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if it is larger than the bound; nor does it displace small ones. Once it is unused it is freed."""
    monkeypatch.setattr(arrays, "MAX_BYTES", 200_000)
    monkeypatch.setattr(arrays, "LARGE_BYTES", 100_000)
    await searched.create(0, 200)
    await searched.search(0)
    kept = searched.array(0)
    assert kept.bytes > arrays.MAX_BYTES
    for number in range(1, COLLECTIONS):
        await searched.create(number)
        await searched.search(number)
        searched.clock.now += arrays.UNUSED_S / COLLECTIONS
        last = searched.array(number)
        assert searched.array(number) is last
    assert searched.array(0) is kept
    searched.clock.now += arrays.UNUSED_S
    await searched.search(1)
    assert searched.arrays.bytes <= arrays.MAX_BYTES
    assert await searched.search(0, 199) == "c0-199"


async def test_a_large_array_within_the_bound_stays(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "LARGE_BYTES", 100_000)
    await searched.create(0, 200)
    await searched.search(0)
    kept = searched.array(0)
    searched.clock.now = 2 * arrays.UNUSED_S
    await searched.vectors.get_meta("incarnation")
    assert searched.array(0) is kept


async def test_an_array_in_use_is_not_freed(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MAX_BYTES", 100_000)
    for number in range(COLLECTIONS):
        await searched.create(number)
    with searched.using(0) as used:
        for number in range(1, COLLECTIONS):
            await searched.search(number)
        searched.clock.now += arrays.UNUSED_S
        await searched.vectors.get_meta("incarnation")
        assert searched.array(0) is used
    searched.clock.now += arrays.UNUSED_S
    await searched.vectors.get_meta("incarnation")
    assert searched.arrays.bytes == 0


def test_filters_that_are_asked_again_take_no_more_than_their_bound() -> None:
    """A filter is as long as its caller makes it."""
    remembered = Masks()
    clauses = [SqlCondition("r.c0 = ?", (f"{number}" + "x" * 1_000_000,)) for number in range(30)]
    for clause in clauses:
        assert not remembered.record_use(clause)
        assert remembered.record_use(clause)
        remembered.keep(clause, np.zeros(1_000_000, dtype=np.bool_))
        assert remembered.bytes <= arrays.MAX_MASK_BYTES
    assert remembered.get(clauses[-1]) is not None
    assert remembered.get(clauses[0]) is None
