"""The list of databases: read from its events whenever the log has grown; missing configured ones are created."""

import json
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import anyio
from pydantic import TypeAdapter, ValidationError

from backends.ports.errors import StoreError, Undecodable
from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.ports.ids import namespace
from toolsets.memory import database as decisions
from toolsets.memory.database import Database, Outcome
from toolsets.memory.streams import DATABASES, Keyspace, database_stream
from toolsets.sourcing.aggregate import Decide, Decision, Histories, UnreadableEvent
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.lineage import FOLLOWS, NO_EVENTS_REMEDY, REBUILD_REMEDY, check_lineage, record_lineage
from toolsets.sourcing.projection_store import StoreMeta
from toolsets.spec import CallContext, Services

ValueT = TypeVar("ValueT")

_OVERVIEW = namespace("memory_databases")
"""The namespace in which the graph records the log of the list: after a loss of the log, no database is known."""
_LIVE = "live"
"""The meta key with the keys of the live databases by name."""
_LIST = TypeAdapter(dict[str, str])
_PAGE = 1_000
"""Events read at once; the list of databases seldom has more."""
_KEY_BITS = 96
"""So many that two databases of any number of gateways never get the same key."""


class UnreadableList(Undecodable):
    """An event of the list cannot be read. No database is used then: one that seems missing would be created a second time."""


class Databases:
    """The databases by name; the next call sees changes by other processes."""

    def __init__(self, services: Services, wanted: Sequence[str]) -> None:
        self._stores = services.stores
        self._rng: random.Random = services.rng
        self._committer = Committer(services.now, services.rng)
        self._wanted = wanted
        self._histories: dict[StreamName, list[RecordedEvent]] = {}
        self._position = 0
        self._known: Mapping[str, Database] | None = None
        self._known_at = 0
        """The position up to which the known list is complete, which reading runs ahead of."""
        self._reading = anyio.Lock()
        self._notes = False

    async def all(self) -> Mapping[str, Database]:
        """Return every database by name, in any condition.

        While the log does not answer, returns the last known list, or else the live databases recorded in the graph if
        the primary one is among them. Raises the log's errors if there is neither, and `UnreadableList`.
        """
        try:
            log = await self._stores.events()
            head = await log.head(DATABASES)
        except StoreError:
            if self._known is not None:
                return self._known
            noted = await self._noted_list()
            if self._wanted[0] not in noted:  # nothing was recorded, or with other settings
                raise
            return noted
        if self._known is None or head > self._known_at:
            async with self._reading:
                try:
                    self._known = await self._complete(log)
                    self._known_at = self._position
                except UnreadableList:
                    self._known = None  # so that the next call does not use the list before these events
                    raise
            if self._notes:
                with suppress(StoreError):
                    await self._note_list()
        return self._known

    async def live(self) -> Mapping[str, Database]:
        """Return the live databases, the primary one first, then by name. Raises the log's errors if no list is known."""
        return self._live(await self.all())

    async def current(self) -> Mapping[str, Database]:
        """Return the live databases as `live` does. Raises the log's errors even if an earlier list is known."""
        await (await self._stores.events()).head(DATABASES)
        return await self.live()

    async def is_deleted(self, keyspace: Keyspace) -> bool:
        """Return whether no live database has this keyspace; False while that is unknown."""
        try:
            return keyspace not in {database.keyspace for database in (await self.current()).values()}
        except StoreError:
            return False

    async def existing(self) -> Mapping[str, Database]:
        """Return the live databases as `live` does, but without creating missing configured ones.

        Raises the log's errors if no list is known, and `Unusable` for a lost log.
        """
        if self._known is not None:
            return await self.live()
        log = await self._stores.events()
        async with self._reading:
            known = await self._read(log)
            if self._missing(known):
                await self._check_log(log)
        return self._live(known)

    async def purges(self) -> Mapping[Keyspace, int]:
        """Return the keyspaces whose purge was decided, with the position of each decision. Raises the log's errors."""
        await self.all()
        return {
            keyspace: position
            for history in self._histories.values()
            for keyspace, position in decisions.purges_of(tuple(history)).items()
        }

    async def create(self, name: str) -> Outcome:
        """Create a database, or restore a deleted one. Raises the log's errors, and `OtherLog` for a log that was put back."""
        key = f"{self._rng.getrandbits(_KEY_BITS):0{_KEY_BITS // 4}x}"

        def decide(histories: Histories) -> Decision[Outcome]:
            return decisions.create(histories, name, key)

        return await self._commit(decide, name)

    async def delete(self, name: str, *, purge: bool) -> Database:
        """Delete a database and return its former state. Raises `UnknownDatabase`, and what `create` raises."""

        def decide(histories: Histories) -> Decision[Database]:
            return decisions.delete(histories, name, purge=purge)

        return await self._commit(decide, name)

    async def note_log(self) -> None:
        """Record in the graph the log of the databases and which of them are live, now and after each change.

        Raises `StoreError`.
        """
        self._notes = True
        await record_lineage(await self._stores.events(), await self._overview(), DATABASES, self._rng)
        await self._note_list()

    async def note_change(self) -> None:
        """Record in the graph which databases are live after a change by a command; the store's errors are ignored."""
        with suppress(StoreError):
            await self.all()
            await self._note_list()

    async def _note_list(self) -> None:
        """Record the live databases in the graph, for a process that starts while the log is down. Raises `StoreError`."""
        live = {name: each.keyspace.key for name, each in (self._known or {}).items() if each.condition == "live"}
        text, overview = json.dumps(live, sort_keys=True), await self._overview()
        if await overview.get_meta(_LIVE) != text:
            await overview.set_meta(_LIVE, text)

    async def _noted_list(self) -> Mapping[str, Database]:
        """Return the live databases recorded in the graph, none if the graph does not answer."""
        try:
            text = await (await self._overview()).get_meta(_LIVE)
            live = {} if text is None else _LIST.validate_json(text)
        except (StoreError, ValidationError):
            return {}
        return {name: Database(name, Keyspace(key)) for name, key in live.items()}

    async def _overview(self) -> StoreMeta:
        return await self._stores.graph(_OVERVIEW)

    async def _complete(self, log: EventLog) -> Mapping[str, Database]:
        """Read new events, and create the missing configured databases. Raises `Unusable` for a lost log."""
        known = await self._read(log)
        missing = self._missing(known)
        if missing:
            await self._check_log(log)
        for name in missing:
            await self.create(name)
        return await self._read(log) if missing else known

    def _missing(self, known: Mapping[str, Database]) -> Sequence[str]:
        return [name for name in self._wanted if name not in known or known[name].condition != "live"]

    def _live(self, known: Mapping[str, Database]) -> Mapping[str, Database]:
        live = [(name, found) for name, found in known.items() if found.condition == "live"]
        return dict(sorted(live, key=lambda item: (item[0] != self._wanted[0], item[0])))

    async def _check_log(self, log: EventLog) -> None:
        """Raise `Unusable` if the graph has databases of another log; a graph that does not answer is ignored."""
        try:
            overview = await self._overview()
            await overview.get_meta(FOLLOWS)
        except StoreError:
            return
        remedy = REBUILD_REMEDY if await log.head(DATABASES) else NO_EVENTS_REMEDY
        await check_lineage(log, "graph", overview, DATABASES, self._rng, remedy=remedy)

    async def _read(self, log: EventLog) -> Mapping[str, Database]:
        """Read new events. Raises `UnreadableList`, and the log's errors."""
        try:
            while events := await log.read_all(DATABASES, after=self._position, limit=_PAGE):
                for event in events:
                    self._histories.setdefault(event.stream, []).append(event)
                self._position = events[-1].position
            found = [decisions.database_of(tuple(history)) for history in self._histories.values()]
        except (UnreadableEvent, Undecodable) as error:
            raise UnreadableList(str(error)) from error
        return {database.name: database for database in found if database is not None}

    async def _commit(self, decide: Decide[ValueT], name: str) -> ValueT:
        context = CallContext("databases")
        log = await self._stores.events()
        await self._check_log(log)
        committed = await self._committer.commit(log, decide, context, prefetch=(database_stream(name),))
        with suppress(StoreError):  # the change is committed, and the next one or the next start notes it
            await record_lineage(log, await self._overview(), DATABASES, self._rng)
        return committed.value
