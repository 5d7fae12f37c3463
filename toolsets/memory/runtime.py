"""The running toolset: what its handlers share, and how they come by a database or refuse."""

import logging
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from backends.ports.errors import StoreError
from backends.ports.events import StreamName
from backends.ports.graph import Node
from backends.ports.values import NodeId
from toolsets.memory.attaching import Attachments
from toolsets.memory.catalogue import Catalogue
from toolsets.memory.database import Database
from toolsets.memory.entity import Entity, known_entity
from toolsets.memory.errors import failing, unknown_database
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import database_stream
from toolsets.memory.summary import Counts
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.counting import CountCache
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.targets import GraphTarget, PortName, VectorsTarget
from toolsets.sourcing.writing import Written
from toolsets.spec import CallContext, Services

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ValueT = TypeVar("ValueT")

_logger = logging.getLogger(__name__)


class Memory:
    """The memory toolset joined to its stores; opens nothing by itself."""

    def __init__(self, services: Services) -> None:
        self.settings = MemorySettings.model_validate(services.settings.model_dump())
        self.services = services
        self.catalogue = Catalogue(services, self.settings.wanted)
        self.attachments = Attachments(services, self.catalogue, self.settings.primary)
        # Kept as long as the database is attached.
        self._counts: WeakKeyDictionary[Sourced, CountCache[Counts]] = WeakKeyDictionary()

    async def live(self) -> Mapping[str, Database]:
        """Return the databases there are, or refuse."""
        with failing("Reading the list of databases"):
            return await self.catalogue.live()

    async def database(self, name: str) -> "Desk":
        """Return a database ready for use, attached if it was not. Refuses a name that none has."""
        found = (await self.live()).get(name)
        if found is None:
            raise unknown_database(name)
        with failing(f"Attaching the database '{name}'"):
            sourced = await self.attachments.attach(found)
        return Desk(found, sourced, self._counts.setdefault(sourced, CountCache(self.services.now)))

    async def prepare(self) -> None:
        """Make the configured databases and attach the primary one. Raises `StoreError`."""
        live = await self.catalogue.live()
        await self.attachments.attach(live[self.settings.primary])
        try:
            await self.catalogue.note_log()
        except StoreError as error:
            if not error.retryable:
                raise
            _logger.warning("the graph has not noted which log the databases are from: %s", error)


@dataclass(frozen=True, slots=True)
class Desk:
    """One database at work: its stores, each with the words for its failing."""

    database: Database
    sourced: Sourced
    counts: CountCache[Counts] = field(repr=False)

    async def graph(self) -> GraphTarget:
        """Return the graph, or refuse."""
        with failing("Opening the graph"):
            return await self.sourced.sites.graph()

    async def vectors(self) -> VectorsTarget:
        """Return the vectors, or refuse."""
        with failing("Opening the vectors"):
            return await self.sourced.sites.vectors()

    async def embed(self, text: str) -> "Vector":
        """Return the vector of a text, or refuse."""
        with failing("Embedding the text"):
            return (await (await self.sourced.sites.stores.embedder()).embed((text,)))[0]

    async def entity(self, name: str) -> Entity:
        """Return an entity from its stream, which is always up to date. Refuses a name that none has."""
        stream = self.database.space.entity(name)
        with failing("Reading the entity"):
            log = await self.sourced.sites.log()
            return known_entity(name, tuple((await log.read_streams((stream,))).get(stream, ())))

    async def found(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the entities among `ids`: from the graph, or from their streams while the graph is down."""
        sites = self.sourced.sites
        try:
            with self.sourced.doubting("graph"):
                return await (await sites.graph()).graph.get_nodes(ids)
        except StoreError as error:
            _logger.warning("entities are read from the log, the graph failed: %s", error)
        with failing("Reading the entities found"):
            streams = [StreamName(self.database.space.entities + id_) for id_ in ids]
            histories = await (await sites.log()).read_streams(streams)
            nodes = [sites.projector.project(stream, (*events,)).graph for stream, events in histories.items()]
        return {node.id: node for node in nodes if isinstance(node, Node)}

    async def write(
        self, decide: Decide[ValueT], context: CallContext, *, streams: Collection[StreamName]
    ) -> Written[ValueT]:
        """Carry out a decision; what fails before it stands is an error, what is refused is worded."""
        of_database = database_stream(self.database.name)
        with failing("Writing"):
            return await self.sourced.writes.write(decide, context, streams=(*streams, of_database))

    @contextmanager
    def reading(self, port: PortName, during: str) -> Generator[None]:
        """Word a store's failure inside the block, and open the store again before its next use."""
        with failing(during), self.sourced.doubting(port):
            yield
