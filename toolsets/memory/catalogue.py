"""The list of databases, read from its events when they have grown; the configured ones are put on it."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

import anyio

from backends.ports.errors import StoreError
from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.ports.ids import namespace
from toolsets.memory import database as databases
from toolsets.memory.database import Database, Outcome
from toolsets.memory.streams import DATABASES, database_stream
from toolsets.sourcing.aggregate import Decide, Decision, Histories
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.lineage import FOLLOWS, NOTHING, check_lineage, note_lineage
from toolsets.sourcing.targets import GraphTarget
from toolsets.spec import CallContext, Services

ValueT = TypeVar("ValueT")

_OVERVIEW = namespace("memory_databases")
"""Where the graph notes which log the list is from: a log that is lost has no databases whose stores could tell."""
_PAGE = 1_000
_KEY_BITS = 96


class Catalogue:
    """Which databases there are, by name; what another process changes is seen at the next question."""

    def __init__(self, services: Services, wanted: Sequence[str]) -> None:
        self._stores = services.stores
        self._chance: random.Random = services.random
        self._committer = Committer(services.now, services.random)
        self._wanted = wanted
        self._histories: dict[StreamName, list[RecordedEvent]] = {}
        self._position = 0
        self._known: Mapping[str, Database] | None = None
        self._reading = anyio.Lock()

    async def all(self) -> Mapping[str, Database]:
        """Return every database that ever was, by name, in whatever condition.

        While the log does not answer: what was last known. Raises the log's errors when nothing is.
        """
        try:
            log = await self._stores.events()
            head = await log.head(DATABASES)
        except StoreError:
            if self._known is None:
                raise
            return self._known
        if self._known is None or head > self._position:
            async with self._reading:
                self._known = await self._complete(log)
        return self._known

    async def live(self) -> Mapping[str, Database]:
        """Return the databases that can be used, by name, sorted. Raises the log's errors when none are known."""
        return {name: found for name, found in sorted((await self.all()).items()) if found.condition == "live"}

    async def create(self, name: str) -> Outcome:
        """Make a database, or bring a deleted one back. Raises the log's errors."""
        key = f"{self._chance.getrandbits(_KEY_BITS):0{_KEY_BITS // 4}x}"

        def decide(histories: Histories) -> Decision[Outcome]:
            return databases.create(histories, name, key)

        return await self._commit(decide, name)

    async def delete(self, name: str, *, purge: bool) -> Database:
        """End a database and return what it was. Raises `UnknownDatabase` and the log's errors."""

        def decide(histories: Histories) -> Decision[Database]:
            return databases.delete(histories, name, purge=purge)

        return await self._commit(decide, name)

    async def note_log(self) -> None:
        """Let the graph note which log the databases are from. Raises `StoreError`."""
        await note_lineage(await self._stores.events(), await self._overview(), self._chance)

    async def _overview(self) -> GraphTarget:
        return GraphTarget(await self._stores.graph(_OVERVIEW), "")

    async def _complete(self, log: EventLog) -> Mapping[str, Database]:
        """Read what is new; then make what is configured and missing, and read that. Raises `Unusable` for a lost log."""
        known = await self._read(log)
        missing = [name for name in self._wanted if name not in known or known[name].condition != "live"]
        if missing:
            await self._check_log(log)
        for name in missing:
            await self.create(name)
        return await self._read(log) if missing else known

    async def _check_log(self, log: EventLog) -> None:
        """Raise `Unusable` where the graph knows databases of another log; one that cannot be asked is no hindrance."""
        try:
            overview = await self._overview()
            await overview.notes.get_meta(FOLLOWS)
        except StoreError:
            return
        await check_lineage(log, overview, self._chance, way_out=NOTHING)

    async def _read(self, log: EventLog) -> Mapping[str, Database]:
        while events := await log.read_all(DATABASES, after=self._position, limit=_PAGE):
            for event in events:
                self._histories.setdefault(event.stream, []).append(event)
            self._position = events[-1].position
        found = [databases.database_of(tuple(history)) for history in self._histories.values()]
        return {database.name: database for database in found if database is not None}

    async def _commit(self, decide: Decide[ValueT], name: str) -> ValueT:
        context = CallContext("databases")
        log = await self._stores.events()
        return (await self._committer.commit(log, decide, context, prefetch=(database_stream(name),))).value
