"""The records of entities, relationships and their types in the graph and in the vectors of one database."""

from collections.abc import Sequence
from typing import cast

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, JsonObject, NodeId, RecordId, Revision
from toolsets.memory.entity import embedding_text, entity_of, searched_observations
from toolsets.memory.relationship import relationship_of, type_of
from toolsets.memory.streams import TOOLSET, Keyspace, entity_id, type_token
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind

ENTITY = "entity"
TYPE = "relationship_type"
ENTITIES = "entities"
"""The collection of the entities' texts."""

_UNREADABLE = "{} has no events"
_KINDS = (
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


def projector_of(keyspace: Keyspace) -> Projector:
    """Return the projector of a database: a node and a passage per entity, an edge per relationship, a node per type."""
    return Projector(
        prefix=keyspace.prefix,
        namespace=f"{TOOLSET}_{keyspace.key}",
        kinds=_KINDS,
        collections=(Collection(ENTITIES),),
        streams=(
            StreamKind(keyspace.entities, _entity, graph="node", collection=ENTITIES),
            StreamKind(keyspace.relationships, _relationship, graph="edge"),
            StreamKind(keyspace.types, _type, graph="node"),
        ),
        version=2,
    )


def observations_of(node: Node) -> tuple[str, ...]:
    """Return all observations of the entity of a node."""
    return tuple(cast("Sequence[str]", node.props["observations"]))


def _entity(stream: StreamName, history: History) -> Projection:
    entity = entity_of(history)
    if entity is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    rev = Revision(entity.version)
    key = entity_id(entity.name)
    fields = {"name": entity.name, "type": entity.type, "created_at": entity.created_at}
    if observed := "\n".join(searched_observations(entity.observations)):
        fields["observations"] = observed
    node = Node(NodeId(key), ENTITY, fields, rev, {"observations": list(entity.observations)})
    passage = Passage(ENTITIES, RecordId(key), embedding_text(entity.name, entity.type, entity.observations))
    return Projection(stream, rev, nodes=(node,), passages=(passage,))


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    key, rev = edge.key, Revision(edge.version)
    source, target = NodeId(entity_id(key.source)), NodeId(entity_id(key.target))
    edge_id = EdgeId(stream.rpartition("/")[2])
    # Events may have -0.0, which some graphs store as 0.0.
    # With the names of its ends, so that a walk orders entities by name without reading them.
    props: JsonObject = {"type": key.type, "source": key.source, "target": key.target}
    projected = Edge(edge_id, source, target, type_token(key.type), rev, edge.confidence + 0.0, props)
    return Projection(stream, rev, edges=(projected,))


def _type(stream: StreamName, history: History) -> Projection:
    kind = type_of(history)
    if kind is None:
        raise UnreadableEvent(_UNREADABLE.format(stream))
    rev = Revision(len(history))
    return Projection(stream, rev, nodes=(Node(NodeId(type_token(kind)), TYPE, {"name": kind}, rev),))
