"""Closed databases: which of them are up to the log, and the background task that brings up the others."""

import logging
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass

import anyio

from backends.ports.errors import StoreError
from toolsets.memory.database import Database
from toolsets.memory.databases import Databases
from toolsets.memory.projections import projector_of
from toolsets.memory.streams import TOOLSET
from toolsets.sourcing.backoff import backoff_s
from toolsets.sourcing.generations import STORE_IDENTITY_KEY, store_meta
from toolsets.sourcing.projection import PORT_NAMES
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import WakeUp
from toolsets.spec import Services

RETRY_S = 5.0
"""Seconds until catching up is retried; after each failure twice as long, up to `OTHERS_S`."""
OTHERS_S = 30.0
"""Seconds between checks for what other processes left pending."""
MAX_FAILURES = 16
"""The most databases that fail before the others are left for the next attempt: a store that is down fails for all."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LogState:
    """The position of the last event under a prefix, and the identities of the stores, which change when a store is lost."""

    head: int
    stores: tuple[str | None, ...]


class ClosedDatabases:
    """The databases that this process does not follow. What is pending in them is projected, one database after the other."""

    def __init__(self, services: Services, databases: Databases, open_ones: Container[str]) -> None:
        """Prepare to look after the databases whose keys are not among `open_ones`."""
        self._services = services
        self._databases = databases
        self._open = open_ones
        self._up_to_date: dict[str, LogState] = {}
        """The state of each database in which it had no pending projections."""
        self._failed_at: dict[str, float] = {}
        """When those that could not be brought up last failed."""
        self._wake_up = WakeUp()

    async def store_identities(self) -> tuple[str | None, ...]:
        """Return the identities of the stores of all databases, None for an empty store. Raises the stores' errors."""
        return tuple(
            [await (await store_meta(self._services.stores, port)).get_meta(STORE_IDENTITY_KEY) for port in PORT_NAMES]
        )

    async def state(self, prefix: str, stores: tuple[str | None, ...]) -> LogState:
        """Return the state of a database, or of the toolset, given the stores' identities. Raises the log's errors."""
        return LogState(await (await self._services.stores.events()).head(prefix), stores)

    def is_up_to_date(self, key: str, state: LogState) -> bool:
        """Return whether a database is known to have no pending projections in this state."""
        return self._up_to_date.get(key) == state

    def note(self, key: str, state: LogState | None, pending: int | None) -> None:
        """Note how many projections of a database were pending in a state; None for what is unknown.

        A closed one with pending projections is brought up next.
        """
        if pending == 0 and state is not None:
            self._up_to_date[key] = state
        else:
            self._up_to_date.pop(key, None)
            self._wake_up.set()

    def note_pending(self, key: str) -> None:
        """Note that a database has pending projections; it is brought up next unless that is being tried already."""
        if self._up_to_date.pop(key, None) is not None:
            self._wake_up.set()

    async def catch_up(self) -> None:
        """Bring databases up to the log until cancelled: at first, and what others or a lost store leave pending later."""
        done: LogState | None = None
        failures = 0
        while True:
            left = True
            with suppress(StoreError):
                state = await self.state(f"{TOOLSET}/", await self.store_identities())
                left = state != done and await self._catch_up_all(state.stores)
                done = None if left else state
            failures = failures + 1 if left else 0
            pause_s = backoff_s(failures, first_s=RETRY_S, longest_s=OTHERS_S) if left else OTHERS_S
            if await self._wake_up.wait(timeout_s=pause_s):
                done = None

    async def _catch_up_all(self, stores: tuple[str | None, ...]) -> bool:
        """Bring the databases up, those that failed last; return whether something is left. Raises the log's errors."""
        live = {database.keyspace.key: database for database in (await self._databases.live()).values()}
        for known in (self._up_to_date, self._failed_at):
            for key in known.keys() - live.keys():
                del known[key]
        failures = 0
        for key in sorted(live, key=lambda key: self._failed_at.get(key, 0.0)):
            state = await self.state(live[key].keyspace.prefix, stores)
            if await self._brought_up(live[key], state):
                self._failed_at.pop(key, None)
                continue
            self._failed_at[key] = anyio.current_time()
            failures += 1
            if failures == MAX_FAILURES:
                break
        return failures > 0

    async def _brought_up(self, database: Database, state: LogState) -> bool:
        """Bring one database up to the log without keeping it open; return whether nothing is left to do."""
        key = database.keyspace.key
        if key in self._open or not state.head or self.is_up_to_date(key, state):
            return True
        sourced = SourcedStores(self._services, projector_of(database.keyspace))
        try:
            try:
                await sourced.ready()
                await sourced.relay.catch_up()
                # Nothing can be done while a process that was just killed still holds the lease.
                lag = (await sourced.health()).lag
            finally:
                await sourced.release()
        except StoreError as error:
            if await self._databases.is_deleted(database.keyspace):
                return True
            level = logging.DEBUG if key in self._failed_at else logging.WARNING
            _logger.log(level, "the database %s could not be brought up to the log: %s", database.name, error)
            return False
        if lag == 0:
            self._up_to_date[key] = state
        return lag == 0
