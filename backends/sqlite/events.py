"""The event log in one file: appended by a single writer, so positions are in the order of commits."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import orjson

from backends.appending import check_limit, check_purge, prepare
from backends.events_rows import EVENT_COLUMNS, recorded
from backends.gathering import Gathering
from backends.jsontext import as_json
from backends.ports.events import Appended, BatchId, Checkpoint, Lease, RecordedEvent, StreamName, Write
from backends.ports.ids import check_id, check_prefix, check_stream
from backends.ports.values import Json
from backends.sqlite import appending, leases, prefixes
from backends.sqlite.connection import Database
from backends.sqlite.statements import json_list, statement

POLL_S: Final = 0.05
TOGETHER: Final = 64
SIDE_BY_SIDE: Final = 2
"""Short questions that come together are answered by one trip to a thread, and leave one for the long ones."""

_READ_STREAM = statement(
    "SELECT {columns} FROM streams s JOIN events e ON e.stream = s.key"
    " WHERE s.name = ? AND e.version > ? ORDER BY e.version LIMIT ?",
    columns=EVENT_COLUMNS,
)
_READ_STREAMS = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN streams s ON s.name = w.value JOIN events e ON e.stream = s.key"
    " ORDER BY s.key, e.version",
    columns=EVENT_COLUMNS,
)
_VERSIONS = "SELECT s.name, s.version FROM json_each(?) w CROSS JOIN streams s ON s.name = w.value"


class SqliteEventLog:
    """The log of one data directory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._appended = asyncio.Event()
        self._streams = Gathering(self._read_together, at_once=TOGETHER, rounds=SIDE_BY_SIDE)
        self._heads = Gathering(self._look_together, at_once=TOGETHER, rounds=SIDE_BY_SIDE)

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append in the writer's next commit, together with whoever else is waiting."""
        # Prepared by the writer: the events of a large batch take the loop longer than others can wait.
        result = await self._database.write(lambda connection: appending.append(connection, prepare(writes, batch)))
        if result.position:
            self._appended.set()
            self._appended = asyncio.Event()
        return result

    async def read_stream(self, stream: StreamName, *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read one stream by its index."""
        values = (check_stream(stream), after, check_limit(limit))
        return await self._database.read(
            lambda connection: [recorded(row) for row in connection.execute(_READ_STREAM, values)]
        )

    async def read_streams(self, streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Read several streams by one statement."""
        wanted = frozenset(check_stream(stream) for stream in streams)
        found = await self._streams.do(wanted)
        return {stream: events for stream, events in found.items() if stream in wanted}

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Look the versions up in the table of streams."""
        wanted = {check_stream(stream): stream for stream in streams}
        names = json_list(list(wanted))
        rows: list[tuple[str, int]] = await self._database.read(
            lambda connection: connection.execute(_VERSIONS, (names,)).fetchall()
        )
        known = dict(rows)
        return {stream: known.get(name, 0) for name, stream in wanted.items()}

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read by the index of the prefix's first one or two segments."""
        query, values = prefixes.reading(check_prefix(prefix))
        bound = {**values, "after": after, "limit": check_limit(limit)}
        return await self._database.read(lambda connection: [recorded(row) for row in connection.execute(query, bound)])

    async def count(self, prefix: str = "") -> int:
        """Read the counter kept with the prefix; sum over the streams for one of more segments."""
        wanted = check_prefix(prefix)
        return await self._database.read(lambda connection: prefixes.count(connection, wanted))

    async def head(self, prefix: str = "") -> int:
        """Read the position kept with the prefix; look through the streams for one of more segments."""
        return await self._heads.do(check_prefix(prefix))

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Wake at once for appends of this process, and look every 50 ms for those of others."""
        until = time.monotonic() + timeout_s
        while True:
            appended = self._appended
            if await self.head() > after:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            try:
                async with asyncio.timeout(min(left, POLL_S)):
                    await appended.wait()
            except TimeoutError:
                continue

    async def purge(self, prefix: str) -> None:
        """Remove the streams some hundred at a time, so that no transaction holds the log for long."""
        wanted = check_purge(prefix)
        while await self._database.write(lambda connection: prefixes.purge(connection, wanted)):
            pass

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Read a named value."""
        key = check_id(name, what="a checkpoint's name")
        row: tuple[str, int] | None = await self._database.read(
            lambda connection: connection.execute(
                "SELECT value, revision FROM checkpoints WHERE name = ?", (key,)
            ).fetchone()
        )
        return None if row is None else Checkpoint(orjson.loads(row[0]), row[1])

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Compare and set in one transaction."""
        key = check_id(name, what="a checkpoint's name")
        text = as_json(value)
        revision = await self._database.write(
            lambda connection: leases.save_checkpoint(connection, key, text, expected)
        )
        return Checkpoint(value, revision)

    async def lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Take the lease by the clock of the machine, which all processes on the directory share."""
        key, holder = check_id(name, what="a lease's name"), check_id(owner, what="an owner")
        expires = leases.expiry(ttl_s)
        return await self._database.write(lambda connection: leases.take(connection, key, holder, expires))

    async def renew(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease while its token still holds."""
        expires = leases.expiry(ttl_s)
        return await self._database.write(lambda connection: leases.renew(connection, lease, expires))

    async def release(self, lease: Lease) -> None:
        """End the lease; its token stays behind, so that the next one is higher."""
        await self._database.write(lambda connection: leases.release(connection, lease))

    async def _read_together(
        self, wanted: Sequence[Collection[str]]
    ) -> Sequence[Mapping[StreamName, Sequence[RecordedEvent]]]:
        names = json_list(sorted({name for each in wanted for name in each}))
        events = await self._database.read(
            lambda connection: [recorded(row) for row in connection.execute(_READ_STREAMS, (names,))]
        )
        found: dict[StreamName, list[RecordedEvent]] = {}
        for event in events:
            found.setdefault(event.stream, []).append(event)
        return [found] * len(wanted)

    async def _look_together(self, wanted: Sequence[str]) -> Sequence[int]:
        return await self._database.read(lambda connection: [prefixes.head(connection, prefix) for prefix in wanted])
