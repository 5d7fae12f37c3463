"""The vectors port over vectors.db: checks what was asked and sends it to a thread."""

import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from backends import cursors
from backends.closeness import unit
from backends.ports.filters import Filter
from backends.ports.ids import check_id, check_name
from backends.ports.text import check_text
from backends.ports.values import Namespace, Page, RecordId, Revision
from backends.ports.vectors import CollectionSpec, Hit, VectorRecord
from backends.revisions import check_revision
from backends.sqlite.connection import Database
from backends.sqlite.declarations import declare
from backends.sqlite.filters import compile_filter
from backends.sqlite.notes import Notes
from backends.sqlite.statements import json_list, scalar, statement
from backends.sqlite.vectors import table
from backends.sqlite.vectors.arrays import VectorArray
from backends.sqlite.vectors.collections import Collection as Stored
from backends.sqlite.vectors.collections import collection, declare_collection, find_collection
from backends.sqlite.vectors.dense import Query, dense
from backends.sqlite.vectors.keyword import keyword
from backends.vector_checks import check_between, check_min_score, check_records, check_spec

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

WRITTEN_AT_ONCE: Final = 1_000

ResultT = TypeVar("ResultT")

_GET = statement(
    "SELECT {columns} FROM collections c CROSS JOIN json_each(?) w"
    " CROSS JOIN records r ON r.collection = c.key AND r.id = w.value WHERE c.ns = ? AND c.name = ? AND r.dead = 0",
    columns=table.RECORD_COLUMNS,
)
_SCAN = (
    "SELECT {columns} FROM records r INDEXED BY records_live WHERE r.collection = ? AND r.dead = 0 AND r.id > ?"
    " AND {where} ORDER BY r.id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where}"
_MATCHING = "SELECT r.id, r.rev FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where} LIMIT ?"


class VectorArrays:
    """The arrays of a process, by incarnation of the file and collection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._arrays: dict[tuple[int, int], VectorArray] = {}

    def of(self, incarnation: int, key: int) -> VectorArray:
        """Return the array of a collection, empty at first; those of an older file are freed."""
        with self._guard:
            for stale in [known for known in self._arrays if known[0] < incarnation]:
                del self._arrays[stale]
            return self._arrays.setdefault((incarnation, key), VectorArray())

    def free(self, key: int) -> None:
        """Let go of the array of a collection."""
        with self._guard:
            for known in [known for known in self._arrays if known[1] == key]:
                del self._arrays[known]


class SqliteVectors:
    """The collections of one namespace."""

    conditional_writes = True

    def __init__(self, database: Database, arrays: VectorArrays, namespace: Namespace) -> None:
        self._database = database
        self._arrays = arrays
        self._namespace = namespace
        self._notes = Notes(database, namespace)

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection in one transaction."""
        wanted = declare(check_spec(spec).values(), owner=f"collection {spec.name!r}")
        await self._database.write(lambda connection: declare_collection(connection, self._namespace, spec, wanted))

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, some hundred in a transaction."""
        wanted = check_records(records)
        for start in range(0, max(len(wanted), 1), WRITTEN_AT_ONCE):
            some = wanted[start : start + WRITTEN_AT_ONCE]
            await self._write(name, lambda connection, into, some=some: table.put(connection, into, some))

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Write tombstones."""
        changes: list[table.Change] = []
        for key, rev in revisions.items():
            check_revision(rev)
            changes.append(table.Change(check_id(key, what="a record id"), rev))
        await self._write(name, lambda connection, into: table.write(connection, into, changes))

    async def delete_where(self, name: str, where: Filter) -> None:
        """Write tombstones over what matches, some hundred in a transaction."""
        while await self._write(name, lambda connection, into: _delete_some(connection, into, where)):
            pass

    async def drop(self, name: str) -> None:
        """Remove declaration and word index at once, then the records some hundred at a time."""
        check_name(name, what="a collection's name")
        key = await self._database.write(lambda connection: _undeclare(connection, self._namespace, name))
        if key is None:
            return
        self._arrays.free(key)
        while await self._database.write(lambda connection: _remove_some(connection, key)):
            pass

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Read records by id, in one statement, which sees one state by itself."""
        values = (_ids(ids), self._namespace, check_name(name, what="a collection's name"))

        def read(connection: sqlite3.Connection) -> list[VectorRecord]:
            found = table.records(connection.execute(_GET, values))
            if not found:
                collection(connection, self._namespace, name)
            return found

        return {record.id: record for record in await self._database.read(read)}

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Read the revisions of records, tombstones included."""
        wanted = _ids(ids)
        rows: list[tuple[str, int]] = await self._read(
            name, lambda connection, within: connection.execute(table.REVISIONS, (wanted, within.key)).fetchall()
        )
        return {RecordId(key): Revision(rev) for key, rev in rows}

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """List records along their key."""
        check_between("limit", limit)
        start = "" if after is None else cursors.decode(after, ())[1]

        def scan(connection: sqlite3.Connection, within: Stored) -> list[VectorRecord]:
            clause = compile_filter(where, within.declared, "r")
            query = statement(_SCAN, columns=table.RECORD_COLUMNS, where=clause.sql)
            rows = connection.execute(query, (within.key, start, *clause.values, limit + 1))
            return table.records(rows)

        records = await self._read(name, scan)
        items = tuple(records[:limit])
        return Page(items, cursors.encode((), items[-1].id) if len(records) > limit else None)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count records, by an index where nothing is filtered."""

        def count(connection: sqlite3.Connection, within: Stored) -> int:
            clause = compile_filter(where, within.declared, "r")
            row: tuple[int] = connection.execute(
                statement(_COUNT, where=clause.sql), (within.key, *clause.values)
            ).fetchone()
            return row[0]

        return await self._read(name, count)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Search the array of this process, brought up to the table first."""
        check_between("k", k)
        check_min_score(min_score)

        def search(connection: sqlite3.Connection, within: Stored) -> Sequence[Hit]:
            query = Query(unit(vector, within.dim), k, where, min_score)
            array = self._arrays.of(self._database.incarnation, within.key)
            return dense(connection, within, array.snapshot(connection, within), query)

        return await self._read(name, search)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Search the word index of the collection."""
        check_between("k", k)
        check_text(text, what="a text to search for")
        return await self._read(name, lambda connection, within: keyword(connection, within, text, k, where))

    async def maintain(self, name: str) -> None:
        """Merge the word index."""
        await self._write(name, _merge_words)

    async def get_meta(self, key: str) -> str | None:
        """Read a note."""
        return await self._notes.get(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note in one transaction, so that one of several processes wins."""
        return await self._notes.set(key, value, if_absent=if_absent)

    async def _read(self, name: str, call: Callable[[sqlite3.Connection, Stored], ResultT]) -> ResultT:
        check_name(name, what="a collection's name")
        return await self._database.snapshot(
            lambda connection: call(connection, collection(connection, self._namespace, name))
        )

    async def _write(self, name: str, call: Callable[[sqlite3.Connection, Stored], ResultT]) -> ResultT:
        check_name(name, what="a collection's name")
        return await self._database.write(
            lambda connection: call(connection, collection(connection, self._namespace, name))
        )


def _delete_some(connection: sqlite3.Connection, into: Stored, where: Filter) -> bool:
    clause = compile_filter(where, into.declared, "r")
    query = statement(_MATCHING, where=clause.sql)
    rows: list[tuple[str, int]] = connection.execute(query, (into.key, *clause.values, WRITTEN_AT_ONCE)).fetchall()
    table.write(connection, into, [table.Change(key, rev) for key, rev in rows], force=True)
    return len(rows) == WRITTEN_AT_ONCE


def _undeclare(connection: sqlite3.Connection, namespace: str, name: str) -> int | None:
    found = find_collection(connection, namespace, name)
    if found is None:
        return None
    connection.execute("DELETE FROM collections WHERE key = ?", (found.key,))
    connection.execute(statement("DROP TABLE words_{key}", key=str(found.key)))
    return found.key


def _remove_some(connection: sqlite3.Connection, key: int) -> int:
    some = "DELETE FROM records WHERE rid IN (SELECT rid FROM records WHERE collection = ? LIMIT ?)"
    return connection.execute(some, (key, WRITTEN_AT_ONCE)).rowcount


def _merge_words(connection: sqlite3.Connection, within: Stored) -> None:
    if scalar(connection, "SELECT count(*) FROM records WHERE collection = ? LIMIT 1", within.key):
        key = str(within.key)
        connection.execute(statement("INSERT INTO words_{key}(words_{key}) VALUES('optimize')", key=key))


def _ids(ids: Collection[RecordId]) -> str:
    return json_list(sorted({check_id(key, what="a record id") for key in ids}))
