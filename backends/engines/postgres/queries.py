"""The statements that read events: prefixes of one or two segments by counters and indexes, longer ones by names."""

from collections.abc import Mapping
from typing import Final, LiteralString, TypeAlias

from psycopg import sql

from backends.kit.event_rows import COUNTED_SEGMENTS, EVENT_COLUMNS, name_range, segments

_COLUMNS: Final = sql.SQL(EVENT_COLUMNS)


def _page(condition: LiteralString) -> bytes:
    query = sql.SQL(
        "SELECT {columns} FROM (SELECT * FROM events WHERE {condition} AND position > %(after)s ORDER BY position"
        " LIMIT %(limit)s) e JOIN streams s ON s.key = e.stream ORDER BY e.position"
    )
    return query.format(columns=_COLUMNS, condition=sql.SQL(condition)).as_bytes()


_PAGES: Final = (
    _page("TRUE"),
    _page("p1 = (SELECT key FROM prefixes WHERE name = %(indexed)s)"),
    _page("p2 = (SELECT key FROM prefixes WHERE name = %(indexed)s)"),
)
_NAMED: Final = (
    sql.SQL(
        "SELECT {columns} FROM events e JOIN streams s ON s.key = e.stream"
        " WHERE e.p2 = (SELECT key FROM prefixes WHERE name = %(indexed)s) AND s.name >= %(low)s AND s.name < %(high)s"
        " AND e.position > %(after)s ORDER BY e.position LIMIT %(limit)s"
    )
    .format(columns=_COLUMNS)
    .as_bytes()
)
STREAMS: Final = (
    sql.SQL(
        "SELECT {columns} FROM streams s JOIN events e ON e.stream = s.key"
        " WHERE s.name = ANY(%(streams)s) ORDER BY s.key, e.version"
    )
    .format(columns=_COLUMNS)
    .as_bytes()
)
"""All events of several streams."""
NEWER: Final = (
    sql.SQL(
        "SELECT {columns} FROM unnest(%(streams)s::text[], %(after)s::bigint[]) w(name, version)"
        " JOIN streams s ON s.name = w.name JOIN events e ON e.stream = s.key AND e.version > w.version"
        " ORDER BY s.key, e.version"
    )
    .format(columns=_COLUMNS)
    .as_bytes()
)
"""The events of several streams above a version of each."""

Query: TypeAlias = LiteralString | bytes
Values: TypeAlias = Mapping[str, str]


def page(prefix: str) -> tuple[Query, Values]:
    """Return the statement for a page of events under a prefix, and its values without `after` and `limit`."""
    depth = segments(prefix)
    if depth <= COUNTED_SEGMENTS:
        return _PAGES[depth], {"indexed": prefix}
    low, high = name_range(prefix)
    return _NAMED, {"indexed": "/".join(prefix.split("/")[:2]) + "/", "low": low, "high": high}


def count(prefix: str) -> tuple[Query, Values]:
    """Return the statement for the number of events under a prefix."""
    if segments(prefix) <= COUNTED_SEGMENTS:
        return "SELECT events FROM prefixes WHERE name = %(prefix)s", {"prefix": prefix}
    low, high = name_range(prefix)
    query = "SELECT sum(version)::bigint FROM streams WHERE name >= %(low)s AND name < %(high)s"
    return query, {"low": low, "high": high}


def head(prefix: str) -> tuple[Query, Values]:
    """Return the statement for the last position under a prefix."""
    if segments(prefix) <= COUNTED_SEGMENTS:
        return "SELECT last FROM prefixes WHERE name = %(prefix)s", {"prefix": prefix}
    low, high = name_range(prefix)
    query = (
        "SELECT max(e.position) FROM streams s JOIN events e ON e.stream = s.key AND e.version = s.version"
        " WHERE s.name >= %(low)s AND s.name < %(high)s"
    )
    return query, {"low": low, "high": high}
