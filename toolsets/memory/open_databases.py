"""Open databases: opened on first use, followed in the background, closed when they are unused or deleted."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import anyio
from anyio.abc import TaskGroup

from backends.ports.errors import StoreError
from toolsets.concurrency import KeyedLocks
from toolsets.memory.closed_databases import ClosedDatabases, LogState
from toolsets.memory.database import Database
from toolsets.memory.databases import Databases
from toolsets.memory.projections import projector_of
from toolsets.sourcing.health import SourcedHealth, pending_in
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.stream_cache import StreamCache
from toolsets.sourcing.write_path import WakeUp
from toolsets.spec import Services

CHECK_S = 1.0
"""Seconds between checks for databases that were deleted or are unused."""

UNUSED_S = 2.0
"""Seconds that a database stays open after its last use: its relay uses 0.3 % of a core, reopening takes 5 ms."""
MAX_WAITING = 16
"""The most unused databases that stay open because projections are pending; those of more are made one after the other."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _RunningRelay:
    """The running relay of one database."""

    sourced: SourcedStores
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def run(self) -> None:
        try:
            with self.scope:
                await self.sourced.relay.run()
        finally:
            self.ended.set()

    async def stop(self) -> None:
        self.scope.cancel()
        await self.ended.wait()


class OpenDatabases:
    """The stores of the databases that this process uses, each with its own write path and relay."""

    def __init__(self, services: Services, databases: Databases, primary: str) -> None:
        self._services = services
        self._databases = databases
        self._primary = primary
        self._sourced: dict[str, SourcedStores] = {}
        self._cache = StreamCache()
        """The long streams of all databases; each of them having its own cache would not bound their memory."""
        self._users: Counter[str] = Counter()
        self._used_at: dict[str, float] = {}
        self._waiting: set[str] = set()
        """The unused databases that are open because projections are pending."""
        self._relays: dict[str, _RunningRelay] = {}
        self._locks = KeyedLocks()
        self._wake_up = WakeUp()
        self.closed = ClosedDatabases(services, databases, self._sourced)
        self.is_running = False

    def is_open(self, database: Database) -> bool:
        """Return whether the graph and the vectors of a database are open in this process."""
        sourced = self._sourced.get(database.keyspace.key)
        return sourced is not None and sourced.live_stores.is_open

    @asynccontextmanager
    async def using(self, database: Database) -> AsyncGenerator[SourcedStores]:
        """Use the stores of a database inside the block; the first use opens them and catches up for at most two seconds.

        They are closed two seconds after the end of the last use, those of the primary database only when it is deleted. A
        store that does not answer fails later, in the calls that need it. Raises only permanent `StoreError`s.
        """
        key = database.keyspace.key
        self._users[key] += 1
        self._waiting.discard(key)
        try:
            yield self._sourced.get(key) or await self._opened(database)
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
            if key in self._sourced:
                self._used_at[key] = anyio.current_time()

    async def open(self, database: Database) -> None:
        """Open the stores of a database as its use does."""
        async with self.using(database):
            pass

    def sourced_of(self, database: Database) -> SourcedStores:
        """Return the stores of a database without keeping it open: for health and rebuilds."""
        return self._sourced.get(database.keyspace.key) or SourcedStores(
            self._services, projector_of(database.keyspace), self._cache
        )

    def follows(self, database: Database) -> bool:
        """Return whether a database is open in this process, whether or not its stores answer."""
        return database.keyspace.key in self._sourced

    async def health(self, database: Database) -> SourcedHealth:
        """Return the health of a database; a closed one with pending projections is then brought up."""
        is_closed = not self.follows(database)
        health = await self.sourced_of(database).health(is_followed=is_closed and self.is_running)
        if is_closed and health.lag:
            self.closed.note_pending(database.keyspace.key)
        return health

    async def run(self) -> None:
        """Follow the log for every open database until cancelled, and bring up the others one after the other."""
        self.is_running = True
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self.closed.catch_up)
                group.start_soon(self._close_unused)
                while True:
                    await self._close_deleted()
                    self._follow(group)
                    await self._wake_up.wait(timeout_s=CHECK_S)
        finally:
            self.is_running = False

    async def release(self) -> None:
        """Release the leases of all open databases."""
        async with anyio.create_task_group() as group:
            for sourced in self._sourced.values():
                group.start_soon(sourced.release)

    async def _opened(self, database: Database) -> SourcedStores:
        key = database.keyspace.key
        async with self._locks.lock(key):
            if key not in self._sourced:
                self._sourced[key] = await self._ready(database)
                self._wake_up.set()
            return self._sourced[key]

    async def _ready(self, database: Database) -> SourcedStores:
        is_deleted = partial(self._databases.is_deleted, database.keyspace)
        sourced = SourcedStores(self._services, projector_of(database.keyspace), self._cache, is_deleted)
        try:
            await sourced.ready()
        except StoreError as error:
            if not error.retryable:
                raise
            _logger.warning("a store of the database %s could not be opened: %s", database.name, error)
        return sourced

    def _follow(self, group: TaskGroup) -> None:
        for key in self._sourced.keys() - self._relays.keys():
            self._relays[key] = _RunningRelay(self._sourced[key])
            group.start_soon(self._relays[key].run)

    async def _close_deleted(self) -> None:
        """Close the databases that any process has deleted."""
        opened = {*self._sourced}
        try:
            live = await self._databases.live()
        except StoreError:
            return
        # One that was opened while the list was read may have been created since.
        for key in opened - {database.keyspace.key for database in live.values()}:
            # Without releasing the lease: its stores may be gone.
            await self._close(key)

    async def _close_unused(self) -> None:
        """Close unused databases except the primary one, and release their leases, until cancelled."""
        while True:
            await anyio.sleep(CHECK_S)
            with suppress(StoreError):
                primary = (await self._databases.live()).get(self._primary)
                kept = None if primary is None else primary.keyspace.key
                for key in [key for key in self._sourced if key != kept and self._is_unused(key)]:
                    async with self._locks.lock(key):
                        await self._close_if_unused(key)

    def _is_unused(self, key: str) -> bool:
        used_at = self._used_at.get(key)
        return used_at is not None and key not in self._users and anyio.current_time() - used_at >= UNUSED_S

    async def _close_if_unused(self, key: str) -> None:
        """Close a database unless it has pending projections, or was used or closed meanwhile.

        Of many unused databases with pending projections, only some stay open; the others are brought up when they are closed.
        """
        if (sourced := self._sourced.get(key)) is None:
            return
        used_at = self._used_at.get(key)
        state, pending = await self._found(sourced)
        if self._used_at.get(key) != used_at or not self._is_unused(key):
            return
        if pending != 0 and len(self._waiting | {key}) <= MAX_WAITING:
            self._waiting.add(key)
            self._used_at[key] = anyio.current_time()
            return
        await self._close(key)
        await sourced.release()
        self.closed.note(key, state, pending)

    async def _found(self, sourced: SourcedStores) -> tuple[LogState | None, int | None]:
        """Return the state of a database and the number of its pending projections, None for what is unknown."""
        live_stores = sourced.live_stores
        state = None
        with suppress(StoreError):
            state = await self.closed.state(live_stores.projector.prefix, await self.closed.store_identities())
            return state, sum([await pending_in(live_stores, port) for port in live_stores.projector.ports()])
        return state, None

    async def _close(self, key: str) -> None:
        # While one relay stops, another task may open or close databases.
        self._sourced.pop(key, None)
        self._used_at.pop(key, None)
        self._waiting.discard(key)
        if (following := self._relays.pop(key, None)) is not None:
            await following.stop()
