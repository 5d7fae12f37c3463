"""The vectors port over one namespace: checks what was asked and sends it to the server."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends import cursors
from backends.closeness import unit
from backends.neo4j.connection import Connection
from backends.neo4j.filters import condition
from backends.neo4j.notes import Notes
from backends.neo4j.schema import Schema
from backends.neo4j.vectors.collections import Collections
from backends.neo4j.vectors.dense import Query, dense, index
from backends.neo4j.vectors.keyword import keyword
from backends.neo4j.vectors.table import KEYED, LIVE, RECORD_COLUMNS, Table, record, records_ns
from backends.ports.errors import InvalidInput, Timeout
from backends.ports.filters import Filter
from backends.ports.ids import check_id
from backends.ports.text import check_text
from backends.ports.values import Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord
from backends.questions import MAX_PAGE
from backends.revisions import check_revision
from backends.vector_checks import check_between, check_min_score, check_records

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

WRITTEN_AT_ONCE: Final = 500
COUNTED_EVERY: Final = 100
"""After so many written records a collection is counted, to see whether it is worth an index."""
_DECLARED_ANEW: Final = 3

_BY_ID: Final = (
    "UNWIND $v.ids AS id MATCH (n:EntrepotRecord {ns: $v.ns, id: id}) USING INDEX SEEK n:EntrepotRecord(ns, id)"
)
_GET: Final = f"{_BY_ID} WHERE {LIVE} RETURN collect([{RECORD_COLUMNS}]) AS rows"
_REVISIONS: Final = f"{_BY_ID} RETURN collect([n.id, n.rev]) AS rows"
_SCAN: Final = (
    f"{KEYED} WHERE {LIVE} AND n.id > $v.after AND {{where}}"
    f" WITH n ORDER BY n.ns, n.id LIMIT $v.limit RETURN collect([{RECORD_COLUMNS}]) AS rows"
)
_COUNT: Final = (
    f"MATCH (n:EntrepotRecord) WHERE {LIVE} AND n.id IS NOT NULL AND {{where}}"
    " WITH count(n) AS found RETURN [[found]] AS rows"
)
_COUNT_ALL: Final = "MATCH (n:{label}) WITH count(n) AS found RETURN [[found]] AS rows"
_REMOVE: Final = f"{KEYED} WHERE n.ns = $v.ns AND n.id > '' WITH n LIMIT $v.limit DELETE n RETURN count(*)"

ResultT = TypeVar("ResultT")


class Neo4jVectors:
    """The collections of one namespace; `ns` is what it is called in the database."""

    conditional_writes = True

    def __init__(self, connection: Connection, schema: Schema, ns: str) -> None:
        self._connection = connection
        self._schema = schema
        self._collections = Collections(connection, schema, ns)
        self._notes = Notes(connection, ns)
        self._uncounted: Counter[str] = Counter()

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection; one of several processes that do is first."""
        declared, flagged = await self._collections.declare(spec)
        if flagged:
            await Table(self._connection, spec.name, declared).rearrange()

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, some hundred in a transaction."""
        wanted = check_records(records)
        for start in range(0, max(len(wanted), 1), WRITTEN_AT_ONCE):
            some = wanted[start : start + WRITTEN_AT_ONCE]
            await self._use(name, lambda table, some=some: table.put(some))
            self._uncounted[name] += len(some)
            if self._uncounted[name] >= COUNTED_EVERY:
                await self._index(name)

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Leave tombstones."""
        for key, rev in revisions.items():
            check_id(key, what="a record id")
            check_revision(rev)
        await self._use(name, lambda table: table.end(revisions))

    async def delete_where(self, name: str, where: Filter) -> None:
        """Leave tombstones over what matches, some hundred in a transaction."""
        while await self._use(name, lambda table: table.end_where(where, WRITTEN_AT_ONCE)) == WRITTEN_AT_ONCE:
            pass

    async def drop(self, name: str) -> None:
        """Take the declaration back, then remove the records some hundred at a time, then the index."""
        for gone in await self._collections.remove(name):
            values = {"ns": records_ns(gone), "limit": WRITTEN_AT_ONCE}
            while await self._connection.run(_REMOVE, values, int) == [WRITTEN_AT_ONCE]:
                pass
            await self._schema.drop(gone.index)

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id."""
        found = await self._by_id(name, _GET, ids, record)
        return {item.id: item for item in found}

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        return dict(await self._by_id(name, _REVISIONS, ids, _revision))

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """List records along their key."""
        check_between("limit", limit, MAX_PAGE)
        start = "" if after is None else cursors.decode(after, ())[1]

        async def ask(table: Table) -> list[VectorRecord] | None:
            matching, values = condition(where, table.within.specs)
            return await table.read(
                _SCAN.format(where=matching), {**values, "after": start, "limit": limit + 1}, record
            )

        records = await self._use(name, ask)
        items = tuple(records[:limit])
        return Page(items, cursors.encode((), items[-1].id) if len(records) > limit else None)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records; all of them are counted already."""

        async def ask(table: Table) -> list[int] | None:
            matching, values = condition(where, table.within.specs)
            query = _COUNT_ALL.format(label=table.within.label) if where is None else _COUNT.format(where=matching)
            return await table.read(query, values, int)

        return (await self._use(name, ask))[0]

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the index where there is one, else look at every record."""
        check_between("k", k)
        check_min_score(min_score)

        async def ask(table: Table) -> Sequence[Hit] | None:
            query = Query(unit(vector, table.within.dim), k, where, min_score)
            return await dense(self._schema, table, query, self._connection.version)

        return await self._use(name, ask)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search the word index."""
        check_between("k", k)
        check_text(text, what="a text to search for")
        return await self._use(name, lambda table: keyword(table, text, k, where))

    async def maintain(self, name: str) -> None:
        """Have a large collection indexed; all else the server tidies by itself."""
        await self._index(name)

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one statement, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def _index(self, name: str) -> None:
        self._uncounted[name] = 0
        records = await self.count(name)
        await index(self._schema, await self._collections.get(name), records)

    async def _by_id(
        self, name: str, query: str, ids: Collection[RecordId], parse: Callable[..., ResultT]
    ) -> list[ResultT]:
        wanted = sorted({check_id(key, what="a record id") for key in ids})
        return await self._use(name, lambda table: table.read(query, {"ids": wanted}, parse))

    async def _use(self, name: str, use: Callable[[Table], Awaitable[ResultT | None]]) -> ResultT:
        """Use a collection as it is remembered, or as it is now when that does not fit."""
        within = await self._collections.get(name)
        for _ in range(_DECLARED_ANEW):
            try:
                answer = await use(Table(self._connection, name, within))
            except InvalidInput:
                now = await self._collections.look_up(name)
                if now == within:
                    raise
                within = now
                continue
            if answer is not None:
                return answer
            within = await self._collections.look_up(name)
        raise Timeout(f"collection {name!r} was declared anew by others all the while; try again")


def _revision(key: str, rev: int) -> tuple[RecordId, Revision]:
    return RecordId(key), Revision(rev)
