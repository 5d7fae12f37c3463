"""One append: compared and written by the writing thread."""

import sqlite3
from dataclasses import dataclass

from backends.appending import Batch, Prepared, conflict, counted, growth
from backends.ports.events import Appended, BatchId, StreamName
from backends.sqlite.prefixes import grow


@dataclass(frozen=True, slots=True)
class _Stream:
    """A stream as it is before the write; key 0 when it is not there yet."""

    key: int
    version: int
    p1: int
    p2: int | None


def append(connection: sqlite3.Connection, batch: Batch) -> Appended:
    """Write the batch unless it was written before. Raises `Conflict` where a stream is not as expected."""
    if (first_result := _known_batch(connection, batch.id)) is not None:
        return first_result
    streams = [_stream(connection, write.stream) for write in batch.writes]
    for write, stream in zip(batch.writes, streams, strict=True):
        if (problem := conflict(write.stream, write.expected, stream.version)) is not None:
            raise problem
    first, last = 0, 0
    versions: dict[StreamName, int] = {}
    for write, stream in zip(batch.writes, streams, strict=True):
        if not write.rows:
            continue
        positions = _insert(connection, write, stream)
        first, last = first or positions[0], positions[-1]
        versions[write.stream] = stream.version + len(write.rows)
    for prefix, (events, number) in growth(batch.writes).items():
        grow(connection, prefix, events, first + number - 1)
    if last:
        connection.execute("INSERT INTO batches(id, first, last) VALUES(?, ?, ?)", (batch.id, first, last))
    return Appended(versions, last)


def _known_batch(connection: sqlite3.Connection, batch: BatchId) -> Appended | None:
    row: tuple[int, int] | None = connection.execute(
        "SELECT first, last FROM batches WHERE id = ?", (batch,)
    ).fetchone()
    if row is None:
        return None
    # One append has neighbouring positions, because nobody else writes during its transaction.
    versions: list[tuple[str, int]] = connection.execute(
        "SELECT s.name, max(e.version) FROM events e JOIN streams s ON s.key = e.stream"
        " WHERE e.position BETWEEN ? AND ? GROUP BY e.stream ORDER BY min(e.position)",
        row,
    ).fetchall()
    return Appended({StreamName(name): version for name, version in versions}, row[1])


def _stream(connection: sqlite3.Connection, name: StreamName) -> _Stream:
    row: tuple[int, int, int, int | None] | None = connection.execute(
        "SELECT key, version, p1, p2 FROM streams WHERE name = ?", (name,)
    ).fetchone()
    return _Stream(0, 0, 0, None) if row is None else _Stream(*row)


def _insert(connection: sqlite3.Connection, write: Prepared, stream: _Stream) -> range:
    version = stream.version + len(write.rows)
    if stream.key:
        connection.execute("UPDATE streams SET version = ? WHERE key = ?", (version, stream.key))
    else:
        stream = _create(connection, write.stream, version)
    last = 0
    for number, (identifier, kind, schema, at, data, meta) in enumerate(write.rows, version - len(write.rows) + 1):
        cursor = connection.execute(
            "INSERT INTO events(stream, version, p1, p2, id, type, schema, at, data, meta)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (stream.key, number, stream.p1, stream.p2, identifier, kind, schema, at, data, meta),
        )
        last = cursor.lastrowid or 0
    return range(last - len(write.rows) + 1, last + 1)


def _create(connection: sqlite3.Connection, name: StreamName, version: int) -> _Stream:
    first, second = counted(name)
    p1 = _prefix_key(connection, first)
    p2 = None if second is None else _prefix_key(connection, second)
    cursor = connection.execute(
        "INSERT INTO streams(name, version, p1, p2) VALUES(?, ?, ?, ?)", (name, version, p1, p2)
    )
    return _Stream(cursor.lastrowid or 0, 0, p1, p2)


def _prefix_key(connection: sqlite3.Connection, prefix: str) -> int:
    grow(connection, prefix, 0, 0)
    row: tuple[int] = connection.execute("SELECT key FROM prefixes WHERE name = ?", (prefix,)).fetchone()
    return row[0]
