"""The vectors port over one namespace: checks what was asked and sends it to the server."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends import cursors
from backends.closeness import unit
from backends.neo4j.connection import Connection
from backends.neo4j.filters import Bound, compile_filter
from backends.neo4j.notes import Notes
from backends.neo4j.schema import Schema
from backends.neo4j.vectors.collections import Collections, Stored
from backends.neo4j.vectors.dense import Query, dense, index
from backends.neo4j.vectors.keyword import keyword
from backends.neo4j.vectors.table import RECORD_COLUMNS, Table, record, records_ns
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
_DECLARED_ANEW: Final = 3

_BY_ID: Final = (
    "UNWIND $ids AS id MATCH (n:EntrepotRecord {{ns: $ns, id: id}}) USING INDEX SEEK n:EntrepotRecord(ns, id)"
)
_GET: Final = f"{_BY_ID} WHERE n:{{label}} RETURN {RECORD_COLUMNS}"
_REVISIONS: Final = f"{_BY_ID} RETURN n.id, n.rev"
_SCAN: Final = (
    "MATCH (n:EntrepotRecord) USING INDEX SEEK n:EntrepotRecord(ns, id) WHERE n.ns = $ns AND n.id > $after AND n:{label}"
    f" AND {{where}} WITH n ORDER BY n.ns, n.id LIMIT $limit RETURN {RECORD_COLUMNS}"
)
_COUNT: Final = "MATCH (n:{label}:EntrepotRecord) WHERE n.ns = $ns AND {where} RETURN count(n)"
_COUNT_ALL: Final = "MATCH (n:{label}) RETURN count(n)"
_REMOVE: Final = (
    "MATCH (n:EntrepotRecord) USING INDEX SEEK n:EntrepotRecord(ns, id) WHERE n.ns = $ns AND n.id > ''"
    " WITH n LIMIT $limit DELETE n RETURN count(*)"
)

ResultT = TypeVar("ResultT")


class Neo4jVectors:
    """The collections of one namespace; `ns` is what it is called in the database."""

    conditional_writes = True

    def __init__(self, connection: Connection, schema: Schema, ns: str) -> None:
        self._connection = connection
        self._schema = schema
        self._collections = Collections(connection, schema, ns)
        self._notes = Notes(connection, ns)

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
            total = await self._write(name, lambda table, _, some=some: table.put(some))
            await index(self._schema, await self._collections.get(name), total)

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Leave tombstones."""
        for key, rev in revisions.items():
            check_id(key, what="a record id")
            check_revision(rev)
        await self._write(name, lambda table, _: table.end(revisions))

    async def delete_where(self, name: str, where: Filter) -> None:
        """Leave tombstones over what matches, some hundred in a transaction."""

        def end(table: Table, within: Stored) -> Awaitable[int | None]:
            bound = Bound()
            return table.end_where(compile_filter(where, within.specs, bound), bound.values, WRITTEN_AT_ONCE)

        while await self._write(name, end) == WRITTEN_AT_ONCE:
            pass

    async def drop(self, name: str) -> None:
        """Take the declaration back, then remove the records some hundred at a time, then the index."""
        gone = await self._collections.remove(name)
        if gone is None:
            return
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

        async def ask(within: Stored) -> list[VectorRecord]:
            bound = Bound()
            query = _SCAN.format(label=within.label, where=compile_filter(where, within.specs, bound))
            values = {**bound.values, "ns": records_ns(within), "after": start, "limit": limit + 1}
            return await self._connection.run(query, values, record)

        records = await self._read(name, ask)
        items = tuple(records[:limit])
        return Page(items, cursors.encode((), items[-1].id) if len(records) > limit else None)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records; all of them are counted already."""

        async def ask(within: Stored) -> int:
            bound = Bound()
            condition = compile_filter(where, within.specs, bound)
            query = (_COUNT_ALL if where is None else _COUNT).format(label=within.label, where=condition)
            [counted] = await self._connection.run(query, {**bound.values, "ns": records_ns(within)}, int)
            return counted

        return await self._read(name, ask)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the index where there is one, else look at every record."""
        check_between("k", k)
        check_min_score(min_score)

        async def ask(within: Stored) -> Sequence[Hit]:
            query = Query(unit(vector, within.dim), k, where, min_score)
            return await dense(self._connection, self._schema, within, query)

        return await self._read(name, ask)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search the word index."""
        check_between("k", k)
        check_text(text, what="a text to search for")
        return await self._read(name, lambda within: keyword(self._connection, within, text, k, where))

    async def maintain(self, name: str) -> None:
        """Have a large collection indexed; all else the server tidies by itself."""
        await index(self._schema, await self._collections.look_up(name), await self.count(name))

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one statement, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def _by_id(
        self, name: str, template: str, ids: Collection[RecordId], parse: Callable[..., ResultT]
    ) -> list[ResultT]:
        wanted = sorted({check_id(key, what="a record id") for key in ids})

        async def ask(within: Stored) -> list[ResultT]:
            values = {"ns": records_ns(within), "ids": wanted}
            return await self._connection.run(template.format(label=within.label), values, parse)

        return await self._read(name, ask)

    async def _read(self, name: str, ask: Callable[[Stored], Awaitable[ResultT]]) -> ResultT:
        """Ask a collection as it is remembered; when nothing comes or something does not fit, as it is now."""
        remembered = await self._collections.get(name)
        try:
            answer = await ask(remembered)
        except InvalidInput:
            now = await self._collections.look_up(name)
            if now == remembered:
                raise
            return await ask(now)
        if answer:
            return answer
        now = await self._collections.look_up(name)
        return answer if now == remembered else await ask(now)

    async def _write(self, name: str, change: Callable[[Table, Stored], Awaitable[int | None]]) -> int:
        """Change a collection as it is remembered, or as it is now when that does not fit."""
        within = await self._collections.get(name)
        for _ in range(_DECLARED_ANEW):
            try:
                changed = await change(Table(self._connection, name, within), within)
            except InvalidInput:
                now = await self._collections.look_up(name)
                if now == within:
                    raise
                within = now
                continue
            if changed is not None:
                return changed
            within = await self._collections.look_up(name)
        raise Timeout(f"collection {name!r} was declared anew by others all the while; try again")


def _revision(key: str, rev: int) -> tuple[RecordId, Revision]:
    return RecordId(key), Revision(rev)
