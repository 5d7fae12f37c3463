"""How entities, relationships and their types look in the graph and in the vectors of one database."""

from collections.abc import Mapping, Sequence

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision
from toolsets.memory.entity import Entity, entity_of
from toolsets.memory.relationship import relationship_of, type_of
from toolsets.memory.streams import TOOLSET, Space, entity_id, type_token
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Keys, Passage, Projection

ENTITY = "entity"
TYPE = "relationship_type"
COLLECTION = "entities"

_UNREADABLE = "{} has no events"


class MemoryProjector:
    """Makes a node and a passage of each entity, an edge of each relationship, and a node of each type of edge."""

    kinds = (
        KindSpec(
            ENTITY,
            (
                FieldSpec("name", "str", sort=True, text=True),
                FieldSpec("type", "str", sort=True, text=True),
                FieldSpec("observations", "str", text=True),
                FieldSpec("created_at", "int", sort=True),
            ),
            totals=("type",),
        ),
        KindSpec(TYPE, (FieldSpec("name", "str"),)),
    )
    collection = COLLECTION
    fields: tuple[FieldSpec, ...] = ()

    def __init__(self, space: Space) -> None:
        self.prefix = space.prefix
        self.space = f"{TOOLSET}_{space.key}"
        self._space = space
        self.prefixes: Mapping[str, Keys] = {
            space.entities: Keys(graph=NodeId("*"), vectors=RecordId("*")),
            space.relationships: Keys(graph=EdgeId("*"), is_edge=True),
            space.types: Keys(graph=NodeId("*")),
        }

    def keys(self, stream: StreamName) -> Keys | None:
        """Return where a stream's records are; every stream of a database is projected."""
        own = stream.rpartition("/")[2]
        if stream.startswith(self._space.entities):
            return Keys(graph=NodeId(own), vectors=RecordId(own))
        if stream.startswith(self._space.relationships):
            return Keys(graph=EdgeId(own), is_edge=True)
        return Keys(graph=NodeId(own)) if stream.startswith(self._space.types) else None

    def project(self, stream: StreamName, history: History) -> Projection:
        """Return the records of an entity, a relationship or a type. Raises `UnreadableEvent`."""
        if stream.startswith(self._space.entities):
            return _entity(stream, history)
        return (
            _relationship(stream, history) if stream.startswith(self._space.relationships) else _type(stream, history)
        )


def embedding_text(entity: Entity) -> str:
    """Return what an entity is found by in meaning: name, type and observations, a line each, as far as 32 kB go."""
    return "\n".join((entity.name, entity.type, *_fitting(entity.observations)))


def _fitting(observations: Sequence[str]) -> list[str]:
    """Return the observations, in order, that fit into what the substring index takes; one that does not is passed over."""
    fitting: list[str] = []
    room = MAX_INDEXED_BYTES
    for text in observations:
        size = len(text.encode()) + 1
        if size <= room:
            room -= size
            fitting.append(text)
    return fitting


def _entity(stream: StreamName, history: History) -> Projection:
    entity = entity_of(history)
    if entity is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    rev = Revision(entity.version)
    key = entity_id(entity.name)
    searched = {"name": entity.name, "type": entity.type, "created_at": entity.created_at}
    if observed := "\n".join(_fitting(entity.observations)):
        searched["observations"] = observed
    node = Node(NodeId(key), ENTITY, searched, rev, {"observations": list(entity.observations)})
    return Projection(stream, rev, node, Passage(RecordId(key), embedding_text(entity), rev))


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    link, rev = edge.link, Revision(edge.version)
    source, target = NodeId(entity_id(link.source)), NodeId(entity_id(link.target))
    own = EdgeId(stream.rpartition("/")[2])
    return Projection(
        stream, rev, Edge(own, source, target, type_token(link.kind), rev, edge.confidence, {"type": link.kind})
    )


def _type(stream: StreamName, history: History) -> Projection:
    kind = type_of(history)
    if kind is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    rev = Revision(len(history))
    return Projection(stream, rev, Node(NodeId(type_token(kind)), TYPE, {"name": kind}, rev))
