"""LanceDB's own client on a table with the port's indexes, over the records that the port holds."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.driver import ARROW, FTS, LANCE, BTree, Rows, Table
from backends.kit.cosine import rows_of
from backends.ports.ids import namespace
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import Hit, VectorRecord, Vectors, unit_vectors
from tests.bench.engines.comparison import DEAREST_BULK, Row
from tests.bench.engines.data import BATCH, COUNT, DIM, SPEC, records, some, spread, vectors_of

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

AT_ONCE: Final = 2_000
FILLED: Final = 60_000
"""So many that the port merges files by itself while it is filled."""
_COLUMNS: Final = ["id", "rev", "dead", "vector", "text", "area", "rank"]
_SCHEMA: Final = ARROW.schema(
    [
        ARROW.field("id", ARROW.utf8(), nullable=False),
        ARROW.field("rev", ARROW.int64()),
        # A deleted record stays as a row without a vector, so that its revision is known.
        ARROW.field("dead", ARROW.bool_()),
        ARROW.field("vector", ARROW.list_(ARROW.float32(), DIM)),
        ARROW.field("text", ARROW.utf8()),
        # What is searched is not quite what was written; here it is, because cutting words is the port's own affair.
        ARROW.field("words", ARROW.utf8()),
        ARROW.field("area", ARROW.utf8()),
        ARROW.field("rank", ARROW.int64()),
    ]
)


class Bare:
    """A table with an index of ids, one of words and one of each field, as the port's has; each call looks what is new."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @classmethod
    async def make(cls, directory: Path) -> "Bare":
        """Make the table in a folder."""
        connection = await LANCE.connect_async(str(directory), storage_options={})
        table = await connection.create_table("bare", schema=_SCHEMA)
        for column, index in (("id", BTree()), ("area", BTree()), ("rank", BTree()), ("words", FTS())):
            await table.create_index(column, replace=False, config=index)
        return cls(table)

    async def upsert(self, found: Sequence[VectorRecord]) -> None:
        """Write records over those of a lower revision."""
        await self._table.checkout_latest()
        merging = self._table.merge_insert("id").when_matched_update_all(where="target.rev < source.rev")
        await merging.when_not_matched_insert_all().execute(_rows(found), on_bad_vectors="error")

    async def get(self, ids: Sequence[str]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id."""
        await self._table.checkout_latest()
        listed = ", ".join(f"'{key}'" for key in ids)
        rows = await self._table.query().where(f"id IN ({listed})").select(_COLUMNS).to_arrow()
        vectors = rows.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, DIM)
        keys, revs, texts, areas, ranks = _read(rows, "id", "rev", "text", "area", "rank")
        return {
            key: VectorRecord(key, vector, text, rev, {"area": area, "rank": rank})
            for key, vector, text, rev, area, rank in zip(
                cast("Sequence[RecordId]", keys),
                vectors,
                cast("Sequence[str]", texts),
                cast("Sequence[Revision]", revs),
                cast("Sequence[str]", areas),
                cast("Sequence[int]", ranks),
                strict=True,
            )
        }

    async def dense(self, vector: "Vector", k: int) -> Sequence[Hit]:
        """Search by closeness."""
        await self._table.checkout_latest()
        query = self._table.query().nearest_to(vector).distance_type("cosine").limit(k).select(["id", "_distance"])
        ids, distances = _read(await query.to_arrow(), "id", "_distance")
        return _hits(ids, [1.0 - distance for distance in cast("Sequence[float]", distances)])

    async def keyword(self, text: str, k: int) -> Sequence[Hit]:
        """Search by words."""
        await self._table.checkout_latest()
        query = self._table.query().nearest_to_text(text, columns=["words"]).limit(k).select(["id", "_score"])
        return _hits(*_read(await query.to_arrow(), "id", "_score"))

    async def tidy(self) -> None:
        """Merge files."""
        await self._table.optimize(cleanup_older_than=timedelta(minutes=10))


async def rows(kind: str, directory: Path) -> AsyncIterator[Row]:
    """Yield the rows of the vectors."""
    engine = await ADAPTER.open({}, directory / "port")
    try:
        async for row in _vectors(await Bare.make(directory / "bare"), await engine.vectors(namespace("bench"))):
            yield row
    finally:
        await engine.close()


async def _vectors(bare: Bare, port: Vectors) -> AsyncIterator[Row]:
    vectors = vectors_of(COUNT)
    # More records than vectors: what they are does not matter to writing, and memory would.
    many = vectors * (FILLED // COUNT)
    await port.ensure(SPEC)

    def filling(call: int) -> Sequence[VectorRecord]:
        return records(some(call, AT_ONCE, FILLED), many)

    yield Row(
        f"bulk of {AT_ONCE} records",
        lambda call: bare.upsert(filling(call)),
        lambda call: port.upsert(SPEC.name, filling(call)),
        FILLED // AT_ONCE,
        DEAREST_BULK,
    )
    await bare.tidy()
    await port.maintain(SPEC.name)
    yield Row("get 10 records", lambda call: bare.get(_ids(call)), lambda call: port.get(SPEC.name, _ids(call)))
    queries = vectors_of(100, 2)
    yield Row(
        "dense top 10",
        lambda call: bare.dense(queries[call], 10),
        lambda call: port.dense(SPEC.name, queries[call], 10),
    )
    yield Row(
        "10 by words",
        lambda call: bare.keyword(f"subject {call}", 10),
        lambda call: port.keyword(SPEC.name, f"subject {call}", 10),
    )
    yield Row(
        f"upsert of {BATCH} records",
        lambda call: bare.upsert(records(some(call, BATCH), many, call + 2)),
        lambda call: port.upsert(SPEC.name, records(some(call, BATCH), many, call + 2)),
    )


def _ids(call: int) -> list[RecordId]:
    return [RecordId(f"r{spread(call * 10 + number):06}") for number in range(10)]


def _read(rows: Rows, *columns: str) -> Sequence[Sequence[object]]:
    return [rows.column(column).to_pylist() for column in columns]


def _hits(ids: Sequence[object], scores: Sequence[object]) -> Sequence[Hit]:
    found = zip(cast("Sequence[RecordId]", ids), cast("Sequence[float]", scores), strict=True)
    return sorted((Hit(key, score) for key, score in found), key=lambda hit: (-hit.score, hit.id))


def _rows(found: Sequence[VectorRecord]) -> Rows:
    vectors = rows_of(unit_vectors([record.vector for record in found]), DIM).reshape(-1)
    texts = ARROW.array([record.text for record in found], ARROW.utf8())
    return ARROW.Table.from_arrays(
        [
            ARROW.array([record.id for record in found], ARROW.utf8()),
            ARROW.array([record.rev for record in found], ARROW.int64()),
            ARROW.array([False] * len(found), ARROW.bool_()),
            ARROW.FixedSizeListArray.from_arrays(ARROW.array(vectors, ARROW.float32()), DIM),
            texts,
            texts,
            ARROW.array([record.fields["area"] for record in found], ARROW.utf8()),
            ARROW.array([record.fields["rank"] for record in found], ARROW.int64()),
        ],
        schema=_SCHEMA,
    )
