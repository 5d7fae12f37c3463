"""Streams and their events in tables: appended, read, counted and purged.

A prefix of one or two segments has a counter and an index; a longer one is a range of stream names.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.sqlite.errors import is_undecodable
from backends.engines.sqlite.schema import json_list, scalar, statement
from backends.kit.event_rows import (
    COUNTED_SEGMENTS,
    EVENT_COLUMNS,
    BatchRows,
    DamagedRow,
    WriteRows,
    conflict,
    counted_prefixes,
    event_of_row,
    name_range,
    prefix_growth,
    segments,
)
from backends.ports.events import Appended, BatchId, RecordedEvent, StreamName

PURGED_AT_ONCE: Final = 200
"""Streams of one transaction: more would keep other writes waiting for longer."""

_NAMED = "s.name >= :low AND s.name < :high"
_READ = statement(
    "SELECT {columns} FROM events e JOIN streams s ON s.key = e.stream"
    " WHERE {condition} AND e.position > :after ORDER BY e.position LIMIT :limit",
    columns=EVENT_COLUMNS,
    condition="{condition}",
)
_P1 = "e.p1 = (SELECT key FROM prefixes WHERE name = :indexed)"
_P2 = "e.p2 = (SELECT key FROM prefixes WHERE name = :indexed)"


@dataclass(frozen=True, slots=True)
class _Stream:
    """A stream before the write; its key is 0 if it does not exist."""

    key: int
    version: int
    p1: int
    p2: int | None


def append(connection: sqlite3.Connection, batch: BatchRows) -> Appended:
    """Write the batch, or return the first result if it was already written.

    Raises `Conflict` for the first stream that is not as expected.
    """
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
    for prefix, (events, number) in prefix_growth(batch.writes).items():
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
    # The positions of one append are consecutive: no other writer gets one during its transaction.
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


def _insert(connection: sqlite3.Connection, write: WriteRows, stream: _Stream) -> range:
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
    first, second = counted_prefixes(name)
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


def events(
    connection: sqlite3.Connection, query: str, values: Mapping[str, object] | Sequence[object]
) -> list[RecordedEvent]:
    """Return the events that a statement selects. Raises `DamagedRow` for a damaged one, and the driver's errors."""
    try:
        return [event_of_row(row) for row in connection.execute(query, values)]
    except sqlite3.OperationalError as error:
        if is_undecodable(error):
            _check_utf8(connection, query, values)
        raise


def _check_utf8(connection: sqlite3.Connection, query: str, values: Mapping[str, object] | Sequence[object]) -> None:
    """Raise `DamagedRow` for the first selected event with a text that is not UTF-8; the driver's error names none."""
    connection.text_factory = bytes
    try:
        rows: list[tuple[bytes | int, ...]] = connection.execute(query, values).fetchall()
    finally:
        connection.text_factory = str
    for row in rows:
        try:
            for value in row:
                if isinstance(value, bytes):
                    value.decode()
        except UnicodeDecodeError:
            _, stream, version, position, *_ = row
            raise DamagedRow(int(position), bytes(stream).decode(errors="replace"), int(version)) from None


def read_statement(prefix: str) -> tuple[str, Mapping[str, str]]:
    """Return the statement that reads events under a prefix after `:after`, and its values."""
    depth = segments(prefix)
    if depth == 0:
        return statement(_READ, condition="TRUE"), {}
    if depth == 1:
        return statement(_READ, condition=_P1), {"indexed": prefix}
    if depth == 2:
        return statement(_READ, condition=_P2), {"indexed": prefix}
    low, high = name_range(prefix)
    indexed = "/".join(prefix.split("/")[:2]) + "/"
    return statement(_READ, condition=f"{_P2} AND {_NAMED}"), {"indexed": indexed, "low": low, "high": high}


def count(connection: sqlite3.Connection, prefix: str) -> int:
    """Count the events under a prefix."""
    if segments(prefix) <= COUNTED_SEGMENTS:
        return scalar(connection, "SELECT events FROM prefixes WHERE name = ?", prefix)
    return scalar(connection, "SELECT sum(version) FROM streams WHERE name >= ? AND name < ?", *name_range(prefix))


def head(connection: sqlite3.Connection, prefix: str) -> int:
    """Return the last position under a prefix, 0 for none."""
    if segments(prefix) <= COUNTED_SEGMENTS:
        return scalar(connection, "SELECT last FROM prefixes WHERE name = ?", prefix)
    return scalar(
        connection,
        "SELECT max(e.position) FROM streams s JOIN events e ON e.stream = s.key AND e.version = s.version"
        " WHERE s.name >= ? AND s.name < ?",
        *name_range(prefix),
    )


def grow(connection: sqlite3.Connection, prefix: str, events: int, last: int) -> None:
    """Add events to the counter of a prefix; `last` is the highest of their positions."""
    connection.execute(
        "INSERT INTO prefixes(name, events, last) VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
        " SET events = events + excluded.events, last = max(last, excluded.last)",
        (prefix, events, last),
    )


def purge(connection: sqlite3.Connection, prefix: str) -> bool:
    """Remove some streams under a prefix with their events; return whether there may be more."""
    rows: list[tuple[int, int, int, int | None]] = connection.execute(
        "SELECT key, version, p1, p2 FROM streams WHERE name >= ? AND name < ? LIMIT ?",
        (*name_range(prefix), PURGED_AT_ONCE),
    ).fetchall()
    keys = json_list([row[0] for row in rows])
    connection.execute("DELETE FROM events WHERE stream IN (SELECT value FROM json_each(?))", (keys,))
    connection.execute("DELETE FROM streams WHERE key IN (SELECT value FROM json_each(?))", (keys,))
    gone: dict[int, int] = {}
    for _, version, p1, p2 in rows:
        gone[p1] = gone.get(p1, 0) + version
        if p2 is not None:
            gone[p2] = gone.get(p2, 0) + version
    for key, events in gone.items():
        _shrink(connection, key, events)
    connection.execute(
        "UPDATE prefixes SET events = events - ?, last = (SELECT coalesce(max(position), 0) FROM events)"
        " WHERE name = ''",
        (sum(row[1] for row in rows),),
    )
    return len(rows) == PURGED_AT_ONCE


def _shrink(connection: sqlite3.Connection, key: int, events: int) -> None:
    connection.execute(
        "UPDATE prefixes SET events = events - ?, last = max("
        " (SELECT coalesce(max(position), 0) FROM events WHERE p1 = prefixes.key),"
        " (SELECT coalesce(max(position), 0) FROM events WHERE p2 = prefixes.key)) WHERE key = ?",
        (events, key),
    )
