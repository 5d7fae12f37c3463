"""The vectors port over vectors.db: each call becomes a call in a thread."""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from backends.engines.sqlite.connection import OpenNamespace
from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.filters import compile_filter, index_condition
from backends.engines.sqlite.schema import json_list, scalar, statement
from backends.engines.sqlite.vectors import collections
from backends.engines.sqlite.vectors.arrays import VectorArrays
from backends.engines.sqlite.vectors.search import WordCounts, dense, keyword
from backends.kit.cosine import check_length
from backends.kit.pages import page_by_id, start_of
from backends.kit.queries import DenseQuery
from backends.ports.filters import Filter
from backends.ports.values import Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

WRITTEN_AT_ONCE: Final = 1_000
"""Records of one transaction; other writes get their turn before the next."""

ResultT = TypeVar("ResultT")

_GET = statement(
    "SELECT {columns} FROM collections c CROSS JOIN json_each(?) w"
    " CROSS JOIN records r ON r.collection = c.key AND r.id = w.value WHERE c.ns = ? AND c.name = ? AND r.dead = 0",
    columns=collections.RECORD_COLUMNS,
)
_SCAN = (
    "SELECT {columns} FROM records r INDEXED BY records_live WHERE r.collection = ? AND r.dead = 0 AND r.id > ?"
    " AND {where} ORDER BY r.id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM records r WHERE r.collection = ? AND r.dead = 0{also} AND {where}"


class SqliteVectors:
    """The collections of one namespace."""

    conditional_writes = True

    def __init__(self, calls: OpenNamespace, arrays: VectorArrays, counts: WordCounts) -> None:
        self._calls = calls
        self._arrays = arrays
        self._counts = counts
        self._namespace = calls.namespace

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection in one transaction."""
        wanted = declare(spec.fields)
        await self._calls.write(
            lambda connection: collections.declare_collection(connection, self._namespace, spec, wanted)
        )

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, `WRITTEN_AT_ONCE` in a transaction."""
        for start in range(0, max(len(records), 1), WRITTEN_AT_ONCE):
            some = records[start : start + WRITTEN_AT_ONCE]
            await self._write(name, lambda connection, into, some=some: collections.put(connection, into, some))

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones."""
        changes = [collections.RecordWrite(key, rev) for key, rev in revisions.items()]
        await self._write(name, lambda connection, into: collections.write(connection, into, changes))

    async def drop(self, name: str) -> None:
        """Remove declaration and word index at once, then the records, `WRITTEN_AT_ONCE` in a transaction."""
        key = await self._calls.write(lambda connection: _undeclare(connection, self._namespace, name))
        if key is None:
            return
        self._arrays.free(key)
        while await self._calls.write(lambda connection: _remove_some(connection, key)):
            pass

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id in one statement, which needs no transaction."""
        values = (_ids(ids), self._namespace, name)

        def read(connection: sqlite3.Connection) -> list[VectorRecord]:
            found = collections.records(connection.execute(_GET, values))
            if not found:
                collections.collection(connection, self._namespace, name)
            return found

        return {record.id: record for record in await self._calls.read(read)}

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        wanted = _ids(ids)
        rows: list[tuple[str, int]] = await self._read(
            name, lambda connection, within: connection.execute(collections.REVISIONS, (wanted, within.key)).fetchall()
        )
        return {RecordId(key): Revision(rev) for key, rev in rows}

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """List records along their key."""
        start = start_of(after)

        def scan(connection: sqlite3.Connection, within: collections.StoredCollection) -> list[VectorRecord]:
            clause = compile_filter(where, within.declared, "r")
            query = statement(_SCAN, columns=collections.RECORD_COLUMNS, where=clause.sql)
            rows = connection.execute(query, (within.key, start, *clause.values, limit + 1))
            return collections.records(rows)

        return page_by_id(await self._read(name, scan), limit)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records, along an index without a filter."""

        def count(connection: sqlite3.Connection, within: collections.StoredCollection) -> int:
            clause = compile_filter(where, within.declared, "r")
            row: tuple[int] = connection.execute(
                statement(_COUNT, also=index_condition(where, within.declared, "r"), where=clause.sql),
                (within.key, *clause.values),
            ).fetchone()
            return row[0]

        return await self._read(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the array of this process, refreshed from the table first."""

        def search(connection: sqlite3.Connection, within: collections.StoredCollection) -> Sequence[Hit]:
            check_length(vector, within.dim)
            query = DenseQuery(vector, k, where, min_score)
            with self._arrays.using(self._calls.incarnation, within.key) as array:
                return dense(connection, within, array.snapshot(connection, within), query)

        return await self._read(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search the word index of the collection."""

        def search(connection: sqlite3.Connection, within: collections.StoredCollection) -> Sequence[Hit]:
            count = partial(self._counts.count, connection, self._calls.incarnation, within)
            return keyword(connection, within, text, k, where, count)

        return await self._read(name, search)

    async def maintain(self, name: str) -> None:
        """Merge the word index."""
        await self._write(name, _merge_words)

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value, None if there is none; relays ask for one every few seconds, also while nothing is searched."""

        def get(connection: sqlite3.Connection) -> str | None:
            self._arrays.free_unused()
            return self._calls.meta_value(connection, key)

        return await self._calls.read(get)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value in one transaction, so that the first of several processes wins."""
        return await self._calls.set_meta(key, value, if_absent=if_absent)

    async def _read(
        self, name: str, call: Callable[[sqlite3.Connection, collections.StoredCollection], ResultT]
    ) -> ResultT:
        return await self._calls.snapshot(
            lambda connection: call(connection, collections.collection(connection, self._namespace, name))
        )

    async def _write(
        self, name: str, call: Callable[[sqlite3.Connection, collections.StoredCollection], ResultT]
    ) -> ResultT:
        return await self._calls.write(
            lambda connection: call(connection, collections.collection(connection, self._namespace, name))
        )


def _undeclare(connection: sqlite3.Connection, namespace: str, name: str) -> int | None:
    found = collections.find_collection(connection, namespace, name)
    if found is None:
        return None
    connection.execute("DELETE FROM collections WHERE key = ?", (found.key,))
    connection.execute(statement("DROP TABLE words_{key}", key=str(found.key)))
    return found.key


def _remove_some(connection: sqlite3.Connection, key: int) -> int:
    some = "DELETE FROM records WHERE rid IN (SELECT rid FROM records WHERE collection = ? LIMIT ?)"
    return connection.execute(some, (key, WRITTEN_AT_ONCE)).rowcount


def _merge_words(connection: sqlite3.Connection, within: collections.StoredCollection) -> None:
    if scalar(connection, "SELECT count(*) FROM records WHERE collection = ? LIMIT 1", within.key):
        key = str(within.key)
        connection.execute(statement("INSERT INTO words_{key}(words_{key}) VALUES('optimize')", key=key))


def _ids(ids: Collection[RecordId]) -> str:
    return json_list(sorted(set(ids)))
