"""The event log in one schema. Appends hold a lock, so positions are in commit order."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

import orjson
from psycopg.rows import TupleRow

from backends.engines.postgres import queries
from backends.engines.postgres.appends import Appender
from backends.engines.postgres.connection import Connection, ConnectionPool
from backends.engines.postgres.listener import Listener
from backends.kit.event_rows import DamagedRow, EventRow, event_of_row, name_range, rows_of_batch
from backends.kit.records import as_json
from backends.ports.errors import Conflict, Undecodable
from backends.ports.events import Appended, BatchId, Checkpoint, Lease, RecordedEvent, StreamName, Write
from backends.ports.values import Json

POLL_S: Final = 1.0
"""How often a waiter polls without a notification."""
PURGED_AT_ONCE: Final = 200
"""Streams of one transaction: more would keep appends waiting for longer."""

Values = Mapping[str, str | int | Sequence[str] | Sequence[int]]

_VERSIONS: Final = "SELECT name, version FROM streams WHERE name = ANY(%(streams)s)"
_CHECKPOINT: Final = "SELECT value, revision FROM checkpoints WHERE name = %(name)s"

_FIRST_SAVE: Final = (
    "INSERT INTO checkpoints (name, value, revision) VALUES (%(name)s, %(value)s, 1) ON CONFLICT DO NOTHING"
    " RETURNING revision"
)
_NEXT_SAVE: Final = (
    "UPDATE checkpoints SET value = %(value)s, revision = revision + 1"
    " WHERE name = %(name)s AND revision = %(expected)s RETURNING revision"
)
_TAKE_LEASE: Final = (
    "INSERT INTO leases AS l (name, owner, token, expires, ttl)"
    " VALUES (%(name)s, %(owner)s, 1, clock_timestamp() + make_interval(secs => %(ttl)s), %(ttl)s)"
    " ON CONFLICT (name) DO UPDATE"
    " SET owner = excluded.owner, token = l.token + 1, expires = excluded.expires, ttl = excluded.ttl"
    " WHERE l.owner = excluded.owner OR l.expires <= clock_timestamp() RETURNING token"
)
_CUT_LEASE: Final = (
    "UPDATE leases SET expires = clock_timestamp() + make_interval(secs => coalesce(ttl, %(ttl)s))"
    " WHERE name = %(name)s AND expires > clock_timestamp() + make_interval(secs => coalesce(ttl, %(ttl)s))"
)
"""Limits a lease that was acquired before the clock was set back: from now on it lasts one `ttl_s`."""
_LEASE_OWNER: Final = "SELECT owner FROM leases WHERE name = %(name)s AND expires > clock_timestamp()"
_RENEW_LEASE: Final = (
    "UPDATE leases SET expires = clock_timestamp() + make_interval(secs => %(ttl)s), ttl = %(ttl)s"
    " WHERE name = %(name)s AND owner = %(owner)s AND token = %(token)s AND expires > clock_timestamp()"
)
_END_LEASE: Final = "UPDATE leases SET expires = '-infinity' WHERE name = %s AND owner = %s AND token = %s"


class PostgresEventLog:
    """The log of one space."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._appender = Appender(connections)
        self._listener = Listener(connections)

    async def close(self) -> None:
        """Finish running appends and stop listening; repeatable."""
        await self._appender.close()
        await self._listener.close()

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append in the next transaction, together with other waiting calls."""
        result = await self._appender.append(rows_of_batch(writes, batch))
        if result.position:
            self._listener.wake()
        return result

    async def read_streams(
        self, streams: Collection[StreamName], *, after: Mapping[StreamName, int] | None = None
    ) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Read several streams with one statement."""
        names = sorted(set(streams))
        values: Values = {"streams": names}
        if after:
            values = {**values, "after": [after.get(name, 0) for name in names]}
        found: dict[StreamName, list[RecordedEvent]] = {}
        for event in await self._events(queries.NEWER if after else queries.STREAMS, values):
            found.setdefault(event.stream, []).append(event)
        return found

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Look up the versions in the table of streams."""
        known: dict[str, int] = dict(await self._rows(_VERSIONS, {"streams": sorted(set(streams))}))
        return {stream: known.get(stream, 0) for stream in streams}

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read by the index of the prefix's first one or two segments."""
        query, values = queries.page(prefix)
        return await self._events(query, {**values, "after": after, "limit": limit})

    async def count(self, prefix: str = "") -> int:
        """Read the prefix's counter; for a prefix of three segments or more, sum over its streams."""
        return await self._number(*queries.count(prefix))

    async def head(self, prefix: str = "") -> int:
        """Read the prefix's last position; for a prefix of three segments or more, search its streams."""
        return await self._number(*queries.head(prefix))

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Wake at once on appends of this process and notifications of the server, and poll every second."""
        self._listener.start()
        until = time.monotonic() + timeout_s
        while True:
            news = self._listener.news
            if await self.head() > after:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, POLL_S)):
                    await news.wait()

    async def purge(self, prefix: str) -> None:
        """Remove `PURGED_AT_ONCE` streams in a transaction, so that none locks the log for long."""
        low, high = name_range(prefix)
        query = "SELECT purge(%(low)s, %(high)s, %(limit)s)"
        while await self._number(query, {"low": low, "high": high, "limit": PURGED_AT_ONCE}) == PURGED_AT_ONCE:
            pass

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Read a named value."""
        rows = await self._rows(_CHECKPOINT, {"name": name})
        try:
            return Checkpoint(orjson.loads(rows[0][0]), rows[0][1]) if rows else None
        except ValueError:
            raise self._undecodable(f"the checkpoint {name}") from None

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Compare and set in one statement."""
        text = as_json(value)
        async with self._connections.use() as connection:
            return Checkpoint(value, await _save_checkpoint(connection, name, text, expected))

    async def acquire_lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Acquire the lease by the server's clock, which all processes share."""
        async with self._connections.use() as connection:
            return await _take_lease(connection, name, owner, ttl_s)

    async def lease_owner(self, name: str) -> str | None:
        """Compare with the server's clock."""
        rows = await self._rows(_LEASE_OWNER, {"name": name})
        return str(rows[0][0]) if rows else None

    async def renew_lease(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease if its token is still valid."""
        async with self._connections.use() as connection:
            return await _renew_lease(connection, lease, ttl_s)

    async def release_lease(self, lease: Lease) -> None:
        """End the lease; its token stays stored, so that the next one is higher."""
        async with self._connections.use() as connection:
            await _end_lease(connection, lease)

    async def _events(self, query: queries.Query, values: Values) -> list[RecordedEvent]:
        rows: Sequence[EventRow] = await self._rows(query, values)
        try:
            return [event_of_row(row) for row in rows]
        except DamagedRow as error:
            raise self._undecodable(str(error)) from None

    def _undecodable(self, what: str) -> Undecodable:
        return Undecodable(
            f"{self._connections.place}: {what} cannot be decoded. The log holds the events themselves: restore it from a backup."
        )

    async def _number(self, query: queries.Query, values: Values) -> int:
        rows = await self._rows(query, values)
        return int(rows[0][0] or 0) if rows else 0

    async def _rows(self, query: queries.Query, values: Values) -> list[TupleRow]:
        async with self._connections.use() as connection:
            return await (await connection.execute(query, values)).fetchall()


async def _save_checkpoint(connection: Connection, name: str, value: str, expected: int) -> int:
    """Save a value whose revision is still `expected`; return its new revision. Raises `Conflict`."""
    values = {"name": name, "value": value, "expected": expected}
    row = await (await connection.execute(_NEXT_SAVE if expected else _FIRST_SAVE, values)).fetchone()
    if row is None:
        raise Conflict(f"checkpoint {name!r} is not at revision {expected}", key=name)
    return int(row[0])


async def _take_lease(connection: Connection, name: str, owner: str, ttl_s: float) -> Lease | None:
    """Grant the lease to `owner` with a higher token than before; return None while another owner holds it."""
    values = {"name": name, "owner": owner, "ttl": ttl_s}
    row = await (await connection.execute(_TAKE_LEASE, values)).fetchone()
    if row is None:
        await connection.execute(_CUT_LEASE, values)
        return None
    return Lease(name, owner, int(row[0]))


async def _renew_lease(connection: Connection, lease: Lease, ttl_s: float) -> bool:
    """Extend the lease if its token is still valid and it has not expired."""
    values = {"name": lease.name, "owner": lease.owner, "token": lease.token, "ttl": ttl_s}
    return (await connection.execute(_RENEW_LEASE, values)).rowcount > 0


async def _end_lease(connection: Connection, lease: Lease) -> None:
    """End the lease if its token is still valid."""
    await connection.execute(_END_LEASE, (lease.name, lease.owner, lease.token))
