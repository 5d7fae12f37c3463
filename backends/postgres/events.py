"""The event log in one schema: appended under a lock, so positions are in the order of commits."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

import orjson
from psycopg.rows import TupleRow

from backends.appending import bounds, check_limit, check_purge, check_ttl, prepare
from backends.events_rows import EventRow, recorded
from backends.jsontext import as_json
from backends.ports.events import Appended, BatchId, Checkpoint, Lease, RecordedEvent, StreamName, Write
from backends.ports.ids import check_id, check_prefix, check_stream
from backends.ports.values import Json
from backends.postgres import leases, reading
from backends.postgres.appending import Appender
from backends.postgres.connections import Connections
from backends.postgres.listening import Listener

POLL_S: Final = 1.0
"""How often a waiter looks although nobody told it to."""
PURGED_AT_ONCE: Final = 200

Values = Mapping[str, str | int | list[str]]

_VERSIONS: Final = "SELECT name, version FROM streams WHERE name = ANY(%(streams)s)"
_CHECKPOINT: Final = "SELECT value, revision FROM checkpoints WHERE name = %(name)s"


class PostgresEventLog:
    """The log of one space."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._appender = Appender(connections)
        self._listener = Listener(connections)

    async def close(self) -> None:
        """Finish what was asked for and listen no more; repeatable."""
        await self._appender.close()
        await self._listener.close()

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append in the next transaction, together with whoever else is waiting."""
        result = await self._appender.append(prepare(writes, batch))
        if result.position:
            self._listener.tell()
        return result

    async def read_stream(self, stream: StreamName, *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read one stream by its index."""
        values = {"stream": check_stream(stream), "after": after, "limit": check_limit(limit)}
        return await self._events(reading.STREAM, values)

    async def read_streams(self, streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Read several streams by one statement."""
        found: dict[StreamName, list[RecordedEvent]] = {}
        for event in await self._events(
            reading.STREAMS, {"streams": sorted({check_stream(stream) for stream in streams})}
        ):
            found.setdefault(event.stream, []).append(event)
        return found

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Look the versions up in the table of streams."""
        wanted = {check_stream(stream): stream for stream in streams}
        known: dict[str, int] = dict(await self._rows(_VERSIONS, {"streams": list(wanted)}))
        return {stream: known.get(name, 0) for name, stream in wanted.items()}

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read by the index of the prefix's first one or two segments."""
        query, values = reading.page(check_prefix(prefix))
        return await self._events(query, {**values, "after": after, "limit": check_limit(limit)})

    async def count(self, prefix: str = "") -> int:
        """Read the counter kept with the prefix; sum over the streams for one of more segments."""
        return await self._number(*reading.count(check_prefix(prefix)))

    async def head(self, prefix: str = "") -> int:
        """Read the position kept with the prefix; look through the streams for one of more segments."""
        return await self._number(*reading.head(check_prefix(prefix)))

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Wake at once for appends of this process and for those that the server tells of, and look every second."""
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
        """Remove the streams some hundred at a time, so that no transaction holds the log for long."""
        low, high = bounds(check_purge(prefix))
        query = "SELECT purge(%(low)s, %(high)s, %(limit)s)"
        while await self._number(query, {"low": low, "high": high, "limit": PURGED_AT_ONCE}) == PURGED_AT_ONCE:
            pass

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Read a named value."""
        rows = await self._rows(_CHECKPOINT, {"name": check_id(name, what="a checkpoint's name")})
        return Checkpoint(orjson.loads(rows[0][0]), rows[0][1]) if rows else None

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Compare and set in one statement."""
        key, text = check_id(name, what="a checkpoint's name"), as_json(value)
        async with self._connections.use() as connection:
            return Checkpoint(value, await leases.save_checkpoint(connection, key, text, expected))

    async def lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Take the lease by the server's clock, which all processes share."""
        key, holder = check_id(name, what="a lease's name"), check_id(owner, what="an owner")
        seconds = check_ttl(ttl_s)
        async with self._connections.use() as connection:
            return await leases.take(connection, key, holder, seconds)

    async def renew(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease while its token still holds."""
        seconds = check_ttl(ttl_s)
        async with self._connections.use() as connection:
            return await leases.renew(connection, lease, seconds)

    async def release(self, lease: Lease) -> None:
        """End the lease; its token stays behind, so that the next one is higher."""
        async with self._connections.use() as connection:
            await leases.release(connection, lease)

    async def _events(self, query: reading.Query, values: Values) -> list[RecordedEvent]:
        rows: Sequence[EventRow] = await self._rows(query, values)
        return [recorded(row) for row in rows]

    async def _number(self, query: reading.Query, values: Values) -> int:
        rows = await self._rows(query, values)
        return int(rows[0][0] or 0) if rows else 0

    async def _rows(self, query: reading.Query, values: Values) -> list[TupleRow]:
        async with self._connections.use() as connection:
            return await (await connection.execute(query, values)).fetchall()
