"""Open databases: opened on first use, followed in the background, closed when they are unused or deleted."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from backends.ports.errors import StoreError
from toolsets.concurrency import KeyedLocks
from toolsets.memory.database import Database
from toolsets.memory.databases import Databases
from toolsets.memory.projections import projector_of
from toolsets.sourcing.health import pending_in
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.write_path import WakeUp
from toolsets.spec import Services

LOOK_S = 1.0
"""Seconds between checks for databases that were deleted or are unused."""
RETRY_S = 5.0
"""Seconds until catching up is retried after a failure."""

UNUSED_S = 2.0
"""Seconds that a database stays open after its last use: its relay uses 0.3 % of a core, reopening takes 5 ms."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _RunningRelay:
    """The running relay of one database."""

    sourced: Sourced
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def run(self) -> None:
        with self.scope:
            await self.sourced.relay.run()
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
        self._sourced: dict[str, Sourced] = {}
        self._used_at: dict[str, float] = {}
        self._relays: dict[str, _RunningRelay] = {}
        self._locks = KeyedLocks()
        self._wake_up = WakeUp()

    def is_open(self, database: Database) -> bool:
        """Return whether the graph and the vectors of a database are open in this process."""
        sourced = self._sourced.get(database.keyspace.key)
        return sourced is not None and sourced.live_stores.is_open

    async def open(self, database: Database) -> Sourced:
        """Return the stores of a database; the first use opens them and catches up for at most two seconds.

        They are closed two seconds after the last use, those of the primary database only when it is deleted. A store that
        does not answer fails later, in the calls that need it. Raises only permanent `StoreError`s.
        """
        key = database.keyspace.key
        if (ready := self._sourced.get(key)) is None:
            async with self._locks.lock(key):
                if key not in self._sourced:
                    self._sourced[key] = await self._ready(database)
                    self._wake_up.set()
                ready = self._sourced[key]
        self._used_at[key] = anyio.current_time()
        return ready

    def sourced_of(self, database: Database) -> Sourced:
        """Return the stores of a database without keeping it open: for health, catching up and rebuilds."""
        return self._sourced.get(database.keyspace.key) or Sourced(self._services, projector_of(database.keyspace))

    async def run(self) -> None:
        """Follow the log for every open database until cancelled; bring each of the others up once."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._catch_up_others)
            group.start_soon(self._close_unused)
            while True:
                await self._close_deleted()
                self._follow(group)
                await self._wake_up.wait(timeout_s=LOOK_S)

    async def release(self) -> None:
        """Release the leases of all open databases."""
        async with anyio.create_task_group() as group:
            for sourced in self._sourced.values():
                group.start_soon(sourced.release)

    async def _ready(self, database: Database) -> Sourced:
        sourced = Sourced(self._services, projector_of(database.keyspace))
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
        try:
            live = await self._databases.live()
        except StoreError:
            return
        for key in self._sourced.keys() - {database.keyspace.key for database in live.values()}:
            # Without releasing the lease: its stores may be gone.
            await self._close(key)

    async def _close_unused(self) -> None:
        """Close unused databases except the primary one, and release their leases, until cancelled."""
        while True:
            await anyio.sleep(LOOK_S)
            with suppress(StoreError):
                primary = (await self._databases.live()).get(self._primary)
                kept = None if primary is None else primary.keyspace.key
                for key in [key for key in self._sourced if key != kept and self._is_unused(key)]:
                    async with self._locks.lock(key):
                        await self._close_if_unused(key)

    def _is_unused(self, key: str) -> bool:
        used_at = self._used_at.get(key)
        return used_at is not None and anyio.current_time() - used_at >= UNUSED_S

    async def _close_if_unused(self, key: str) -> None:
        """Close a database unless it has pending projections, or was used or closed meanwhile."""
        if (sourced := self._sourced.get(key)) is None:
            return
        if await _pending(sourced):
            self._used_at[key] = anyio.current_time()
        elif self._is_unused(key):
            await self._close(key)
            await sourced.release()

    async def _close(self, key: str) -> None:
        # While one relay stops, another task may open or close databases.
        self._sourced.pop(key, None)
        self._used_at.pop(key, None)
        if (following := self._relays.pop(key, None)) is not None:
            await following.stop()

    async def _catch_up_others(self) -> None:
        """Bring every database up to the log once, since an earlier process may have left projections pending."""
        left: Mapping[str, Database] | None = None
        while left is None or left:
            try:
                left = await self._databases.live() if left is None else left
            except StoreError:
                await anyio.sleep(RETRY_S)
                continue
            left = {name: database for name, database in left.items() if not await self._settled(database)}
            if left:
                await anyio.sleep(RETRY_S)

    async def _settled(self, database: Database) -> bool:
        """Bring one database up to the log without keeping it open; return whether nothing is left to do."""
        try:
            log = await self._services.stores.events()
            if database.keyspace.key in self._sourced or not await log.head(database.keyspace.prefix):
                return True
            sourced = self.sourced_of(database)
            try:
                await sourced.ready()
                await sourced.relay.catch_up()
                # Nothing can be done while a process that was just killed still holds the lease.
                left = (await sourced.health()).lag
            finally:
                await sourced.release()
        except StoreError as error:
            _logger.warning("the database %s could not be brought up to the log: %s", database.name, error)
            return not error.retryable
        return not left


async def _pending(sourced: Sourced) -> int:
    """Return the number of pending projections, 1 if it is unknown."""
    live_stores = sourced.live_stores
    try:
        return sum([await pending_in(live_stores, port) for port in live_stores.projector.ports()])
    except StoreError:
        return 1
