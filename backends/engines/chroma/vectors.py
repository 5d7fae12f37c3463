"""The vectors port over Chroma."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends.engines.chroma.collections import Collections, StoredCollection
from backends.engines.chroma.filters import CompiledFilter, compile_filter
from backends.engines.chroma.rows import matches, placeholder_vectors, records_of
from backends.engines.chroma.search import dense, keyword
from backends.engines.chroma.writes import READ_AT_ONCE, Write, WriteQueue, delete, put, revisions
from backends.kit import cursors
from backends.kit.cosine import check_length
from backends.kit.pages import start_of
from backends.kit.queries import DenseQuery
from backends.ports.filters import Filter
from backends.ports.values import Namespace, Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

VALUE: Final = "value"
PLANNED_AT_ONCE: Final = 500
"""Records whose revisions are read at once. The number written per call depends on the engine."""
ResultT = TypeVar("ResultT")


class ChromaVectors:
    """The collections of one namespace."""

    conditional_writes = False

    def __init__(
        self,
        collections: Callable[[], Awaitable[Collections]],
        write_queue: WriteQueue,
        namespace: Namespace,
        *,
        written_at_once: int,
    ) -> None:
        self._collections = collections
        self._write_queue = write_queue
        self._namespace = namespace
        self._written_at_once = written_at_once

    async def ensure(self, spec: CollectionSpec) -> None:
        """Create or extend a collection."""
        await (await self._collections()).declare(self._namespace, spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records in batches."""
        for start in range(0, max(len(records), 1), PLANNED_AT_ONCE):
            some = records[start : start + PLANNED_AT_ONCE]
            await self._write(name, lambda into, some=some: put(into, some, at_once=self._written_at_once))

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones in batches."""
        wanted = [*revisions.items()]
        for start in range(0, max(len(wanted), 1), PLANNED_AT_ONCE):
            some = dict(wanted[start : start + PLANNED_AT_ONCE])
            await self._write(name, lambda into, some=some: delete(into, some))

    async def drop(self, name: str) -> None:
        """Remove a collection."""
        await (await self._collections()).drop(self._namespace, name)

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id."""
        wanted = _ids(ids)
        return {record.id: record for record in await self._use(name, lambda within: _read(within, wanted))}

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        wanted = _ids(ids)
        found = await self._use(name, lambda within: revisions(within, wanted))
        return {RecordId(key): rev for key, rev in found.items()}

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """Sort the ids of all matching records, which the engine does not, and read those of the page."""
        start = start_of(after)

        async def scan(within: StoredCollection) -> Page[VectorRecord]:
            ids = sorted(key for key in await _matching(within, compile_filter(where, within.specs)) if key > start)
            page = ids[:limit]
            items = sorted(await _read(within, page), key=lambda record: record.id)
            return Page(tuple(items), cursors.encode((), page[-1]) if len(ids) > limit else None)

        return await self._use(name, scan)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records, in the engine if there is no filter."""

        async def count(within: StoredCollection) -> int:
            found = compile_filter(where, within.specs)
            everything = found.where is None and found.exact and not found.nothing
            return await within.records.count() if everything else len(await _matching(within, found))

        return await self._use(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search by vector."""

        async def search(within: StoredCollection) -> Sequence[Hit]:
            check_length(vector, within.dim)
            query = DenseQuery(vector, k, compile_filter(where, within.specs), min_score)
            return await dense(within, query)

        return await self._use(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search by words."""
        return await self._use(name, lambda within: keyword(within, text, k, compile_filter(where, within.specs)))

    async def maintain(self, name: str) -> None:
        """Do nothing: the engine maintains its index itself."""
        await self._use(name, _exists)

    async def get_meta(self, key: str) -> str | None:
        """Read a meta value."""
        meta = await (await self._collections()).meta(self._namespace, make=False)
        if meta is None:
            return None
        rows = await meta.get(ids=[key], include=("metadatas",))
        return str(rows.metadatas[0][VALUE]) if rows.ids else None

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value. With `if_absent` the engine ignores all but the first, so one of several processes wins."""
        meta = await (await self._collections()).meta(self._namespace, make=True)
        if meta is None:
            raise AssertionError("the bucket was created above")
        if if_absent:
            await meta.put_first(key, placeholder_vectors([key]), {VALUE: value})
        else:
            await meta.put([key], placeholder_vectors([key]), [{VALUE: value}])
        return await self.get_meta(key) or value

    async def _use(self, name: str, call: Callable[[StoredCollection], Awaitable[ResultT]]) -> ResultT:
        return await (await self._collections()).use(self._namespace, name, call)

    async def _write(self, name: str, plan: Callable[[StoredCollection], Awaitable[Write]]) -> None:
        key = (self._namespace, name)
        await self._use(name, lambda into: self._write_queue.submit(key, lambda: plan(into)))


async def _matching(within: StoredCollection, found: CompiledFilter) -> Sequence[str]:
    """Return the ids of all matching records, unordered."""
    if found.nothing:
        return []
    if found.exact:
        return (await within.records.get(where=found.where)).ids
    rows = await within.records.get(where=found.where, include=("metadatas",))
    return [key for key, metadata in zip(rows.ids, rows.metadatas, strict=True) if matches(metadata, found)]


async def _read(within: StoredCollection, ids: Sequence[str]) -> list[VectorRecord]:
    records: list[VectorRecord] = []
    for start in range(0, len(ids), READ_AT_ONCE):
        some = ids[start : start + READ_AT_ONCE]
        records += records_of(await within.records.get(ids=some, include=("metadatas", "embeddings")))
    return records


async def _exists(within: StoredCollection) -> None:
    await within.records.count()


def _ids(ids: Collection[RecordId]) -> Sequence[str]:
    return sorted(set(ids))
