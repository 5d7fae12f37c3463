"""The vectors port over Chroma: checks what was asked, finds the collection, keeps writes in turn."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends import cursors
from backends.chroma.collections import Collection as Stored
from backends.chroma.collections import Collections
from backends.chroma.dense import Query, dense
from backends.chroma.filters import Compiled, compile_filter
from backends.chroma.keyword import keyword
from backends.chroma.records import matches, places, records_of
from backends.chroma.turns import Turns, Write
from backends.chroma.writing import READ_AT_ONCE, bury, bury_matching, put, revisions
from backends.closeness import unit
from backends.ports.filters import Filter
from backends.ports.ids import check_id
from backends.ports.text import check_text
from backends.ports.values import Namespace, Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord
from backends.revisions import check_revision
from backends.vector_checks import check_between, check_min_score, check_records

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

VALUE: Final = "value"
PLANNED_AT_ONCE: Final = 500
"""Records whose revisions are read in one turn; how many of them a call writes depends on the engine."""
ResultT = TypeVar("ResultT")


class ChromaVectors:
    """The collections of one namespace."""

    conditional_writes = False

    def __init__(
        self,
        collections: Callable[[], Awaitable[Collections]],
        turns: Turns,
        namespace: Namespace,
        *,
        written_at_once: int,
    ) -> None:
        self._collections = collections
        self._turns = turns
        self._namespace = namespace
        self._written_at_once = written_at_once

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection."""
        await (await self._collections()).declare(self._namespace, spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, some in a call of the engine."""
        wanted = check_records(records)
        for start in range(0, max(len(wanted), 1), PLANNED_AT_ONCE):
            some = wanted[start : start + PLANNED_AT_ONCE]
            await self._write(name, lambda into, some=some: put(into, some, at_once=self._written_at_once))

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones, some in a call of the engine."""
        for key, rev in revisions.items():
            check_id(key, what="a record id")
            check_revision(rev)
        wanted = [*revisions.items()]
        for start in range(0, max(len(wanted), 1), PLANNED_AT_ONCE):
            some = dict(wanted[start : start + PLANNED_AT_ONCE])
            await self._write(name, lambda into, some=some: bury(into, some))

    async def delete_where(self, name: str, where: Filter) -> None:
        """Write tombstones over what matches, also when it is its turn."""
        ids = await self._use(name, lambda within: _matching(within, compile_filter(where, within.specs)))
        for start in range(0, len(ids), PLANNED_AT_ONCE):
            some = ids[start : start + PLANNED_AT_ONCE]
            await self._write(name, lambda into, some=some: bury_matching(into, some, where))

    async def drop(self, name: str) -> None:
        """Remove a collection's buckets."""
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
        """List the ids of all that match, which the engine does not sort, and read those of the page."""
        check_between("limit", limit)
        start = "" if after is None else cursors.decode(after, ())[1]

        async def scan(within: Stored) -> Page[VectorRecord]:
            ids = sorted(key for key in await _matching(within, compile_filter(where, within.specs)) if key > start)
            page = ids[:limit]
            items = sorted(await _read(within, page), key=lambda record: record.id)
            return Page(tuple(items), cursors.encode((), page[-1]) if len(ids) > limit else None)

        return await self._use(name, scan)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records, by the engine where nothing is filtered."""

        async def count(within: Stored) -> int:
            found = compile_filter(where, within.specs)
            everything = found.where is None and found.exact and not found.nothing
            return await within.records.count() if everything else len(await _matching(within, found))

        return await self._use(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the index."""
        check_between("k", k)
        check_min_score(min_score)

        async def search(within: Stored) -> Sequence[Hit]:
            query = Query(unit(vector, within.dim), k, compile_filter(where, within.specs), min_score)
            return await dense(within, query)

        return await self._use(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Gather the records that contain most words."""
        check_between("k", k)
        check_text(text, what="a text to search for")
        return await self._use(name, lambda within: keyword(within, text, k, compile_filter(where, within.specs)))

    async def maintain(self, name: str) -> None:
        """Nothing needs tending; the engine merges what piles up by itself."""
        await self._use(name, _exists)

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        check_id(key, what="a note's key")
        notes = await (await self._collections()).notes(self._namespace, make=False)
        if notes is None:
            return None
        rows = await notes.get(ids=[key], include=("metadatas",))
        return str(rows.metadatas[0][VALUE]) if rows.ids else None

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note; adding what is there already changes nothing, so that one of several processes wins."""
        check_id(key, what="a note's key")
        check_text(value, what="a note")
        notes = await (await self._collections()).notes(self._namespace, make=True)
        if notes is None:
            raise AssertionError("notes that are to be made are there")
        if if_absent:
            await notes.put_first(key, places([key]), {VALUE: value})
        else:
            await notes.put([key], places([key]), [{VALUE: value}])
        return await self.get_meta(key) or value

    async def _use(self, name: str, call: Callable[[Stored], Awaitable[ResultT]]) -> ResultT:
        return await (await self._collections()).use(self._namespace, name, call)

    async def _write(self, name: str, plan: Callable[[Stored], Awaitable[Write]]) -> None:
        key = (self._namespace, name)
        await self._use(name, lambda into: self._turns.take(key, lambda: plan(into)))


async def _matching(within: Stored, found: Compiled) -> Sequence[str]:
    """Return the ids of all records that match, in no order."""
    if found.nothing:
        return []
    if found.exact:
        return (await within.records.get(where=found.where)).ids
    rows = await within.records.get(where=found.where, include=("metadatas",))
    return [key for key, metadata in zip(rows.ids, rows.metadatas, strict=True) if matches(metadata, found)]


async def _read(within: Stored, ids: Sequence[str]) -> list[VectorRecord]:
    records: list[VectorRecord] = []
    for start in range(0, len(ids), READ_AT_ONCE):
        some = ids[start : start + READ_AT_ONCE]
        records += records_of(await within.records.get(ids=some, include=("metadatas", "embeddings")))
    return records


async def _exists(within: Stored) -> None:
    await within.records.count()


def _ids(ids: Collection[RecordId]) -> Sequence[str]:
    return sorted({check_id(key, what="a record id") for key in ids})
