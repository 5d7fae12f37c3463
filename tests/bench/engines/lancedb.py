"""Bare LanceDB: the calls of the vectors port by the driver's own best use, over the same records.

python -m tests.bench.engines.lancedb [COUNT]
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median

import numpy

from backends.closeness import units
from backends.lancedb.adapter import ADAPTER, ALWAYS
from backends.lancedb.driver import ARROW, FTS, LANCE, BTree, Rows, Table
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors

DIM, NAME, ROUNDS = 384, "things", 20
SPEC = CollectionSpec(NAME, DIM, "model@1/384", (FieldSpec("rank", "int", sort=True),))
_COLUMNS = ["id", "rev", "vector", "text", "rank"]
_SCHEMA = ARROW.schema(
    [
        ARROW.field("id", ARROW.utf8(), nullable=False),
        ARROW.field("rev", ARROW.int64()),
        ARROW.field("vector", ARROW.list_(ARROW.float32(), DIM)),
        ARROW.field("text", ARROW.utf8()),
        ARROW.field("rank", ARROW.int64()),
    ]
)


class BareLance:
    """A table with an index of ids, one of words and one of the field, as the port's has."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @classmethod
    async def make(cls, directory: Path) -> "BareLance":
        """Make the table in a folder."""
        connection = await LANCE.connect_async(str(directory), read_consistency_interval=ALWAYS, storage_options={})
        table = await connection.create_table("bare", schema=_SCHEMA)
        for column, index in (("id", BTree()), ("rank", BTree()), ("text", FTS())):
            await table.create_index(column, replace=False, config=index)
        return cls(table)

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write records over those of a lower revision."""
        merging = self._table.merge_insert("id").when_matched_update_all(where="target.rev < source.rev")
        await merging.when_not_matched_insert_all().execute(_rows(records), on_bad_vectors="error")

    async def get(self, ids: Sequence[str]) -> None:
        """Read records by id."""
        listed = ", ".join(f"'{key}'" for key in ids)
        rows = await self._table.query().where(f"id IN ({listed})").select(_COLUMNS).to_arrow()
        _read(rows, "id", "rev", "text", "rank")
        rows.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False)

    async def dense(self, vector: "numpy.ndarray[tuple[int], numpy.dtype[numpy.float32]]", k: int) -> None:
        """Search by closeness."""
        query = self._table.query().nearest_to(vector).distance_type("cosine").limit(k).select(["id", "_distance"])
        rows = await query.to_arrow()
        _read(rows, "id", "_distance")

    async def keyword(self, text: str, k: int) -> None:
        """Search by words."""
        query = self._table.query().nearest_to_text(text, columns=["text"]).limit(k).select(["id", "_score"])
        rows = await query.to_arrow()
        _read(rows, "id", "_score")

    async def tidy(self) -> None:
        """Merge files."""
        await self._table.optimize(cleanup_older_than=timedelta(minutes=10))


def _read(rows: Rows, *columns: str) -> None:
    for column in columns:
        rows.column(column).to_pylist()


def _rows(records: Sequence[VectorRecord]) -> Rows:
    vectors = units([record.vector for record in records], DIM).reshape(-1)
    return ARROW.Table.from_arrays(
        [
            ARROW.array([record.id for record in records], ARROW.utf8()),
            ARROW.array([record.rev for record in records], ARROW.int64()),
            ARROW.FixedSizeListArray.from_arrays(ARROW.array(vectors, ARROW.float32()), DIM),
            ARROW.array([record.text for record in records], ARROW.utf8()),
            ARROW.array([record.fields["rank"] for record in records], ARROW.int64()),
        ],
        schema=_SCHEMA,
    )


def some_records(count: int, rev: int = 1) -> list[VectorRecord]:
    """Return records, the same for the same numbers."""
    rows = numpy.random.default_rng(1).normal(size=(count, DIM)).astype(numpy.float32)
    return [
        VectorRecord(RecordId(f"r{each:07}"), row, f"text number{each} about it", Revision(rev), {"rank": each % 100})
        for each, row in enumerate(rows)
    ]


async def _compare(name: str, bare: Callable[[], Awaitable[object]], port: Callable[[], Awaitable[object]]) -> None:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for call, taken in zip((bare, port), times, strict=True):
            began = time.perf_counter()
            await call()
            taken.append((time.perf_counter() - began) * 1_000)
    one, other = median(times[0]), median(times[1])
    print(f"{name:12} bare {one:7.2f} ms   port {other:7.2f} ms   ratio {other / one:.2f}")


async def _filled(name: str, upsert: Callable[[Sequence[VectorRecord]], Awaitable[None]], count: int) -> None:
    records = some_records(count)
    began = time.perf_counter()
    for start in range(0, count, 2_000):
        await upsert(records[start : start + 2_000])
    print(f"{name} upserts {count / (time.perf_counter() - began):.0f} records/s")


async def _measure(bare: BareLance, port: Vectors, count: int) -> None:
    await port.ensure(SPEC)
    await _filled("bare", bare.upsert, count)
    await _filled("port", lambda records: port.upsert(NAME, records), count)
    await bare.tidy()
    await port.maintain(NAME)
    ids = [RecordId(f"r{each * 7:07}") for each in range(10)]
    query = some_records(count)[count // 2].vector
    await _compare("get 10", lambda: bare.get(ids), lambda: port.get(NAME, ids))
    await _compare("dense 10", lambda: bare.dense(query, 10), lambda: port.dense(NAME, query, 10))
    await _compare("keyword 10", lambda: bare.keyword("number77", 10), lambda: port.keyword(NAME, "number77", 10))
    revisions = iter(range(2, 1_000))
    await _compare(
        "upsert 100",
        lambda: bare.upsert(some_records(100, next(revisions))),
        lambda: port.upsert(NAME, some_records(100, next(revisions))),
    )


async def main(count: int) -> None:
    """Fill both and print how the calls compare."""
    with tempfile.TemporaryDirectory() as folder:
        engine = await ADAPTER.open({}, Path(folder))
        await _measure(await BareLance.make(Path(folder) / "bare"), await engine.vectors(namespace("n")), count)
        await engine.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
