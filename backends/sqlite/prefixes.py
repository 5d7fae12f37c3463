"""What lies under a prefix of stream names: counters for one or two segments, a range of names for more."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from backends.appending import bounds, segments
from backends.events_rows import EVENT_COLUMNS
from backends.sqlite.statements import json_list, scalar, statement

PURGED_AT_ONCE: Final = 200

_NAMED = "s.name >= :low AND s.name < :high"
_READ = statement(
    "SELECT {columns} FROM events e JOIN streams s ON s.key = e.stream"
    " WHERE {condition} AND e.position > :after ORDER BY e.position LIMIT :limit",
    columns=EVENT_COLUMNS,
    condition="{condition}",
)
_P1 = "e.p1 = (SELECT key FROM prefixes WHERE name = :indexed)"
_P2 = "e.p2 = (SELECT key FROM prefixes WHERE name = :indexed)"


def reading(prefix: str) -> tuple[str, Mapping[str, str]]:
    """Return the statement that reads events under a prefix after `:after`, and its values."""
    depth = segments(prefix)
    if depth == 0:
        return statement(_READ, condition="TRUE"), {}
    if depth == 1:
        return statement(_READ, condition=_P1), {"indexed": prefix}
    if depth == 2:
        return statement(_READ, condition=_P2), {"indexed": prefix}
    low, high = bounds(prefix)
    indexed = "/".join(prefix.split("/")[:2]) + "/"
    return statement(_READ, condition=f"{_P2} AND {_NAMED}"), {"indexed": indexed, "low": low, "high": high}


def count(connection: sqlite3.Connection, prefix: str) -> int:
    """Count the events under a prefix."""
    if segments(prefix) <= 2:
        return scalar(connection, "SELECT events FROM prefixes WHERE name = ?", prefix)
    return scalar(connection, "SELECT sum(version) FROM streams WHERE name >= ? AND name < ?", *bounds(prefix))


def head(connection: sqlite3.Connection, prefix: str) -> int:
    """Return the last position under a prefix, 0 for none."""
    if segments(prefix) <= 2:
        return scalar(connection, "SELECT last FROM prefixes WHERE name = ?", prefix)
    return scalar(
        connection,
        "SELECT max(e.position) FROM streams s JOIN events e ON e.stream = s.key AND e.version = s.version"
        " WHERE s.name >= ? AND s.name < ?",
        *bounds(prefix),
    )


def grow(connection: sqlite3.Connection, prefix: str, events: int, last: int) -> None:
    """Note events under a counted prefix."""
    connection.execute(
        "INSERT INTO prefixes(name, events, last) VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
        " SET events = events + excluded.events, last = max(last, excluded.last)",
        (prefix, events, last),
    )


def purge(connection: sqlite3.Connection, prefix: str) -> bool:
    """Remove some streams under a prefix with their events; say whether there may be more."""
    rows: list[tuple[int, int, int, int | None]] = connection.execute(
        "SELECT key, version, p1, p2 FROM streams WHERE name >= ? AND name < ? LIMIT ?",
        (*bounds(prefix), PURGED_AT_ONCE),
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
