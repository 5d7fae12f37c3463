"""The running toolset, which its handlers share, and access to its stores."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from backends.ports.embedder import Embedder
from backends.ports.events import EventLog, StreamName
from backends.ports.graph import Node
from backends.ports.values import NodeId
from toolsets.ids import is_uuid, uuid4
from toolsets.knowledge.concept import Concept, UnknownConcept, live_concept
from toolsets.knowledge.errors import Code, available, translate_to
from toolsets.knowledge.projections import PROJECTOR
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.knowledge.streams import concept_stream
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.errors import store_errors
from toolsets.sourcing.projection import ProjectionPort
from toolsets.sourcing.projection_store import GraphStore, KnownVectors, VectorStore
from toolsets.sourcing.reads import CountCache
from toolsets.sourcing.sourced import SourcedStores
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext, Reply, Services

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

ValueT = TypeVar("ValueT")


class Knowledge:
    """The knowledge toolset connected to its stores; creating it opens nothing."""

    def __init__(self, services: Services) -> None:
        self.settings = services.settings_as(KnowledgeSettings)
        self.now = services.now
        self.sourced = SourcedStores(services, PROJECTOR)
        self.live_stores = self.sourced.live_stores
        self.hierarchy: CountCache[Reply] = CountCache(services.now)

    def new_id(self) -> str:
        """Return a new id for a concept."""
        return uuid4(self.live_stores.rng)

    async def log(self, service: str) -> EventLog:
        """Return the event log. Raises `ToolError` naming `service` if it is down."""
        with available(service):
            return await self.live_stores.log()

    async def graph(self, service: str = "neo4j_service") -> GraphStore:
        """Return the live graph. Raises `ToolError` naming `service` if it is down."""
        with available(service):
            return await self.live_stores.graph()

    async def vectors(self, service: str = "chromadb_service") -> VectorStore:
        """Return the live vectors. Raises `ToolError` naming `service` if they are down."""
        with available(service):
            return await self.live_stores.vectors()

    async def embedder(self) -> Embedder:
        """Return the embedder. Raises `ToolError` if it is down."""
        with available("embedding_service"):
            return await self.live_stores.stores.embedder()

    async def require_repository(self) -> None:
        """Raise `ToolError` unless log, graph and vectors can be opened."""
        await self.log("repository")
        await self.graph("repository")
        await self.vectors("repository")

    async def embed(self, text: str, *, on_failure: Code) -> "Vector":
        """Return the vector of a text. Raises `ToolError` with the code `on_failure` if embedding fails."""
        embedder = await self.embedder()
        with store_errors(translate_to(on_failure, "Embedding the text")):
            return (await embedder.embed((text,)))[0]

    def reading(self, port: ProjectionPort, code: Code, during: str) -> AbstractContextManager[None]:
        """Convert a store's failure inside the block into `code`, and open the store again before its next use."""
        return self.sourced.using(port, translate_to(code, during))

    async def known_concepts(self, ids: Mapping[str, str]) -> Mapping[NodeId, Node]:
        """Return the nodes of concepts; `ids` maps the name of each argument to an id.

        A concept that is not projected yet is missing. Raises `UnknownConcept` for the first id without a live concept.
        """
        for argument, concept_id in ids.items():
            check_concept_id(concept_id, argument)
        graph = (await self.graph()).graph
        with self.reading("graph", "neo4j_error", "Reading the graph"):
            nodes = await graph.get_nodes([NodeId(concept_id) for concept_id in ids.values()])
        for argument, concept_id in ids.items():
            if NodeId(concept_id) not in nodes:
                await self.live(concept_id, argument)
        return nodes

    async def nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        """Return the nodes of the live concepts among `ids`, from the graph, and from the log what it lacks."""
        with store_errors(translate_to("database_error", "Reading the concepts found")):
            return await self.sourced.nodes({id_: concept_stream(id_) for id_ in ids}, pending=True)

    async def live(self, concept_id: str, argument: str = "concept_id") -> Concept:
        """Return a concept from its stream, which is always up to date. Raises `UnknownConcept` naming `argument`."""
        check_concept_id(concept_id, argument)
        await self.log("repository")
        stream = concept_stream(concept_id)
        with store_errors(translate_to("database_error", "Reading the concept")):
            found = await self.sourced.live_stores.read_streams((stream,))
            return live_concept(concept_id, found[stream], argument)

    async def write(
        self,
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known_vectors: KnownVectors | None = None,
    ) -> Written[ValueT]:
        """Commit a decision and project it. Raises `ToolError` if it is not known to be recorded."""
        with store_errors(translate_to("database_error", "Writing")):
            return await self.sourced.writes.write(decide, context, streams=streams, known_vectors=known_vectors)


def check_concept_id(concept_id: str, field: str = "concept_id") -> str:
    """Return the id if it is a UUID. Raises `UnknownConcept` naming the argument `field`."""
    if not is_uuid(concept_id):
        raise UnknownConcept(concept_id, field)
    return concept_id
