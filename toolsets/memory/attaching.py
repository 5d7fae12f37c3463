"""Databases in use: attached when they are first needed, kept up in the background, let go when they are gone."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from backends.ports.errors import StoreError
from toolsets.memory.catalogue import Catalogue
from toolsets.memory.database import Database
from toolsets.memory.projections import MemoryProjector
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.turns import Turns
from toolsets.sourcing.writing import Bell
from toolsets.spec import Services

LOOK_S = 1.0
"""How often it is looked whether another process deleted a database."""
RETRY_S = 5.0
"""How long until what could not be done is tried again."""

UNUSED_S = 60.0
"""How long a database stays attached that nobody asks for; each that is attached asks the log again and again."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Following:
    """The relay of one database at work."""

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


class Attachments:
    """The stores of the databases that this process uses, each with its own write path and relay."""

    def __init__(self, services: Services, catalogue: Catalogue, primary: str) -> None:
        self._services = services
        self._catalogue = catalogue
        self._primary = primary
        self._sourced: dict[str, Sourced] = {}
        self._used_at: dict[str, float] = {}
        self._followed: dict[str, _Following] = {}
        self._turns = Turns()
        self._bell = Bell()

    def is_attached(self, database: Database) -> bool:
        """Say whether graph and vectors of a database are open here."""
        sourced = self._sourced.get(database.space.key)
        return sourced is not None and sourced.sites.is_open

    async def attach(self, database: Database) -> Sourced:
        """Return a database's stores; first use opens them, and catches up for a moment with what was left undone.

        They are let go a minute after the last use, those of the primary database only when it is deleted.
        A store that does not answer is no hindrance: what needs it fails by itself. Raises a `StoreError` that
        waiting does not mend.
        """
        key = database.space.key
        if (ready := self._sourced.get(key)) is None:
            async with self._turns.turn(key):
                if key not in self._sourced:
                    self._sourced[key] = await self._ready(database)
                    self._bell.ring()
                ready = self._sourced[key]
        self._used_at[key] = anyio.current_time()
        return ready

    def unattached(self, database: Database) -> Sourced:
        """Return a database's stores for a look at them, or for work beside those who use it."""
        return self._sourced.get(database.space.key) or Sourced(self._services, MemoryProjector(database.space))

    async def run(self) -> None:
        """Follow the log for every attached database, and once for each of the others, until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._catch_up_others)
            group.start_soon(self._release_unused)
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
            self._followed[key] = _Following(self._sourced[key])
            group.start_soon(self._followed[key].run)

    async def _let_go(self) -> None:
        """Drop what was deleted, whoever did it, and what nobody uses any more."""
        try:
            live = await self._catalogue.live()
        except StoreError:
            return
        for key in self._sourced.keys() - {database.space.key for database in live.values()}:
            # Its stores may be gone, so that nothing is noted there any more.
            await self._drop(key)

    async def _release_unused(self) -> None:
        """Let another process, or the next use, go on with what nobody uses here any more; it is looked for for ever."""
        while True:
            await anyio.sleep(LOOK_S)
            with suppress(StoreError):
                primary = (await self._catalogue.live()).get(self._primary)
                kept = None if primary is None else primary.space.key
                for key in [key for key in self._sourced if key != kept and self._is_unused(key)]:
                    async with self._turns.turn(key):
                        await self._release(key)

    def _is_unused(self, key: str) -> bool:
        used_at = self._used_at.get(key)
        return used_at is not None and anyio.current_time() - used_at >= UNUSED_S

    async def _release(self, key: str) -> None:
        """Drop a database unless there is something to be done, or somebody came or dropped it meanwhile."""
        if (sourced := self._sourced.get(key)) is None:
            return
        if (await sourced.trouble()).lag:
            self._used_at[key] = anyio.current_time()
        elif self._is_unused(key):
            await self._drop(key)
            await sourced.release()

    async def _drop(self, key: str) -> None:
        # While one is stopped, somebody else may have dropped the next, or be just attaching it.
        self._sourced.pop(key, None)
        self._used_at.pop(key, None)
        if (following := self._followed.pop(key, None)) is not None:
            await following.stop()

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
