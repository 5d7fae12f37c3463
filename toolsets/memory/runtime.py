"""The running toolset, which its handlers share, and the database of a call."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from backends.ports.embedder import Embedder
from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.graph import Node
from backends.ports.values import NodeId
from toolsets.memory.database import Database, UnknownDatabase
from toolsets.memory.databases import Databases, UnreadableList
from toolsets.memory.entity import Entity, known_entity
from toolsets.memory.errors import tool_error, translate
from toolsets.memory.open_databases import OpenDatabases
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import database_stream
from toolsets.memory.summary import Counts
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.projection import ProjectionPort
from toolsets.sourcing.projection_store import GraphStore
from toolsets.sourcing.reads import CountCache
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Services

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ValueT = TypeVar("ValueT")

_UNREADABLE = (
    "Reading the list of databases failed, because one of its events is damaged or unknown to this version; see the server's "
    "log"
)

_logger = logging.getLogger(__name__)


class Memory:
    """The memory toolset connected to its stores; creating it opens nothing."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(MemorySettings)
        self.services = services
        self.databases = Databases(services, self.settings.wanted)
        self.open_databases = OpenDatabases(services, self.databases, self.settings.primary)
        # Weak keys, so that counts are kept only as long as the database is open.
        self._counts: WeakKeyDictionary[SourcedStores, CountCache[Counts]] = WeakKeyDictionary()

    async def live(self) -> Mapping[str, Database]:
        """Return the live databases by name. Raises `ToolError`."""
        return await _listed(self.databases.live)

    @asynccontextmanager
    async def database(self, name: str | None) -> "AsyncGenerator[OpenDatabase]":
        """Use a database inside the block, which keeps it open; None stands for the primary one.

        Raises `UnknownDatabase`, and `ToolError` if a store fails.
        """
        name = name or self.settings.primary
        found = (await self.live()).get(name)
        if found is None:
            # The list may be an earlier one while the log does not answer.
            live = await _listed(self.databases.current)
            found = live.get(name)
            if found is None:
                raise UnknownDatabase(name, tuple(live))
        async with AsyncExitStack() as stack:
            with store_errors(translate(f"Attaching the database '{found.name}'")):
                sourced = await stack.enter_async_context(self.open_databases.using(found))
            yield OpenDatabase(found, sourced, self._counts.setdefault(sourced, CountCache(self.services.now)))

    async def prepare(self) -> None:
        """Create the configured databases and open the primary one. Raises `StoreError`."""
        live = await self.databases.live()
        await self.open_databases.open(live[self.settings.primary])
        try:
            await self.databases.note_log()
        except StoreError as error:
            if not error.retryable:
                raise
            _logger.warning("the log of the databases could not be recorded in the graph: %s", error)


async def _listed(read: Callable[[], Awaitable[Mapping[str, Database]]]) -> Mapping[str, Database]:
    with store_errors(translate("Reading the list of databases")):
        try:
            return await read()
        except UnreadableList as error:
            raise tool_error(_UNREADABLE) from error


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """An open database: its stores, and the error message of each operation."""

    database: Database
    sourced: SourcedStores
    counts: CountCache[Counts] = field(repr=False)

    async def graph(self) -> GraphStore:
        """Return the live graph. Raises `ToolError`."""
        with store_errors(translate("Opening the graph")):
            return await self.sourced.live_stores.graph()

    async def embedder(self) -> Embedder:
        """Return the embedder. Raises `ToolError`."""
        with store_errors(translate("Embedding the text")):
            return await self.sourced.live_stores.stores.embedder()

    async def embed(self, text: str) -> "Vector":
        """Return the vector of a text. Raises `ToolError`."""
        with store_errors(translate("Embedding the text")):
            return await self.sourced.embed(text)

    async def entity(self, name: str) -> Entity:
        """Return an entity from its stream, which is always up to date. Raises `UnknownEntity`."""
        stream = self.database.keyspace.entity(name)
        with store_errors(translate("Reading the entity")):
            return known_entity(name, (await self.sourced.live_stores.read_streams((stream,)))[stream])

    async def nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the nodes of the entities among `ids`, from the graph, and from the log what it lacks."""
        with store_errors(translate("Reading the entities found")):
            streams = {id_: StreamName(self.database.keyspace.entities + id_) for id_ in ids}
            return await self.sourced.nodes(streams, pending=True)

    async def write(
        self, decide: Decide[ValueT], context: CallContext, *, streams: Collection[StreamName]
    ) -> Written[ValueT]:
        """Commit a decision and project it. Raises `ToolError` if it is not known to be recorded."""
        with store_errors(translate("Writing")):
            return await self.sourced.writes.write(
                decide, context, streams=(*streams, database_stream(self.database.name))
            )

    def reading(self, port: ProjectionPort, during: str) -> AbstractContextManager[None]:
        """Convert a store's failure inside the block, and open the store again before its next use."""
        return self.sourced.using(port, translate(during))
