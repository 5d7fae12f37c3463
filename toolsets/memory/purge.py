"""Purges: the stores and then the streams of a deleted database are removed for good."""

import logging
import random
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import StoreError
from backends.ports.values import Namespace
from toolsets.memory.database import Database
from toolsets.memory.databases import Databases
from toolsets.memory.projections import ENTITIES, projector_of
from toolsets.memory.streams import DATABASES, Keyspace
from toolsets.sourcing.generations import generation_namespace, store_meta
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort
from toolsets.sourcing.projection_store import INCARNATION
from toolsets.sourcing.stores import LiveStores

PURGE_POLL_S = 5.0
"""Seconds between checks for purges that another process did not finish."""

FORGOTTEN = "memory/forgotten"
"""The meta key with the position of the last purge decision that a store has carried out."""

_logger = logging.getLogger(__name__)


async def check_purgeable(stores: Stores, database: Database) -> None:
    """Check that every store that a purge needs can be opened. Raises the stores' errors."""
    for keyspace in {database.keyspace, *await left_behind(stores, database)}:
        for port in projector_of(keyspace).ports():
            for generation in await _generations(stores, port, keyspace):
                opened = await (stores.graph(generation) if port == "graph" else stores.vectors(generation))
                await opened.get_meta(INCARNATION)


async def left_behind(stores: Stores, database: Database) -> Sequence[Keyspace]:
    """Return the keyspaces of a name whose purge was decided but not finished. Raises the log's errors."""
    log = await stores.events()
    return [keyspace for keyspace in database.purged if await log.count(keyspace.prefix)]


async def purge(stores: Stores, keyspace: Keyspace) -> None:
    """Remove the stores and streams of a database; repeatable. Raises the stores' errors.

    The key is never used again, so a later database of the same name never reads a record of a late writer. The event that
    decided the purge comes after all removed ones, so the log never ends before a position that a store has followed.
    """
    for port in projector_of(keyspace).ports():
        await _forget(stores, port, keyspace)
    await (await stores.events()).purge(keyspace.prefix)


class Purger:
    """Finishes decided purges, in the log and in each store of this process.

    Each store records the last purge decision that it has carried out, because servers with other stores may share the log
    and may have been down when the purge was decided.
    """

    def __init__(self, stores: Stores, databases: Databases) -> None:
        self._stores = stores
        self._databases = databases
        self._seen: frozenset[Keyspace] | None = None
        self._given_up: set[object] = set()

    async def run(self) -> None:
        """Finish purges until cancelled, even of names that are in use again.

        Purges found at the start are finished at once, later ones if their own process has not finished them within one
        interval; by then no process has such a database open.
        """
        while True:
            with suppress(StoreError):
                await self.purge_once()
            await anyio.sleep(PURGE_POLL_S)

    async def purge_once(self) -> None:
        """Finish the purges that are due now. Raises the log's errors."""
        decided = await self._databases.purges()
        due = [
            keyspace
            for keyspace in sorted(decided, key=decided.__getitem__)
            if self._seen is None or keyspace in self._seen
        ]
        self._seen = frozenset(decided)
        for port in PORT_NAMES:
            if port not in self._given_up:
                await self._tried(port, self._forget(port, {keyspace: decided[keyspace] for keyspace in due}))
        for keyspace in due:
            if keyspace not in self._given_up:
                await self._tried(keyspace, self._finish(keyspace))

    async def _tried(self, what: object, work: Awaitable[None]) -> None:
        try:
            await work
        except StoreError as error:
            _logger.warning("a deleted database could not be purged yet: %s", error)
            if not error.retryable:
                self._given_up.add(what)

    async def _forget(self, port: ProjectionPort, decided: Mapping[Keyspace, int]) -> None:
        """Carry out in a store the purges decided since its last one, oldest first. Raises the errors of store and log."""
        if not decided:
            return
        meta = await store_meta(self._stores, port)
        forgotten = int(await meta.get_meta(FORGOTTEN) or 0)
        if forgotten > await (await self._stores.events()).head(DATABASES):
            forgotten = 0  # an older copy of the log was restored, and its positions belong to other decisions now
        for keyspace, position in decided.items():
            if position > forgotten:
                await _forget(self._stores, port, keyspace)
                await meta.set_meta(FORGOTTEN, str(position))

    async def _finish(self, keyspace: Keyspace) -> None:
        """Remove the streams left by an interrupted purge."""
        if await (await self._stores.events()).count(keyspace.prefix):
            await purge(self._stores, keyspace)
        self._given_up.add(keyspace)


async def reset_forgotten(stores: Stores) -> None:
    """Let these stores carry out every purge again, because they now follow another log or an older copy of it."""
    for port in PORT_NAMES:
        meta = await store_meta(stores, port)
        if await meta.get_meta(FORGOTTEN) is not None:
            await meta.set_meta(FORGOTTEN, "0")


async def _forget(stores: Stores, port: ProjectionPort, keyspace: Keyspace) -> None:
    """Drop all generations of a keyspace in one store; repeatable."""
    for generation in await _generations(stores, port, keyspace):
        if port == "graph":
            await (await stores.graph(generation)).drop()
        else:
            await (await stores.vectors(generation)).drop(ENTITIES)


async def _generations(stores: Stores, port: ProjectionPort, keyspace: Keyspace) -> Sequence[Namespace]:
    """Return the generations that may have records: the live one, its predecessor, and one that is being built."""
    projector = projector_of(keyspace)
    live = await LiveStores(stores, projector, random.SystemRandom()).generation(port)
    return [generation_namespace(projector, generation) for generation in range(max(1, live - 1), live + 2)]
