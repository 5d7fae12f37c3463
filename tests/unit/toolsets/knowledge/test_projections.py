"""The records of concepts and relationships."""

import pytest

from backends.ports.events import StreamName
from backends.ports.values import JsonObject
from tests.support.histories import Fact, history_of
from toolsets.knowledge import concept, relationship
from toolsets.knowledge.projections import EXPLANATIONS, PROJECTOR
from toolsets.knowledge.streams import concept_stream, relationship_key, relationship_stream
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.projection import Projection

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
STREAM = concept_stream(ONE)
KEY = relationship_key(ONE, TWO, "includes")
EDGE = relationship_stream(KEY)


def begun(**placed: str) -> Fact:
    data: JsonObject = {"name": "Loops", "explanation": "Repetition.", "certainty": 50.0, "certainty_by_hand": True}
    return concept.CREATED, {**data, **placed}


def projected(stream: StreamName, *facts: Fact) -> Projection:
    return PROJECTOR.project(stream, history_of(stream, *facts))


def test_a_concept_is_a_node_and_its_explanation_a_passage() -> None:
    found = projected(STREAM, begun(area="Computing", topic="Programming", subtopic="Control"))
    ((node,), (passage,)) = found.nodes, found.passages
    assert (node.id, passage.id, passage.collection, passage.text) == (ONE, ONE, EXPLANATIONS, "Repetition.")
    assert node.fields == {
        "name": "Loops",
        "area": "Computing",
        "topic": "Programming",
        "subtopic": "Control",
        "certainty": 50.0,
        "created_at": 1,
    }
    assert passage.fields == {"area": "Computing", "topic": "Programming", "certainty": 50.0}


def test_levels_that_a_concept_lacks_are_no_fields() -> None:
    (node,) = projected(STREAM, begun()).nodes
    assert set(node.fields) == {"name", "certainty", "created_at"}


def test_a_deleted_concept_has_no_records() -> None:
    gone = projected(STREAM, begun(), (concept.DELETED, {}))
    assert (gone.nodes, gone.passages, gone.rev) == ((), (), 2)
    assert (gone.deleted_nodes, gone.deleted_passages) == ((ONE,), ((EXPLANATIONS, ONE),))


def test_a_strength_of_negative_zero_loses_its_sign() -> None:
    data: JsonObject = {"source_id": ONE, "target_id": TWO, "kind": "includes", "strength": -0.0}
    (edge,) = projected(EDGE, (relationship.CREATED, data)).edges
    assert str(edge.confidence) == "0.0"


@pytest.mark.parametrize("notes", [{}, {"notes": "See chapter 2."}])
def test_a_relationship_is_an_edge_without_its_notes(notes: JsonObject) -> None:
    data: JsonObject = {"source_id": ONE, "target_id": TWO, "kind": "includes", "strength": 0.5, **notes}
    (edge,) = projected(EDGE, (relationship.CREATED, data)).edges
    assert (edge.id, edge.source, edge.target, edge.type, edge.confidence) == (KEY, ONE, TWO, "includes", 0.5)
    assert edge.props == {}
    gone = projected(EDGE, (relationship.CREATED, data), (relationship.DELETED, {}))
    assert (gone.edges, gone.deleted_edges) == ((), (KEY,))


@pytest.mark.parametrize("stream", [STREAM, EDGE])
def test_a_stream_without_events_cannot_be_projected(stream: StreamName) -> None:
    with pytest.raises(UnreadableEvent):
        projected(stream)
