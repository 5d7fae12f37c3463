"""Whether one append has room for what a text says is known before anything is looked up."""

from itertools import pairwise

from backends.ports.events import MAX_EVENTS_PER_BATCH
from toolsets.agent_graph.extraction.model import Entity, Extraction, Relation
from toolsets.agent_graph.ingest import drafts_of, fits


def _said(entities: int, relations: int) -> Extraction:
    names = [f"Project {number}" for number in range(entities)]
    stated = tuple(Relation(one, "USES", other, 0.9) for one, other in pairwise(names))[:relations]
    return Extraction(tuple(Entity(name, "project", 0.9) for name in names), stated)


def _fits(entities: int, relations: int) -> bool:
    extraction = _said(entities, relations)
    return fits(drafts_of(extraction, "default", "a page"), extraction)


def test_an_entity_takes_two_events_and_an_edge_three() -> None:
    assert MAX_EVENTS_PER_BATCH == 10_000
    assert _fits(5_000, 0)
    assert not _fits(5_001, 0)
    assert _fits(3_500, 1_000)
    assert not _fits(3_500, 1_001)
