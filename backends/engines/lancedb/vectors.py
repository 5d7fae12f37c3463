"""The vectors port over LanceDB."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends.engines.lancedb.collections import Collections, OpenTable
from backends.engines.lancedb.driver import ColumnOrdering
from backends.engines.lancedb.filters import FALSE, TRUE, both, compile_filter, literal, members
from backends.engines.lancedb.meta import Meta
from backends.engines.lancedb.rows import dead_rows, live_rows, numbers, records, texts
from backends.engines.lancedb.search import dense, keyword
from backends.engines.lancedb.writes import PendingWrite
from backends.kit.cosine import check_length
from backends.kit.pages import page_by_id, start_of
from backends.kit.queries import DenseQuery
from backends.ports.filters import Filter
from backends.ports.values import Namespace, Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

AT_ONCE: Final = 2_000
"""Records of one request: with fewer there are more commits, each of which leaves a file."""
LIVE: Final = "NOT dead"

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")


class LanceVectors:
    """The collections of one namespace."""

    conditional_writes = True

    def __init__(self, collections: Collections, meta: Meta, namespace: Namespace) -> None:
        self._collections = collections
        self._meta = meta
        self._namespace = namespace

    async def ensure(self, spec: CollectionSpec) -> None:
        """Create the table and its indexes, or add what is missing."""
        await self._collections.declare(self._namespace, spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, many in a commit."""

        async def put(opened: OpenTable) -> None:
            layout = opened.layout
            for some in _pieces(records):
                ids = frozenset(record.id for record in some)
                await opened.merge(PendingWrite(live_rows(some, layout), ids, layout))

        await self._use(name, put)

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones."""
        wanted = {str(key): int(rev) for key, rev in revisions.items()}

        async def write_tombstones(opened: OpenTable) -> None:
            layout = opened.layout
            for some in _pieces([*wanted.items()]):
                tombstones = dict(some)
                await opened.merge(PendingWrite(dead_rows(tombstones, layout), frozenset(tombstones), layout))

        await self._use(name, write_tombstones)

    async def drop(self, name: str) -> None:
        """Remove the table."""
        await self._collections.drop(self._namespace, name)

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id."""
        wanted = _ids(ids)

        async def read(opened: OpenTable) -> dict[RecordId, VectorRecord]:
            found: dict[RecordId, VectorRecord] = {}
            for some in _pieces(wanted):
                # Checking here whether a row is a tombstone is cheaper than a condition in a query by id.
                listed = await _records(opened, f"id IN {members(some)}", limit=len(some))
                found |= {record.id: record for record in listed}
            return found

        return await self._use(name, read)

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        wanted = _ids(ids)

        async def read(opened: OpenTable) -> dict[RecordId, Revision]:
            found: dict[RecordId, Revision] = {}
            for some in _pieces(wanted):
                stored = await _revisions(opened, f"id IN {members(some)}", limit=len(some))
                found |= {RecordId(key): Revision(rev) for key, rev in stored.items()}
            return found

        return await self._use(name, read)

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """List records by id."""
        beyond = TRUE if after is None else f"id > {literal(start_of(after))}"

        async def read(opened: OpenTable) -> list[VectorRecord]:
            condition = both(both(compile_filter(where, opened.layout.specs), LIVE), beyond)
            return await _records(opened, condition, limit=limit + 1, by_id=True)

        return page_by_id(await self._use(name, read), limit)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records."""

        async def count(opened: OpenTable) -> int:
            condition = compile_filter(where, opened.layout.specs)
            return 0 if condition == FALSE else await opened.calls.run(opened.table.count_rows(both(condition, LIVE)))

        return await self._use(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search by vector. Tombstones have none."""

        async def search(opened: OpenTable) -> Sequence[Hit]:
            condition = compile_filter(where, opened.layout.specs)
            check_length(vector, opened.layout.dim)
            return await dense(opened, DenseQuery(vector, k, condition, min_score))

        return await self._use(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search by words. Tombstones have none."""
        return await self._use(
            name, lambda opened: keyword(opened, text, k, compile_filter(where, opened.layout.specs))
        )

    async def maintain(self, name: str) -> None:
        """Merge small files and update the indexes."""
        await self._use(name, lambda opened: opened.maintenance.maintain())

    async def get_meta(self, key: str) -> str | None:
        """Read a meta value."""
        return await self._meta.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one commit; with `if_absent` the first of several writers wins."""
        return await self._meta.set(key, value, if_absent=if_absent)

    async def _use(self, name: str, call: Callable[[OpenTable], Awaitable[ResultT]]) -> ResultT:
        return await self._collections.use(self._namespace, name, call)


def _pieces(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


def _ids(ids: Collection[RecordId]) -> list[str]:
    return sorted(set(ids))


async def _records(opened: OpenTable, condition: str, *, limit: int, by_id: bool = False) -> list[VectorRecord]:
    layout = opened.layout
    query = opened.table.query().where(condition).select(layout.record_columns).limit(limit)
    if by_id:
        query = query.order_by([ColumnOrdering(column_name="id")])
    return [*records(await opened.calls.run(query.to_arrow()), layout)]


async def _revisions(opened: OpenTable, condition: str, *, limit: int) -> dict[str, int]:
    query = opened.table.query().where(condition).select(["id", "rev"]).limit(limit)
    rows = await opened.calls.run(query.to_arrow())
    return dict(zip(texts(rows, "id"), numbers(rows, "rev"), strict=True))
