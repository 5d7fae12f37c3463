"""The vectors port over LanceDB: checks what was asked and puts it to the collection's table."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends.closeness import unit
from backends.lancedb.declaring import declare
from backends.lancedb.driver import ColumnOrdering
from backends.lancedb.filters import FALSE, TRUE, both, compile_filter, literal, members
from backends.lancedb.notes import Notes
from backends.lancedb.rows import dead_rows, live_rows, numbers, records, texts
from backends.lancedb.searching import Nearest, dense, keyword
from backends.lancedb.tables import Opened, Tables
from backends.lancedb.writing import Change
from backends.ports.filters import Filter
from backends.ports.ids import check_id, check_name
from backends.ports.text import check_text
from backends.ports.values import Namespace, Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord
from backends.revisions import check_revision
from backends.vector_checks import check_between, check_min_score, check_records, check_spec

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_PAGE: Final = 1_000
AT_ONCE: Final = 2_000
LIVE: Final = "NOT dead"
NEWER: Final = "target.rev < source.rev"
SAME: Final = "target.rev = source.rev"

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")


class LanceVectors:
    """The collections of one namespace."""

    conditional_writes = True

    def __init__(self, tables: Tables, notes: Notes, namespace: Namespace) -> None:
        self._tables = tables
        self._notes = notes
        self._namespace = namespace

    async def ensure(self, spec: CollectionSpec) -> None:
        """Make the table with its indexes, or what of them is missing."""
        check_spec(spec)
        await declare(self._tables, self._namespace, spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, some hundred in a commit."""
        wanted = check_records(records)

        async def put(opened: Opened) -> None:
            layout = opened.layout
            for some in _pieces(wanted):
                ids = frozenset(record.id for record in some)
                await opened.merge(Change(live_rows(some, layout), ids, layout, NEWER, adds=True))

        await self._using(name, put)

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones."""
        wanted: dict[str, int] = {}
        for key, rev in revisions.items():
            check_revision(rev)
            wanted[check_id(key, what="a record id")] = int(rev)

        async def bury(opened: Opened) -> None:
            layout = opened.layout
            for some in _pieces([*wanted.items()]):
                buried = dict(some)
                await opened.merge(Change(dead_rows(buried, layout), frozenset(buried), layout, NEWER, adds=True))

        await self._using(name, bury)

    async def delete_where(self, name: str, where: Filter) -> None:
        """Write tombstones over what matches; a record that is replaced meanwhile is looked at again."""

        async def bury(opened: Opened) -> None:
            layout = opened.layout
            condition = both(compile_filter(where, layout.specs), LIVE)
            while found := await _revisions(opened, condition, limit=AT_ONCE):
                await opened.merge(Change(dead_rows(found, layout), frozenset(found), layout, SAME, adds=False))
                await opened.look()

        await self._using(name, bury)

    async def drop(self, name: str) -> None:
        """Remove the table."""
        check_name(name, what="a collection's name")
        await self._tables.drop(self._namespace, name)

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id."""
        wanted = _ids(ids)

        async def read(opened: Opened) -> dict[RecordId, VectorRecord]:
            found: dict[RecordId, VectorRecord] = {}
            for some in _pieces(wanted):
                # By id, asking the engine whether a row is dead takes longer than looking at its answer.
                listed = await _records(opened, f"id IN {members(some)}", limit=len(some))
                found |= {record.id: record for record in listed}
            return found

        return await self._using(name, read)

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        wanted = _ids(ids)

        async def read(opened: Opened) -> dict[RecordId, Revision]:
            found: dict[RecordId, Revision] = {}
            for some in _pieces(wanted):
                stored = await _revisions(opened, f"id IN {members(some)}", limit=len(some))
                found |= {RecordId(key): Revision(rev) for key, rev in stored.items()}
            return found

        return await self._using(name, read)

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = MAX_PAGE
    ) -> Page[VectorRecord]:
        """List records by id; the cursor is the last one's id."""
        check_between("limit", limit, MAX_PAGE)
        beyond = TRUE if after is None else f"id > {literal(check_id(after, what='a cursor'))}"

        async def read(opened: Opened) -> list[VectorRecord]:
            condition = both(both(compile_filter(where, opened.layout.specs), LIVE), beyond)
            return await _records(opened, condition, limit=limit + 1, by_id=True)

        found = await self._using(name, read)
        items = tuple(found[:limit])
        return Page(items, items[-1].id if len(found) > limit else None)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records."""

        async def count(opened: Opened) -> int:
            condition = compile_filter(where, opened.layout.specs)
            return 0 if condition == FALSE else await opened.calls.run(opened.table.count_rows(both(condition, LIVE)))

        return await self._using(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search by closeness; what was deleted has no vector."""
        check_between("k", k)
        check_min_score(min_score)

        async def search(opened: Opened) -> Sequence[Hit]:
            condition = compile_filter(where, opened.layout.specs)
            return await dense(opened, Nearest(unit(vector, opened.layout.dim), k, condition, min_score))

        return await self._using(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search by words; what was deleted has none."""
        check_between("k", k)
        check_text(text, what="a text to search for")
        return await self._using(
            name, lambda opened: keyword(opened, text, k, compile_filter(where, opened.layout.specs))
        )

    async def maintain(self, name: str) -> None:
        """Merge small files and bring the indexes up to date."""
        await self._using(name, lambda opened: opened.upkeep.tidy())

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one commit, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def _using(self, name: str, call: Callable[[Opened], Awaitable[ResultT]]) -> ResultT:
        check_name(name, what="a collection's name")
        return await self._tables.using(self._namespace, name, call)


def _pieces(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


def _ids(ids: Collection[RecordId]) -> list[str]:
    return sorted({check_id(key, what="a record id") for key in ids})


async def _records(opened: Opened, condition: str, *, limit: int, by_id: bool = False) -> list[VectorRecord]:
    layout = opened.layout
    query = opened.table.query().where(condition).select(layout.record_columns).limit(limit)
    if by_id:
        query = query.order_by([ColumnOrdering(column_name="id")])
    return [*records(await opened.calls.run(query.to_arrow()), layout)]


async def _revisions(opened: Opened, condition: str, *, limit: int) -> dict[str, int]:
    query = opened.table.query().where(condition).select(["id", "rev"]).limit(limit)
    rows = await opened.calls.run(query.to_arrow())
    return dict(zip(texts(rows, "id"), numbers(rows, "rev"), strict=True))
