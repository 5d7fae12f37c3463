"""The running toolset: what its handlers share, and how they come by stores or refuse."""

import logging
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from backends.ports.embedder import Embedder
from backends.ports.errors import StoreError
from backends.ports.events import EventLog, StreamName
from backends.ports.graph import Node
from backends.ports.values import NodeId
from toolsets.ids import is_uuid, uuid4
from toolsets.knowledge.concept import Concept, live_concept
from toolsets.knowledge.errors import Code, domain_refusals, failing_as, failure, unavailable, unknown_concept
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.knowledge.streams import concept_stream
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.counting import CountCache
from toolsets.sourcing.sourced import Sourced
from toolsets.sourcing.targets import GraphTarget, KnownVectors, PortName, VectorsTarget
from toolsets.sourcing.writing import Written
from toolsets.spec import CallContext, Reply, Services

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ValueT = TypeVar("ValueT")

_logger = logging.getLogger(__name__)


class Knowledge:
    """The knowledge toolset joined to its stores; opens nothing by itself."""

    def __init__(self, services: Services) -> None:
        self.settings = KnowledgeSettings.model_validate(services.settings.model_dump())
        self.now = services.now
        self.sourced = Sourced(services, KnowledgeProjector())
        self.sites = self.sourced.sites
        self.hierarchy: CountCache[Reply] = CountCache(services.now)

    def new_id(self) -> str:
        """Return an id for a concept."""
        return uuid4(self.sites.chance)

    async def log(self, service: str) -> EventLog:
        """Return the event log, or refuse naming the service that lacks it."""
        try:
            return await self.sites.log()
        except StoreError as error:
            raise unavailable(service, error) from error

    async def graph(self, service: str = "neo4j_service") -> GraphTarget:
        """Return the live graph, or refuse naming the service that lacks it."""
        try:
            return await self.sites.graph()
        except StoreError as error:
            raise unavailable(service, error) from error

    async def vectors(self, service: str = "chromadb_service") -> VectorsTarget:
        """Return the live vectors, or refuse naming the service that lacks them."""
        try:
            return await self.sites.vectors()
        except StoreError as error:
            raise unavailable(service, error) from error

    async def embedder(self) -> Embedder:
        """Return the embedder, or refuse."""
        try:
            return await self.sites.stores.embedder()
        except StoreError as error:
            raise unavailable("embedding_service", error) from error

    async def require_repository(self) -> None:
        """Refuse unless log, graph and vectors can be opened."""
        await self.log("repository")
        await self.graph("repository")
        await self.vectors("repository")

    async def embed(self, text: str, *, on_failure: Code) -> "Vector":
        """Return the vector of a text."""
        embedder = await self.embedder()
        with failing_as(on_failure, "Embedding the text"):
            return (await embedder.embed((text,)))[0]

    @contextmanager
    def reading(self, port: PortName, code: Code, during: str) -> Generator[None]:
        """Turn a store's failure inside the block into `code`, and open the store again before its next use."""
        try:
            with self.sourced.doubting(port):
                yield
        except StoreError as error:
            raise failure(code, during, error) from error

    async def known_concepts(self, ids: Mapping[str, str]) -> Mapping[NodeId, Node]:
        """Return the concepts the graph has, of `ids` by the argument each was sent as.

        Refuses the first id that no live concept has, also not one still to be indexed. An id whose node is
        still to be made is missing from the answer.
        """
        for argument, concept_id in ids.items():
            existing_form(concept_id, argument)
        graph = (await self.graph()).graph
        with self.reading("graph", "neo4j_error", "Reading the graph"):
            nodes = await graph.get_nodes([NodeId(concept_id) for concept_id in ids.values()])
        for argument, concept_id in ids.items():
            if NodeId(concept_id) not in nodes:
                await self.live(concept_id, argument)
        return nodes

    async def found(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the live concepts among `ids`: from the graph, or from their streams while the graph is down."""
        try:
            return await (await self.sites.graph()).graph.get_nodes(ids)
        except StoreError as error:
            _logger.warning("concepts are read from the log, the graph failed: %s", error)
            self.sites.doubt("graph")
        log = await self.log("repository")
        with failing_as("database_error", "Reading the concepts found"):
            histories = await log.read_streams([concept_stream(id_) for id_ in ids])
            nodes = [self.sites.projector.project(stream, (*events,)).graph for stream, events in histories.items()]
        return {node.id: node for node in nodes if isinstance(node, Node)}

    async def live(self, concept_id: str, argument: str = "concept_id") -> Concept:
        """Return a concept from its stream, which is always up to date. Refuses an id that no live concept has."""
        existing_form(concept_id, argument)
        log = await self.log("repository")
        stream = concept_stream(concept_id)
        with failing_as("database_error", "Reading the concept"), domain_refusals({concept_id: argument}):
            found = await log.read_streams((stream,))
            return live_concept(concept_id, tuple(found.get(stream, ())))

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known: KnownVectors | None = None,
        arguments: Mapping[str, str] | None = None,
    ) -> Written[ValueT]:
        """Carry out a decision; what fails before it stands is a database error, what is refused is worded.

        `arguments` says which argument an id came from, where it is not `concept_id`.
        """
        with failing_as("database_error", "Writing"), domain_refusals(arguments):
            return await self.sourced.writes.write(decide, context, streams=streams, known=known)


def done(message: str, written: Written[ValueT]) -> str:
    """Return the reply's message for a write."""
    return message if written.indexed else f"{message}; indexing is pending"


def existing_form(concept_id: str, field: str = "concept_id") -> str:
    """Return the id if any concept could have it; refuse it as unknown otherwise."""
    if not is_uuid(concept_id):
        raise unknown_concept(concept_id, field)
    return concept_id
