"""The records of concepts and relationships in the graph and in the vectors."""

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, ListingSpec, Node, Order
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision, Scalar
from toolsets.knowledge.concept import Concept, concept_of
from toolsets.knowledge.relationship import relationship_of
from toolsets.knowledge.streams import CONCEPTS, RELATIONSHIPS, TOOLSET
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind

CONCEPT = "concept"
EXPLANATIONS = "explanations"
"""The collection of the concepts' explanations."""

_PLACEMENT = tuple(FieldSpec(level, "str", sort=True) for level in ("area", "topic", "subtopic"))


def _concept(stream: StreamName, history: History) -> Projection:
    concept = concept_of(history)
    if concept is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(concept.version)
    node_id, record_id = NodeId(concept.id), RecordId(concept.id)
    if concept.deleted:
        return Projection(stream, rev, deleted_nodes=(node_id,), deleted_passages=((EXPLANATIONS, record_id),))
    placed = _placed(concept)
    certainty = {"certainty": concept.certainty.score}
    node = Node(node_id, CONCEPT, {"name": concept.name, **placed, **certainty, "created_at": concept.created_at}, rev)
    searched = {level: value for level, value in placed.items() if level != "subtopic"}
    passage = Passage(EXPLANATIONS, record_id, concept.explanation, {**searched, **certainty})
    return Projection(stream, rev, nodes=(node,), passages=(passage,))


def _placed(concept: Concept) -> dict[str, Scalar]:
    levels = {"area": concept.placement.area, "topic": concept.placement.topic, "subtopic": concept.placement.subtopic}
    return {level: value for level, value in levels.items() if value is not None}


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(edge.version)
    edge_id = EdgeId(edge.key.stream_key)
    if edge.deleted:
        return Projection(stream, rev, deleted_edges=(edge_id,))
    source, target = NodeId(edge.key.source_id), NodeId(edge.key.target_id)
    # The notes stay in the event: no tool returns them, and every walk would read them.
    # Events may have -0.0, which some graphs store as 0.0.
    projected = Edge(edge_id, source, target, edge.key.type, rev, edge.strength + 0.0)
    return Projection(stream, rev, edges=(projected,))


PROJECTOR = Projector(
    prefix=f"{TOOLSET}/",
    namespace=TOOLSET,
    kinds=(
        KindSpec(
            CONCEPT,
            (
                *_PLACEMENT,
                FieldSpec("certainty", "float", sort=True),
                FieldSpec("created_at", "int", sort=True),
                FieldSpec("name", "str", sort=True, text=True),
            ),
            totals=tuple(level.name for level in _PLACEMENT),
            # Many concepts share a certainty, but hardly any two are created in the same microsecond.
            listings=(ListingSpec((Order("certainty"), Order("name"))),),
        ),
    ),
    collections=(Collection(EXPLANATIONS, (*_PLACEMENT[:2], FieldSpec("certainty", "float", sort=True))),),
    streams=(
        StreamKind(CONCEPTS, _concept, graph="node", collection=EXPLANATIONS),
        StreamKind(RELATIONSHIPS, _relationship, graph="edge"),
    ),
    version=2,
)
"""A node and a passage for each concept, and an edge for each relationship."""
