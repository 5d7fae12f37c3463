"""Databases in use: attached when they are first needed, kept up in the background, let go when they are gone."""

import logging
from collections.abc import Mapping
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup

from backends.ports.errors import StoreError
from toolsets.memory.catalogue import Catalogue
from toolsets.memory.database import Database
from toolsets.memory.projections import MemoryProjector
from toolsets.memory.purging import purge
from toolsets.memory.streams import Space
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.turns import Turns
from toolsets.sourcing.writing import Bell
from toolsets.spec import Services

LOOK_S = 1.0
"""How often it is looked whether another process deleted a database."""
RETRY_S = 5.0
"""How long until what could not be done is tried again, and what another process left is looked for."""

_logger = logging.getLogger(__name__)


class Attachments:
    """The stores of the databases that this process uses, each with its own write path and relay."""

    def __init__(self, services: Services, catalogue: Catalogue) -> None:
        self._services = services
        self._catalogue = catalogue
        self._sourced: dict[str, Sourced] = {}
        self._followed: dict[str, anyio.CancelScope] = {}
        self._turns = Turns()
        self._bell = Bell()

    def is_attached(self, database: Database) -> bool:
        """Say whether graph and vectors of a database are open here."""
        sourced = self._sourced.get(database.space.key)
        return sourced is not None and sourced.sites.is_open

    async def attach(self, database: Database) -> Sourced:
        """Return a database's stores; first use opens them, and catches up for a moment with what was left undone.

        A store that does not answer is no hindrance: what needs it fails by itself. Raises a `StoreError` that
        waiting does not mend.
        """
        key = database.space.key
        if (ready := self._sourced.get(key)) is not None:
            return ready
        async with self._turns.turn(key):
            if key not in self._sourced:
                self._sourced[key] = await self._ready(database)
                self._bell.ring()
            return self._sourced[key]

    def unattached(self, database: Database) -> Sourced:
        """Return a database's stores for a look at them, or for work beside those who use it."""
        return self._sourced.get(database.space.key) or Sourced(self._services, MemoryProjector(database.space))

    async def run(self) -> None:
        """Follow the log for every attached database, and once for each of the others; finish purges; until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._catch_up_others)
            group.start_soon(self._finish_purges)
            while True:
                await self._let_go()
                self._follow(group)
                await self._bell.wait(timeout_s=LOOK_S)

    async def release(self) -> None:
        """Let another process go on with all of them at once."""
        async with anyio.create_task_group() as group:
            for sourced in self._sourced.values():
                group.start_soon(sourced.release)

    async def _ready(self, database: Database) -> Sourced:
        sourced = Sourced(self._services, MemoryProjector(database.space))
        try:
            await sourced.ready()
        except StoreError as error:
            if not error.retryable:
                raise
            _logger.warning("the database %s is attached without a store: %s", database.name, error)
        return sourced

    def _follow(self, group: TaskGroup) -> None:
        for key in self._sourced.keys() - self._followed.keys():
            self._followed[key] = anyio.CancelScope()
            group.start_soon(_within, self._followed[key], self._sourced[key])

    async def _let_go(self) -> None:
        """Drop what was deleted, whoever did it; its stores may be gone, so that nothing is noted there any more."""
        try:
            keys = {database.space.key for database in (await self._catalogue.live()).values()}
        except StoreError:
            return
        for key in self._sourced.keys() - keys:
            if key in self._followed:
                self._followed.pop(key).cancel()
            del self._sourced[key]

    async def _catch_up_others(self) -> None:
        """Bring every database up to the log that a former process, or another engine, left behind."""
        left: Mapping[str, Database] | None = None
        while left is None or left:
            try:
                left = await self._catalogue.live() if left is None else left
            except StoreError:
                await anyio.sleep(RETRY_S)
                continue
            left = {name: database for name, database in left.items() if not await self._settled(database)}
            if left:
                await anyio.sleep(RETRY_S)

    async def _settled(self, database: Database) -> bool:
        """Bring one database up, without attaching it; say whether there is nothing left to do."""
        try:
            log = await self._services.stores.events()
            if database.space.key in self._sourced or not await log.head(database.space.prefix):
                return True
            sourced = self.unattached(database)
            await sourced.ready()
            await sourced.relay.catch_up()
            # Nothing was done while a process that was killed a moment ago still holds the lease.
            left = (await sourced.trouble()).lag
            await sourced.release()
        except StoreError as error:
            _logger.warning("the database %s is not caught up: %s", database.name, error)
            return not error.retryable
        return not left

    async def _finish_purges(self) -> None:
        """Remove what was decided to be removed for ever and is still there, whatever has become of its name since.

        At the start at once; later what another process has not removed by the next look.
        """
        seen: frozenset[Space] | None = None
        done: set[Space] = set()
        while True:
            with suppress(StoreError):
                known = (await self._catalogue.all()).values()
                decided = frozenset(space for database in known for space in database.purged)
                due = decided if seen is None else decided & seen
                done |= {space for space in due - done if await self._purged(space)}
                seen = decided
            await anyio.sleep(RETRY_S)

    async def _purged(self, space: Space) -> bool:
        """Carry a purge out to its end; say whether there is nothing left to do."""
        stores = self._services.stores
        try:
            if await (await stores.events()).count(space.prefix):
                await purge(stores, space)
        except StoreError as error:
            _logger.warning("a deleted database is not purged yet: %s", error)
            return not error.retryable
        return True


async def _within(scope: anyio.CancelScope, sourced: Sourced) -> None:
    with scope:
        await sourced.relay.run()
