"""SQLite's own module on the same tables, in the thread that asks, over the data that the ports hold."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

import numpy
import orjson

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS, FileSchema, migrate
from backends.ports.events import EventId, EventLog, RecordedEvent, StreamName
from backends.ports.graph import Edge, Graph, GraphBatch, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, Micros, NodeId, RecordId, Revision
from backends.ports.vectors import Hit, VectorRecord, Vectors
from contracts.ports.event_records import batch, events_of, write
from tests.bench.engines.comparison import DEAREST_BULK, Row
from tests.bench.engines.data import (
    BATCH,
    BULK,
    COUNT,
    KIND,
    SPEC,
    edge_batches,
    edges,
    nodes,
    records,
    some,
    spread,
    vectors_of,
)

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

READ: Final = 500

_NODE: Final = (
    "INSERT INTO nodes(ns, id, kind, rev, dead, indexed, fields, c0, c1) VALUES('n', ?, 'thing', ?, 0, 2, ?, ?, ?)"
    " ON CONFLICT(ns, id) DO UPDATE SET kind = excluded.kind, rev = excluded.rev, dead = 0, indexed = 2,"
    " fields = excluded.fields, c0 = excluded.c0, c1 = excluded.c1 WHERE excluded.rev > rev"
)
_EDGE: Final = (
    "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES('n', ?, ?, ?, ?, ?, 0, ?)"
    " ON CONFLICT(ns, id) DO UPDATE SET source = excluded.source, target = excluded.target, type = excluded.type,"
    " rev = excluded.rev, dead = 0, confidence = excluded.confidence WHERE excluded.rev > rev"
)
_HOP: Final = (
    "SELECT e.id, e.source, e.target, e.type, e.rev, e.confidence, e.props FROM edges e"
    " JOIN nodes o ON o.ns = 'n' AND o.id = e.{far} AND o.dead = 0 WHERE e.ns = 'n' AND e.{near} = ? AND e.dead = 0"
    " ORDER BY e.confidence DESC, e.{far}, e.id LIMIT 257"
)
_RECORD: Final = (
    "INSERT INTO records(collection, id, rev, dead, indexed, seq, fields, vector, text, c0, c1)"
    " VALUES(1, ?, ?, 0, 2, 1, ?, ?, ?, ?, ?) ON CONFLICT(collection, id) DO UPDATE SET rev = excluded.rev, dead = 0,"
    " indexed = 2, seq = 1, fields = excluded.fields, vector = excluded.vector, text = excluded.text, c0 = excluded.c0,"
    " c1 = excluded.c1 WHERE excluded.rev > rev RETURNING rid"
)
_EVENT: Final = (
    "INSERT INTO events(stream, version, p1, p2, id, type, schema, at, data, meta)"
    " SELECT key, version + ?, p1, p2, ?, ?, 1, ?, ?, ? FROM streams WHERE name = ?"
)

_EdgeRow: TypeAlias = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]
ResultT = TypeVar("ResultT")


class Bare:
    """A file with the tables of a layout."""

    def __init__(self, path: Path, layout: FileSchema) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if layout.is_log else 'NORMAL'}")
        self._connection.execute("PRAGMA cache_size = -8192")
        migrate(self._connection, layout)

    async def read(self, call: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Call with the connection."""
        return call(self._connection)

    async def write(self, call: Callable[[sqlite3.Connection], object]) -> None:
        """Call with the connection, in a transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        call(self._connection)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


async def rows(kind: str, directory: Path) -> AsyncIterator[Row]:
    """Yield the rows of the graph, the vectors and the log."""
    engine = await ADAPTER.open({}, directory)
    bare = {layout: Bare(directory / f"bare-{layout.file}", layout) for layout in (GRAPH, VECTORS, EVENTS)}
    try:
        async for row in _graph(bare[GRAPH], await engine.graph(namespace("bench"))):
            yield replace(row, blocks=True)
        async for row in _vectors(bare[VECTORS], await engine.vectors(namespace("bench"))):
            yield replace(row, blocks=True)
        for row in _events(bare[EVENTS], await engine.events()):
            yield replace(row, blocks=True)
    finally:
        await engine.close()
        for each in bare.values():
            each.close()


async def _graph(bare: Bare, port: Graph) -> AsyncIterator[Row]:
    await port.ensure([KIND])
    yield Row(
        f"bulk of {BULK} nodes",
        lambda call: bare.write(partial(_put_nodes, found=nodes(some(call, BULK)))),
        lambda call: port.apply(GraphBatch(nodes(some(call, BULK)))),
        COUNT // BULK,
        DEAREST_BULK,
    )
    for filling in edge_batches():
        await bare.write(partial(_put_edges, found=filling.edges))
        await port.apply(filling)
    yield Row(
        "get a node",
        lambda call: bare.read(partial(_get_node, key=f"n{spread(call)}")),
        lambda call: port.get_nodes([NodeId(f"n{spread(call)}")]),
        400,
    )
    yield Row(
        "one hop",
        lambda call: bare.read(partial(_hop, key=f"n{spread(call)}")),
        lambda call: port.expand([NodeId(f"n{spread(call)}")]),
        400,
    )
    yield Row(
        f"upsert of {BATCH} nodes",
        lambda call: bare.write(partial(_put_nodes, found=nodes(some(call, BATCH), call + 2))),
        lambda call: port.apply(GraphBatch(nodes(some(call, BATCH), call + 2))),
    )
    yield Row(
        f"upsert of {BATCH} edges",
        lambda call: bare.write(partial(_put_edges, found=edges(some(call, BATCH), call + 2))),
        lambda call: port.apply(GraphBatch(edges=edges(some(call, BATCH), call + 2))),
    )


async def _vectors(bare: Bare, port: Vectors) -> AsyncIterator[Row]:
    vectors, queries = vectors_of(COUNT), vectors_of(100, 2)
    await port.ensure(SPEC)
    await bare.write(
        lambda it: it.execute("CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'unicode61')")
    )
    yield Row(
        f"bulk of {BULK} records",
        lambda call: bare.write(partial(_put_records, found=records(some(call, BULK), vectors))),
        lambda call: port.upsert(SPEC.name, records(some(call, BULK), vectors)),
        COUNT // BULK,
        DEAREST_BULK,
    )
    yield Row(
        "get 10 records",
        lambda call: bare.read(partial(_get_records, ids=_ids(call))),
        lambda call: port.get(SPEC.name, _ids(call)),
        200,
    )
    matrix = numpy.stack(vectors)
    yield Row(
        "dense top 10",
        lambda call: bare.read(lambda _: _nearest(matrix, queries[call % 100])),
        lambda call: port.dense(SPEC.name, queries[call % 100], 10),
        100,
    )
    yield Row(
        f"upsert of {BATCH} records",
        lambda call: bare.write(partial(_put_records, found=records(some(call, BATCH), vectors, call + 2))),
        lambda call: port.upsert(SPEC.name, records(some(call, BATCH), vectors, call + 2)),
    )


def _events(bare: Bare, port: EventLog) -> Sequence[Row]:
    def row(count: int, stream: str, calls: int) -> Row:
        return Row(
            f"append of {count}",
            lambda _: bare.write(partial(_append, stream=stream, count=count)),
            lambda _: port.append([write(stream, *events_of(count))], batch=batch()),
            calls,
        )

    return [
        row(1, "bench/one/1", 200),
        row(BATCH, "bench/many/1", 60),
        Row(
            f"read {READ} events",
            lambda call: bare.read(partial(_read, after=call)),
            lambda call: port.read_all(after=call, limit=READ),
        ),
        Row(
            "version of a stream",
            lambda _: bare.read(
                lambda it: it.execute("SELECT version FROM streams WHERE name = 'bench/one/1'").fetchone()
            ),
            lambda _: port.versions([StreamName("bench/one/1")]),
            200,
        ),
    ]


def _put_nodes(connection: sqlite3.Connection, found: Sequence[Node]) -> None:
    values = [
        (each.id, each.rev, orjson.dumps(each.fields).decode(), each.fields["name"], each.fields["rank"])
        for each in found
    ]
    connection.executemany(_NODE, values)


def _put_edges(connection: sqlite3.Connection, found: Sequence[Edge]) -> None:
    connection.executemany(
        _EDGE, [(each.id, each.source, each.target, each.type, each.rev, each.confidence) for each in found]
    )


def _get_node(connection: sqlite3.Connection, key: str) -> object:
    query = "SELECT id, kind, fields, rev, props FROM nodes WHERE ns = 'n' AND id = ? AND dead = 0"
    row: tuple[NodeId, str, str, Revision, str | None] = connection.execute(query, (key,)).fetchone()
    identifier, kind, fields, rev, props = row
    return {identifier: Node(identifier, kind, orjson.loads(fields), rev, orjson.loads(props) if props else {})}


def _hop(connection: sqlite3.Connection, key: str) -> object:
    """Answer as a hop does: nothing for a node that is not there, both sides as of one moment, the best edges first."""
    ways = (("source", "target"), ("target", "source"))
    connection.execute("BEGIN")
    live = connection.execute("SELECT 1 FROM nodes WHERE ns = 'n' AND id = ? AND dead = 0", (key,)).fetchone()
    found = [
        Edge(row[0], row[1], row[2], row[3], row[4], row[5], orjson.loads(row[6]) if row[6] else {})
        for near, far in ways
        for row in cast("Sequence[_EdgeRow]", connection.execute(_HOP.format(near=near, far=far), (key,)).fetchall())
        if live
    ]
    connection.execute("COMMIT")
    return sorted(found, key=lambda it: (-it.confidence, it.target if it.source == key else it.source, it.id))


def _put_records(connection: sqlite3.Connection, found: Sequence[VectorRecord]) -> None:
    for each in found:
        known: tuple[int, str] | None = connection.execute(
            "SELECT rid, text FROM records WHERE collection = 1 AND id = ?", (each.id,)
        ).fetchone()
        if known is not None:
            connection.execute("INSERT INTO words(words, rowid, text) VALUES('delete', ?, ?)", known)
        fields = orjson.dumps(each.fields).decode()
        values = (each.id, each.rev, fields, each.vector.tobytes(), each.text, each.fields["area"], each.fields["rank"])
        rid: tuple[int] = connection.execute(_RECORD, values).fetchone()
        connection.execute("INSERT INTO words(rowid, text) VALUES(?, ?)", (rid[0], each.text))


def _get_records(connection: sqlite3.Connection, ids: Sequence[RecordId]) -> object:
    marks = ", ".join("?" * len(ids))
    query = f"SELECT id, vector, text, rev, fields FROM records WHERE collection = 1 AND id IN ({marks})"  # noqa: S608 -- marks only
    found: list[tuple[RecordId, bytes, str, Revision, str]] = connection.execute(query, ids).fetchall()
    return {
        row[0]: VectorRecord(
            row[0], numpy.frombuffer(row[1], dtype=numpy.float32), row[2], row[3], orjson.loads(row[4])
        )
        for row in found
    }


def _nearest(matrix: "numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]", query: "Vector") -> object:
    scores = matrix @ query
    near = numpy.argpartition(scores, -10)[-10:]
    hits = [Hit(RecordId(f"r{row:06}"), float(scores[row])) for row in near]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _append(connection: sqlite3.Connection, stream: str, count: int) -> None:
    """Do all that an append does: batches are known again, versions are compared, prefixes are counted."""
    name = batch()
    connection.execute("SELECT first, last FROM batches WHERE id = ?", (name,)).fetchone()
    first, second = (stream[: stream.index("/") + 1], stream[: stream.rindex("/") + 1])
    for prefix in ("", first, second):
        connection.execute("INSERT OR IGNORE INTO prefixes(name, events, last) VALUES(?, 0, 0)", (prefix,))
    connection.execute(
        "INSERT OR IGNORE INTO streams(name, version, p1, p2)"
        " SELECT ?, 0, a.key, b.key FROM prefixes a, prefixes b WHERE a.name = ? AND b.name = ?",
        (stream, first, second),
    )
    facts = [
        (
            number,
            each.id,
            each.type,
            each.at,
            orjson.dumps(each.data).decode(),
            orjson.dumps(each.meta).decode(),
            stream,
        )
        for number, each in enumerate(events_of(count), 1)
    ]
    connection.executemany(_EVENT, facts)
    last: tuple[int] = connection.execute("SELECT max(position) FROM events").fetchone()
    connection.execute("UPDATE streams SET version = version + ? WHERE name = ?", (count, stream))
    connection.execute(
        "UPDATE prefixes SET events = events + ?, last = ? WHERE name IN ('', ?, ?)", (count, last[0], first, second)
    )
    connection.execute("INSERT INTO batches(id, first, last) VALUES(?, ?, ?)", (name, last[0] - count + 1, last[0]))


def _read(connection: sqlite3.Connection, after: int) -> object:
    found: list[tuple[EventId, StreamName, int, int, str, str, Micros, int, str]] = connection.execute(
        "SELECT e.id, s.name, e.version, e.position, e.type, e.data, e.at, e.schema, e.meta FROM events e"
        " JOIN streams s ON s.key = e.stream WHERE e.position > ? ORDER BY e.position LIMIT ?",
        (after, READ),
    ).fetchall()
    return [RecordedEvent(*row[:5], orjson.loads(row[5]), row[6], row[7], orjson.loads(row[8])) for row in found]


def _ids(call: int) -> list[RecordId]:
    return [RecordId(f"r{spread(call * 10 + number):06}") for number in range(10)]
