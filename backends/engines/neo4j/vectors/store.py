"""The vectors port over one namespace."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.filters import condition
from backends.engines.neo4j.meta import Meta
from backends.engines.neo4j.schema import DatabaseSchema
from backends.engines.neo4j.vectors.collections import Collections
from backends.engines.neo4j.vectors.records import KEYED, LIVE, RECORD_COLUMNS, RecordStatements, record, records_ns
from backends.engines.neo4j.vectors.search import dense, index, keyword
from backends.kit.cosine import check_length
from backends.kit.pages import page_by_id, start_of
from backends.kit.queries import DenseQuery
from backends.ports.errors import InvalidInput, Timeout
from backends.ports.filters import Filter
from backends.ports.values import Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

WRITTEN_AT_ONCE: Final = 500
"""Records of one transaction: 500 with 384 numbers each took half a second when measured."""
COUNTED_EVERY: Final = 100
"""A collection is counted after this many written records, to decide whether it needs an index."""
_DECLARATION_TRIES: Final = 3
"""A try fails if the cached declaration is outdated; a second one only if it changes again meanwhile."""

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
    """The collections of one namespace. `ns` is its name in the database."""

    conditional_writes = True

    def __init__(self, connection: Connection, schema: DatabaseSchema, ns: str) -> None:
        self._connection = connection
        self._schema = schema
        self._collections = Collections(connection, schema, ns)
        self._meta = Meta(connection, ns)
        self._uncounted: Counter[str] = Counter()

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection. If several processes do so at once, one is first."""
        declared, flagged = await self._collections.declare(spec)
        if flagged:
            await RecordStatements(self._connection, spec.name, declared).rearrange()

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, a batch per transaction."""
        for start in range(0, max(len(records), 1), WRITTEN_AT_ONCE):
            some = records[start : start + WRITTEN_AT_ONCE]
            await self._use(name, lambda table, some=some: table.put(some))
            self._uncounted[name] += len(some)
            if self._uncounted[name] >= COUNTED_EVERY:
                await self._index(name)

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones."""
        await self._use(name, lambda table: table.end(revisions))

    async def drop(self, name: str) -> None:
        """Remove the declaration, then the records in batches, then the index."""
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
        start = start_of(after)

        async def ask(table: RecordStatements) -> list[VectorRecord] | None:
            matching, values = condition(where, table.within.specs)
            return await table.read(
                _SCAN.format(where=matching), {**values, "after": start, "limit": limit + 1}, record
            )

        return page_by_id(await self._use(name, ask), limit)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records. Without a filter the server's count store answers."""

        async def ask(table: RecordStatements) -> list[int] | None:
            matching, values = condition(where, table.within.specs)
            query = _COUNT_ALL.format(label=table.within.label) if where is None else _COUNT.format(where=matching)
            return await table.read(query, values, int)

        return (await self._use(name, ask))[0]

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the index, or scan the records if there is none."""

        async def ask(table: RecordStatements) -> Sequence[Hit] | None:
            check_length(vector, table.within.dim)
            query = DenseQuery(vector, k, where, min_score)
            return await dense(self._schema, table, query, self._connection.version)

        return await self._use(name, ask)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search the word index."""
        return await self._use(name, lambda table: keyword(table, text, k, where))

    async def maintain(self, name: str) -> None:
        """Create the index of a large collection. The server maintains everything else."""
        await self._index(name)

    async def get_meta(self, key: str) -> str | None:
        """Read a meta value."""
        return await self._meta.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one statement; with `if_absent` one of several processes wins."""
        return await self._meta.set(key, value, if_absent=if_absent)

    async def _index(self, name: str) -> None:
        self._uncounted[name] = 0
        records = await self.count(name)
        await index(self._schema, await self._collections.get(name), records)

    async def _by_id(
        self, name: str, query: str, ids: Collection[RecordId], parse: Callable[..., ResultT]
    ) -> list[ResultT]:
        wanted = sorted(set(ids))
        return await self._use(name, lambda table: table.read(query, {"ids": wanted}, parse))

    async def _use(self, name: str, use: Callable[[RecordStatements], Awaitable[ResultT | None]]) -> ResultT:
        """Call `use` with the cached declaration, and again with the current one if that does not fit."""
        within = await self._collections.get(name)
        for _ in range(_DECLARATION_TRIES):
            try:
                answer = await use(RecordStatements(self._connection, name, within))
            except InvalidInput:
                now = await self._collections.look_up(name)
                if now == within:
                    raise
                within = now
                continue
            if answer is not None:
                return answer
            within = await self._collections.look_up(name)
        raise Timeout(f"other processes kept changing collection {name!r}; try again")


def _revision(key: str, rev: int) -> tuple[RecordId, Revision]:
    return RecordId(key), Revision(rev)
