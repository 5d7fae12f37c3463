"""The records of entities, relationships and types of one database."""

import pytest

from backends.ports.events import StreamName
from tests.support.histories import Fact, history_of
from toolsets.memory import entity, relationship
from toolsets.memory.projections import ENTITIES, observations_of, projector_of
from toolsets.memory.streams import Keyspace, entity_id, type_token
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.projection import Projection

KEYS = Keyspace("k1")
PROJECTOR = projector_of(KEYS)
ALICE: Fact = (entity.CREATED, {"name": "Alice", "type": "person", "observations": ["sings", "paints"]})


def projected(stream: StreamName, *facts: Fact) -> Projection:
    return PROJECTOR.project(stream, history_of(stream, *facts))


def test_a_database_has_records_of_its_own() -> None:
    assert (PROJECTOR.prefix, PROJECTOR.namespace) == ("memory/k1/", "memory_k1")
    assert PROJECTOR.stream_kind(Keyspace("k2").entity("Alice")) is None


def test_an_entity_is_a_node_and_a_passage_under_one_id() -> None:
    found = projected(KEYS.entity("Alice"), ALICE)
    ((node,), (passage,)) = found.nodes, found.passages
    assert node.id == passage.id == entity_id("Alice")
    assert (node.fields["name"], node.fields["type"], node.fields["created_at"]) == ("Alice", "person", 1)
    assert node.fields["observations"] == "sings\npaints"
    assert observations_of(node) == ("sings", "paints")
    assert passage.collection == ENTITIES
    assert all(word in passage.text for word in ("Alice", "person", "sings", "paints"))


def test_an_entity_without_observations_has_no_such_field() -> None:
    (node,) = projected(KEYS.entity("Bob"), (entity.CREATED, {"name": "Bob", "type": "person"})).nodes
    assert "observations" not in node.fields
    assert observations_of(node) == ()


def test_a_relationship_is_an_edge_whose_type_is_shown_as_it_was_written() -> None:
    stream = KEYS.relationship("Alice", "is a friend of", "Bob")
    fact: Fact = (
        relationship.CREATED,
        {"source": "Alice", "target": "Bob", "type": "is a friend of", "confidence": 0.5},
    )
    (edge,) = projected(stream, fact).edges
    assert (edge.source, edge.target) == (entity_id("Alice"), entity_id("Bob"))
    assert (edge.type, edge.confidence) == (type_token("is a friend of"), 0.5)
    assert edge.props == {"type": "is a friend of", "source": "Alice", "target": "Bob"}
    assert stream.endswith(edge.id)


def test_a_confidence_of_negative_zero_loses_its_sign() -> None:
    fact: Fact = (relationship.CREATED, {"source": "A", "target": "B", "type": "KNOWS", "confidence": -0.0})
    (edge,) = projected(KEYS.relationship("A", "KNOWS", "B"), fact).edges
    assert str(edge.confidence) == "0.0"


def test_a_type_is_a_node_with_its_text() -> None:
    (node,) = projected(KEYS.type("KNOWS"), (relationship.TYPE_NAMED, {"type": "KNOWS"})).nodes
    assert (node.id, node.fields) == (type_token("KNOWS"), {"name": "KNOWS"})


@pytest.mark.parametrize("stream", [KEYS.entity("a"), KEYS.relationship("a", "b", "c"), KEYS.type("a")])
def test_a_stream_without_events_cannot_be_projected(stream: StreamName) -> None:
    with pytest.raises(UnreadableEvent):
        projected(stream)
