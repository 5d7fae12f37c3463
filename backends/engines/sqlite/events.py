"""The event log in one file, appended by a single writer: positions are in commit order."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import orjson

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.connection import DatabaseFile
from backends.engines.sqlite.schema import json_list, statement
from backends.kit.coalesce import Coalescer
from backends.kit.event_rows import EVENT_COLUMNS, rows_of_batch
from backends.kit.records import as_json
from backends.ports.errors import Conflict, Undecodable
from backends.ports.events import Appended, BatchId, Checkpoint, Lease, RecordedEvent, StreamName, Write
from backends.ports.values import Json

POLL_S: Final = 0.05
"""So late at most an append of another process is noticed; each look costs one `stat`."""
DISTINCT_TIME_S: Final = 0.1
"""How old the last change of a file must be so that its time differs from the next one: file systems count in about 10 ms."""
TOGETHER: Final = 64
"""Reads that become one statement: with more the first of them would wait for all."""
SIDE_BY_SIDE: Final = 2
"""Concurrent short reads share a thread, at most two at a time: one of three readers stays free for long reads."""

_READ_STREAMS = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN streams s ON s.name = w.value JOIN events e ON e.stream = s.key"
    " ORDER BY s.key, e.version",
    columns=EVENT_COLUMNS,
)
_READ_NEWER = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN streams s ON s.name = json_extract(w.value, '$[0]')"
    " JOIN events e ON e.stream = s.key AND e.version > json_extract(w.value, '$[1]') ORDER BY s.key, e.version",
    columns=EVENT_COLUMNS,
)
_CHECKPOINTS = "SELECT c.name, c.value, c.revision FROM json_each(?) w CROSS JOIN checkpoints c ON c.name = w.value"
_VERSIONS = "SELECT s.name, s.version FROM json_each(?) w CROSS JOIN streams s ON s.name = w.value"

_Stamp: TypeAlias = tuple[int, int, int]


class SqliteEventLog:
    """The log of one data directory."""

    def __init__(self, database: DatabaseFile) -> None:
        self._database = database
        self._wal = database.path.with_name(f"{database.path.name}-wal")
        self._appended = asyncio.Event()
        self._streams = Coalescer(self._streams_together, max_items=TOGETHER, rounds=SIDE_BY_SIDE)
        self._last = 0
        """The head that the poll has read last."""
        self._waiting = 0
        self._growth: asyncio.Future[None] | None = None
        self._poller: asyncio.Task[None] | None = None
        self._checkpoints = Coalescer(self._checkpoints_together, max_items=TOGETHER, rounds=SIDE_BY_SIDE)
        self._heads = Coalescer(self._heads_together, max_items=TOGETHER, rounds=SIDE_BY_SIDE)

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append in the writer's next commit, together with other waiting calls."""
        # The writer builds the rows: for a large batch that would block the event loop for too long.
        result = await self._database.write(
            lambda connection: event_tables.append(connection, rows_of_batch(writes, batch))
        )
        if result.position:
            self._appended.set()
            self._appended = asyncio.Event()
        return result

    async def read_streams(
        self, streams: Collection[StreamName], *, after: Mapping[StreamName, int] | None = None
    ) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Read several streams with one statement, together with concurrent calls that read whole streams."""
        wanted = frozenset(streams)
        if after:
            return await self._newer({stream: after.get(stream, 0) for stream in wanted})
        try:
            found = await self._streams.submit(wanted)
        except Undecodable:
            # The damaged event may be in a stream of another call.
            [found] = await self._streams_together([wanted])
        return {stream: events for stream, events in found.items() if stream in wanted}

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Look up the versions in the table of streams."""
        names = json_list(sorted(set(streams)))
        rows: list[tuple[str, int]] = await self._database.read(
            lambda connection: connection.execute(_VERSIONS, (names,)).fetchall()
        )
        known = dict(rows)
        return {stream: known.get(stream, 0) for stream in streams}

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Read by the index of the prefix's first one or two segments."""
        query, values = event_tables.read_statement(prefix)
        bound = {**values, "after": after, "limit": limit}
        return await self._database.read(lambda connection: event_tables.events(connection, query, bound))

    async def count(self, prefix: str = "") -> int:
        """Read the prefix's counter; for a prefix of three segments or more, sum over its streams."""
        return await self._database.read(lambda connection: event_tables.count(connection, prefix))

    async def head(self, prefix: str = "") -> int:
        """Read the prefix's last position; for a prefix of three segments or more, search its streams."""
        return await self._heads.submit(prefix)

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Wake at once on appends of this process. One poll every 50 ms detects those of other processes, for all waiters.

        It checks whether the file has changed since the log was read: that takes microseconds, a read starts a thread.
        """
        head = await self.head()
        if self._poller is None or self._poller.done():
            # The poll wakes waiters once the log has grown beyond this head. While it runs, only the poll updates the head.
            self._last = head
        self._waiting += 1
        try:
            async with asyncio.timeout(timeout_s):
                while max(head, self._last) <= after:
                    await asyncio.shield(self._growth_polled())
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
            if not self._waiting and self._poller is not None:
                self._poller.cancel()
                self._poller = None
        return True

    def _growth_polled(self) -> "asyncio.Future[None]":
        """Return a future that is done once the log has grown and fails if the log cannot be read; start polling."""
        if self._growth is None or self._growth.done():
            self._growth = asyncio.get_running_loop().create_future()
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll(self._growth))
        return self._growth

    async def _poll(self, growth: "asyncio.Future[None]") -> None:
        try:
            while True:
                appended, before = self._appended, _stamp(self._wal)
                former, self._last = self._last, await self.head()
                if self._last > former:
                    growth.set_result(None)
                    return
                while not appended.is_set():
                    with suppress(TimeoutError):
                        async with asyncio.timeout(POLL_S):
                            await appended.wait()
                    if before is None or _stamp(self._wal) != before:
                        break
        except Exception as error:  # noqa: BLE001 -- every error is passed to the waiters
            growth.set_exception(error)
            growth.exception()  # marked as retrieved, in case no waiter is left

    async def purge(self, prefix: str) -> None:
        """Remove `PURGED_AT_ONCE` streams in a transaction, so that none locks the log for long."""
        while await self._database.write(lambda connection: event_tables.purge(connection, prefix)):
            pass

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Read a named value, together with concurrent calls."""
        try:
            return await self._checkpoints.submit(name)
        except Undecodable:
            [found] = await self._checkpoints_together([name])
            return found

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Compare and set in one transaction."""
        text = as_json(value)
        revision = await self._database.write(lambda connection: _save_checkpoint(connection, name, text, expected))
        return Checkpoint(value, revision)

    async def acquire_lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Acquire the lease by the machine's clock, which all processes on the directory share."""
        return await self._database.write(lambda connection: _take_lease(connection, name, owner, ttl_s))

    async def lease_owner(self, name: str) -> str | None:
        """Compare with the machine's clock."""
        return await self._database.read(lambda connection: _lease_owner(connection, name))

    async def renew_lease(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease if its token is still valid."""
        return await self._database.write(lambda connection: _renew_lease(connection, lease, ttl_s))

    async def release_lease(self, lease: Lease) -> None:
        """End the lease; its token stays stored, so that the next one is higher."""
        await self._database.write(lambda connection: _release_lease(connection, lease))

    async def _newer(self, after: Mapping[StreamName, int]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        wanted = orjson.dumps(sorted(after.items())).decode()
        return _by_stream(
            await self._database.read(lambda connection: event_tables.events(connection, _READ_NEWER, (wanted,)))
        )

    async def _streams_together(
        self, wanted: Sequence[Collection[str]]
    ) -> Sequence[Mapping[StreamName, Sequence[RecordedEvent]]]:
        names = json_list(sorted({name for each in wanted for name in each}))
        events = await self._database.read(lambda connection: event_tables.events(connection, _READ_STREAMS, (names,)))
        return [_by_stream(events)] * len(wanted)

    async def _checkpoints_together(self, wanted: Sequence[str]) -> Sequence[Checkpoint | None]:
        names = json_list(sorted(set(wanted)))

        def read(connection: sqlite3.Connection) -> Sequence[Checkpoint | None]:
            rows: list[tuple[str, str, int]] = connection.execute(_CHECKPOINTS, (names,)).fetchall()
            texts = {name: (value, revision) for name, value, revision in rows}
            # Each caller gets a value of its own.
            return [Checkpoint(orjson.loads(texts[n][0]), texts[n][1]) if n in texts else None for n in wanted]

        return await self._database.read(read)

    async def _heads_together(self, wanted: Sequence[str]) -> Sequence[int]:
        return await self._database.read(
            lambda connection: [event_tables.head(connection, prefix) for prefix in wanted]
        )


def _by_stream(events: Iterable[RecordedEvent]) -> dict[StreamName, list[RecordedEvent]]:
    found: dict[StreamName, list[RecordedEvent]] = {}
    for event in events:
        found.setdefault(event.stream, []).append(event)
    return found


def _stamp(wal: Path) -> _Stamp | None:
    """Return a value that the next commit of any process changes; None while the last commit is too recent."""
    try:
        found = os.stat(wal)  # noqa: PTH116 -- called at each poll, and a Path builds its text each time
    except OSError:
        return None
    has_distinct_time = time.time() - found.st_mtime >= DISTINCT_TIME_S
    return (found.st_ino, found.st_size, found.st_mtime_ns) if has_distinct_time else None


def _save_checkpoint(connection: sqlite3.Connection, name: str, value: str, expected: int) -> int:
    """Save a value whose revision is still `expected`; return its new revision. Raises `Conflict`."""
    row: tuple[int] | None = connection.execute("SELECT revision FROM checkpoints WHERE name = ?", (name,)).fetchone()
    found = 0 if row is None else row[0]
    if found != expected:
        raise Conflict(f"checkpoint {name!r} is at revision {found}, not {expected}", key=name)
    connection.execute(
        "INSERT INTO checkpoints(name, value, revision) VALUES(?, ?, ?)"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value, revision = excluded.revision",
        (name, value, found + 1),
    )
    return found + 1


def _take_lease(connection: sqlite3.Connection, name: str, owner: str, ttl_s: float) -> Lease | None:
    """Grant the lease to `owner` with a higher token than before; return None while another owner holds it."""
    row: tuple[str, int, float, float | None] | None = connection.execute(
        "SELECT owner, token, expires, ttl FROM leases WHERE name = ?", (name,)
    ).fetchone()
    now = time.time()
    if row is not None and row[0] != owner and row[2] > now:
        latest = now + (row[3] or ttl_s)
        if row[2] > latest:
            # It was acquired before the clock was set back. From now on it lasts one `ttl_s`.
            connection.execute("UPDATE leases SET expires = ? WHERE name = ?", (latest, name))
        return None
    token = 1 if row is None else row[1] + 1
    connection.execute(
        "INSERT INTO leases(name, owner, token, expires, ttl) VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE"
        " SET owner = excluded.owner, token = excluded.token, expires = excluded.expires, ttl = excluded.ttl",
        (name, owner, token, now + ttl_s, ttl_s),
    )
    return Lease(name, owner, token)


def _lease_owner(connection: sqlite3.Connection, name: str) -> str | None:
    row: tuple[str] | None = connection.execute(
        "SELECT owner FROM leases WHERE name = ? AND expires > ?", (name, time.time())
    ).fetchone()
    return None if row is None else row[0]


def _renew_lease(connection: sqlite3.Connection, lease: Lease, ttl_s: float) -> bool:
    """Extend the lease if its token is still valid and it has not expired."""
    now = time.time()
    changed = connection.execute(
        "UPDATE leases SET expires = ?, ttl = ? WHERE name = ? AND owner = ? AND token = ? AND expires > ?",
        (now + ttl_s, ttl_s, lease.name, lease.owner, lease.token, now),
    )
    return changed.rowcount > 0


def _release_lease(connection: sqlite3.Connection, lease: Lease) -> None:
    """End the lease if its token is still valid."""
    connection.execute(
        "UPDATE leases SET expires = 0 WHERE name = ? AND owner = ? AND token = ?",
        (lease.name, lease.owner, lease.token),
    )
