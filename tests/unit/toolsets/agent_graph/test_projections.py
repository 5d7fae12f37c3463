"""Entities and relationships are read from their nodes and edges as they were folded from events."""

import pytest

from backends.ports.events import StreamName
from backends.ports.graph import Edge, Node
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import JsonObject, Micros
from tests.support.histories import Fact, history_of
from toolsets.agent_graph import relationship as edges
from toolsets.agent_graph.entity import entity_of
from toolsets.agent_graph.facts import ACCESSED, CREATED, ENRICHED, MERGED
from toolsets.agent_graph.projections import PROJECTOR, entity_in, rank, rank_with, relationship_in
from toolsets.agent_graph.relationship import relationship_of
from toolsets.agent_graph.streams import entity_stream, relationship_id, relationship_stream
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.projection import Projection

ENTITY = entity_stream("ent_1")
EDGE = relationship_stream(relationship_id("ent_1", "ent_2", "USES"))
BEGUN: Fact = (
    CREATED,
    {"channel": "c", "name": "Redis", "type": "technology", "aliases": ["KV"], "confidence": 0.5, "source": "t1"},
)
LINKED: Fact = (
    edges.CREATED,
    {"source_id": "ent_1", "target_id": "ent_2", "kind": "USES", "channel": "c", "confidence": 0.5, "sources": ["t1"]},
)


def projected(stream: StreamName, *facts: Fact) -> Projection:
    return PROJECTOR.project(stream, history_of(stream, *facts))


def node(*facts: Fact) -> Node:
    (found,) = projected(ENTITY, BEGUN, *facts).nodes
    return found


@pytest.mark.parametrize(
    "facts",
    [
        (),
        ((ENRICHED, {"description": "Fast.", "sources": ["t2"]}),),
        ((ENRICHED, {"description": "long " * MAX_INDEXED_BYTES}),),
        ((ACCESSED, {"count": 2, "last": 9}),),
    ],
)
def test_an_entity_comes_back_from_its_node(facts: tuple[Fact, ...]) -> None:
    assert entity_in(node(*facts)) == entity_of(history_of(ENTITY, BEGUN, *facts))


def test_only_the_beginning_of_a_long_description_is_indexed() -> None:
    searched = str(node((ENRICHED, {"description": "é" * MAX_INDEXED_BYTES})).fields["description"])
    assert len(searched.encode()) <= MAX_INDEXED_BYTES
    assert set(searched) == {"é"}


def test_an_entity_that_was_never_read_has_no_time_of_reading_in_its_node() -> None:
    assert "accessed_at" not in node().fields
    assert node((ACCESSED, {"count": 1, "last": 9})).fields["accessed_at"] == 9


def test_reads_that_are_not_recorded_count_for_the_rank() -> None:
    read = node((ACCESSED, {"count": 2, "last": 9}))
    entity = entity_in(read)
    assert rank_with(read, (0, Micros(0))) == rank(entity) == (0.5, 2, 9)
    assert rank_with(read, (3, Micros(12))) == (0.5, 5, 12)
    assert rank_with(read, (3, Micros(5))) == (0.5, 5, 9)


def test_a_merged_entity_has_no_node() -> None:
    gone = projected(ENTITY, BEGUN, (MERGED, {"into": "ent_2"}))
    assert (gone.nodes, gone.deleted_nodes, gone.rev) == ((), ("ent_1",), 2)


@pytest.mark.parametrize("label", [{}, {"label": "as a cache"}])
def test_a_relationship_comes_back_from_its_edge(label: JsonObject) -> None:
    fact = (LINKED[0], {**LINKED[1], **label})
    (edge,) = projected(EDGE, fact).edges
    assert isinstance(edge, Edge)
    assert (edge.type, edge.source, edge.target) == ("uses", "ent_1", "ent_2")
    assert relationship_in(edge) == relationship_of(history_of(EDGE, fact))


def test_an_ended_relationship_has_no_edge() -> None:
    gone = projected(EDGE, LINKED, (edges.ENDED, {}))
    assert (gone.edges, gone.deleted_edges) == ((), (EDGE.rpartition("/")[2],))


@pytest.mark.parametrize("stream", [ENTITY, EDGE])
def test_a_stream_without_events_cannot_be_projected(stream: StreamName) -> None:
    with pytest.raises(UnreadableEvent):
        projected(stream)
