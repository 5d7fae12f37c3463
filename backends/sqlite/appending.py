"""One append: checked and serialised by the caller, compared and written by the writing thread."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backends.jsontext import as_json
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.events import (
    MAX_EVENTS_PER_BATCH,
    Appended,
    BatchId,
    Expectation,
    Expected,
    NewEvent,
    StreamName,
    Write,
)
from backends.ports.ids import check_id, check_stream
from backends.sqlite.prefixes import counted, grow

EventValues = tuple[str, str, int, int, str, str]


@dataclass(frozen=True, slots=True)
class _Stream:
    """A stream as it is before the write; key 0 when it is not there yet."""

    key: int
    version: int
    p1: int
    p2: int | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A write whose events are ready for their rows."""

    stream: StreamName
    expected: Expectation
    rows: tuple[EventValues, ...]


def prepare(writes: Sequence[Write], batch: BatchId) -> Callable[[sqlite3.Connection], Appended]:
    """Return the append as a call for the writer. Raises `InvalidInput` for a broken rule."""
    check_id(batch, what="a batch id")
    if len({write.stream for write in writes}) != len(writes):
        raise InvalidInput("a stream may occur once in a batch")
    if sum(len(write.events) for write in writes) > MAX_EVENTS_PER_BATCH:
        raise InvalidInput(f"a batch has at most {MAX_EVENTS_PER_BATCH} events")
    ready = tuple(_prepare(write) for write in writes)
    return lambda connection: _append(connection, ready, batch)


def _prepare(write: Write) -> _Prepared:
    check_stream(write.stream)
    if isinstance(write.expected, int) and write.expected < 0:
        raise InvalidInput(f"an expected version is 0 or more: {write.expected}")
    return _Prepared(write.stream, write.expected, tuple(_values(event) for event in write.events))


def _values(event: NewEvent) -> EventValues:
    check_id(event.id, what="an event id")
    check_id(event.type, what="an event type")
    return event.id, event.type, event.schema, event.at, as_json(event.data), as_json(event.meta)


def _append(connection: sqlite3.Connection, writes: Sequence[_Prepared], batch: BatchId) -> Appended:
    if (first_result := _known_batch(connection, batch)) is not None:
        return first_result
    streams = [_stream(connection, write.stream) for write in writes]
    for write, stream in zip(writes, streams, strict=True):
        _expect(write, stream.version)
    first, last = 0, 0
    versions: dict[StreamName, int] = {}
    growth: dict[str, tuple[int, int]] = {}
    for write, stream in zip(writes, streams, strict=True):
        if not write.rows:
            continue
        positions = _insert(connection, write, stream)
        first, last = first or positions[0], positions[-1]
        versions[write.stream] = stream.version + len(write.rows)
        for prefix in ("", *counted(write.stream)):
            if prefix is not None:
                growth[prefix] = (growth.get(prefix, (0, 0))[0] + len(write.rows), last)
    for prefix, (events, position) in growth.items():
        grow(connection, prefix, events, position)
    if last:
        connection.execute("INSERT INTO batches(id, first, last) VALUES(?, ?, ?)", (batch, first, last))
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


def _expect(write: _Prepared, version: int) -> None:
    match write.expected:
        case Expected.ANY:
            return
        case Expected.NEW:
            fits, wanted = version == 0, "no event"
        case Expected.EXISTS:
            fits, wanted = version > 0, "at least one event"
        case int(number):
            fits, wanted = version == number, f"version {number}"
    if not fits:
        raise Conflict(f"stream {write.stream!r} is at version {version}; expected {wanted}", key=write.stream)


def _insert(connection: sqlite3.Connection, write: _Prepared, stream: _Stream) -> range:
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
