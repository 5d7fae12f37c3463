"""How concepts and relationships look in the graph and in the vectors."""

from collections.abc import Mapping

from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision, Scalar
from toolsets.knowledge.concept import Concept, concept_of
from toolsets.knowledge.relationship import relationship_of
from toolsets.knowledge.streams import CONCEPTS, RELATIONSHIPS, TOOLSET
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.projection import GoneEdge, GoneNode, GonePassage, Keys, Passage, Projection

CONCEPT = "concept"
COLLECTION = "explanations"

_PLACEMENT = tuple(FieldSpec(level, "str", sort=True) for level in ("area", "topic", "subtopic"))


class KnowledgeProjector:
    """Makes a node and a passage of each concept, and an edge of each relationship."""

    prefix = f"{TOOLSET}/"
    space = TOOLSET
    kinds = (
        KindSpec(
            CONCEPT,
            (
                FieldSpec("name", "str", text=True),
                *_PLACEMENT,
                FieldSpec("certainty", "float", sort=True),
                FieldSpec("created_at", "int", sort=True),
            ),
            totals=tuple(level.name for level in _PLACEMENT),
        ),
    )
    collection = COLLECTION
    fields = (*_PLACEMENT[:2], FieldSpec("certainty", "float", sort=True))
    prefixes: Mapping[str, Keys] = {
        CONCEPTS: Keys(graph=NodeId("*"), vectors=RecordId("*")),
        RELATIONSHIPS: Keys(graph=EdgeId("*"), is_edge=True),
    }

    def keys(self, stream: StreamName) -> Keys | None:
        """Return where a stream's records are; None for a claim."""
        if stream.startswith(CONCEPTS):
            concept_id = stream.removeprefix(CONCEPTS)
            return Keys(graph=NodeId(concept_id), vectors=RecordId(concept_id))
        if stream.startswith(RELATIONSHIPS):
            return Keys(graph=EdgeId(stream.removeprefix(RELATIONSHIPS)), is_edge=True)
        return None

    def project(self, stream: StreamName, history: History) -> Projection:
        """Return the records of a concept or of a relationship. Raises `UnreadableEvent`."""
        return _concept(stream, history) if stream.startswith(CONCEPTS) else _relationship(stream, history)


def _concept(stream: StreamName, history: History) -> Projection:
    concept = concept_of(history)
    if concept is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(concept.version)
    node_id, record_id = NodeId(concept.id), RecordId(concept.id)
    if concept.deleted:
        return Projection(stream, rev, GoneNode(node_id, rev), GonePassage(record_id, rev))
    placed = _placed(concept)
    certainty = {"certainty": concept.certainty.score}
    node = Node(node_id, CONCEPT, {"name": concept.name, **placed, **certainty, "created_at": concept.created_at}, rev)
    searched = {level: value for level, value in placed.items() if level != "subtopic"}
    return Projection(stream, rev, node, Passage(record_id, concept.explanation, rev, {**searched, **certainty}))


def _placed(concept: Concept) -> dict[str, Scalar]:
    levels = {"area": concept.placement.area, "topic": concept.placement.topic, "subtopic": concept.placement.subtopic}
    return {level: value for level, value in levels.items() if value is not None}


def _relationship(stream: StreamName, history: History) -> Projection:
    edge = relationship_of(history)
    if edge is None:
        raise UnreadableEvent(f"{stream} has no events")
    rev = Revision(edge.version)
    edge_id = EdgeId(edge.link.key)
    if edge.deleted:
        return Projection(stream, rev, GoneEdge(edge_id, rev))
    source, target = NodeId(edge.link.source_id), NodeId(edge.link.target_id)
    notes = {} if edge.notes is None else {"notes": edge.notes}
    return Projection(stream, rev, Edge(edge_id, source, target, edge.link.kind, rev, edge.strength, notes))
