"""The nodes and edges that entities and relationships are projected to."""

from typing import TypeAlias, cast

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, ListingSpec, Node, Order
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import EdgeId, FieldSpec, Json, Micros, NodeId, Revision
from toolsets.agent_graph.entity import NO_READS, Entity, Reads, entity_of
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.relationship import EdgeKey, Relationship, relationship_of
from toolsets.agent_graph.streams import ENTITIES, RELATIONSHIPS, TOOLSET
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Projection, Projector, StreamKind

ENTITY = "entity"
BY_RANK = (
    Order("utility", descending=True),
    Order("accesses", descending=True),
    Order("used_at", descending=True),
    Order("name"),
)
"""The most useful first; the keys before the name are those of `Rank`."""
BY_AGE = (Order("created_at"), Order("name"))
UTILITY_DIGITS = 15
"""Decimal digits to which utilities are compared; smaller differences come from rounding."""

Rank: TypeAlias = tuple[float, int, int]
"""Utility, reads and the time of the last read; the greater, the more useful the entity."""


def rank(entity: Entity) -> Rank:
    """Return the rank of an entity."""
    return round(entity.utility, UTILITY_DIGITS), entity.accesses, entity.accessed_at


def rank_with(node: Node, reads: Reads) -> Rank:
    """Return the rank that the entity of a node has after adding reads."""
    fields = node.fields
    count, last = reads
    return _number(fields["utility"]), _integer(fields["accesses"]) + count, max(_integer(fields["used_at"]), last)


def entity_in(node: Node, reads: Reads = NO_READS) -> Entity:
    """Return the entity of a node, with reads that the node does not include."""
    fields, props = node.fields, node.props
    count, last = reads
    return Entity(
        id=node.id,
        channel=str(fields["channel"]),
        name=str(fields["name"]),
        type=cast("EntityType", fields["type"]),
        aliases=_texts(fields["names"])[1:],
        description=_description(node),
        confidence=_number(props["confidence"]),
        utility=_number(props["utility"]),
        accesses=_integer(fields["accesses"]) + count,
        accessed_at=Micros(max(_time(fields.get("accessed_at", fields["created_at"])), last)),
        sources=_texts(fields.get("sources", ())),
        held=_texts(props["held"]),
        created_at=_time(fields["created_at"]),
        updated_at=_time(fields["updated_at"]),
        version=node.rev,
    )


def relationship_in(edge: Edge) -> Relationship:
    """Return the relationship of an edge."""
    props = edge.props
    label = props.get("label")
    return Relationship(
        key=EdgeKey(edge.source, edge.target, cast("RelationType", edge.type.upper())),
        channel=str(props["channel"]),
        label=None if label is None else str(label),
        confidence=edge.confidence,
        sources=_texts(props["sources"]),
        created_at=_time(props["created_at"]),
        updated_at=_time(props["updated_at"]),
        version=edge.rev,
    )


def _entity(stream: StreamName, history: History) -> Projection:
    entity = entity_of(history)
    if entity is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, node_id = Revision(entity.version), NodeId(entity.id)
    if entity.into is not None:
        return Projection(stream, rev, deleted_nodes=(node_id,))
    searched = _beginning(entity.description or "")
    description = {} if entity.description is None else {"description": searched}
    utility, _, used_at = rank(entity)
    # Missing until the first read, so that a listing by it begins with the entities that were read.
    read = {"accessed_at": entity.accessed_at} if entity.accesses else {}
    fields = {
        "channel": entity.channel,
        "type": entity.type,
        "name": entity.name,
        "names": (entity.name, *entity.aliases),
        "utility": utility,
        "accesses": entity.accesses,
        "used_at": used_at,
        "updated_at": entity.updated_at,
        "created_at": entity.created_at,
        "sources": entity.sources,
        **description,
        **read,
    }
    props: dict[str, Json] = {
        "confidence": entity.confidence,
        "utility": entity.utility,
        "held": list(entity.held),
        **({} if searched == (entity.description or "") else {"description": entity.description}),
    }
    return Projection(stream, rev, nodes=(Node(node_id, ENTITY, fields, rev, props),))


def _beginning(text: str) -> str:
    """Return the beginning of a text, as long as an index accepts."""
    return text.encode()[:MAX_INDEXED_BYTES].decode(errors="ignore")


def _description(node: Node) -> str | None:
    """Return the description of an entity: from the props if it is too long for the index, else from the fields."""
    shown = node.props.get("description", node.fields.get("description"))
    return None if shown is None else str(shown)


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev, edge_id = Revision(edge.version), EdgeId(edge.key.id)
    if edge.ended:
        return Projection(stream, rev, deleted_edges=(edge_id,))
    label = {} if edge.label is None else {"label": edge.label}
    props: dict[str, Json] = {
        "channel": edge.channel,
        "sources": list(edge.sources),
        "created_at": edge.created_at,
        "updated_at": edge.updated_at,
        **label,
    }
    ends = NodeId(edge.key.source_id), NodeId(edge.key.target_id)
    projected = Edge(edge_id, *ends, edge.key.type.lower(), rev, edge.confidence, props)
    return Projection(stream, rev, edges=(projected,))


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _integer(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _time(value: Json) -> Micros:
    return Micros(value) if isinstance(value, int) else Micros(0)


PROJECTOR = Projector(
    prefix=f"{TOOLSET}/",
    namespace=TOOLSET,
    kinds=(
        KindSpec(
            ENTITY,
            (
                FieldSpec("channel", "str", sort=True),
                FieldSpec("type", "str", sort=True),
                FieldSpec("name", "str", sort=True, text=True),
                FieldSpec("updated_at", "int", sort=True),
                FieldSpec("accessed_at", "int", sort=True),
                FieldSpec("utility", "float", sort=True),
                FieldSpec("accesses", "int", sort=True),
                FieldSpec("used_at", "int", sort=True),
                FieldSpec("created_at", "int", sort=True),
                FieldSpec("names", "strs", text=True),
                FieldSpec("description", "str", text=True),
                FieldSpec("sources", "strs"),
            ),
            listings=(ListingSpec(BY_RANK, ("channel",)), ListingSpec(BY_AGE, ("channel",))),
        ),
    ),
    streams=(
        StreamKind(ENTITIES, _entity, graph="node"),
        StreamKind(RELATIONSHIPS, _relationship, graph="edge"),
    ),
    version=2,
)
"""A node for each entity and an edge for each relationship.

Version 1 stored the names in one text and the rank in another.
"""
