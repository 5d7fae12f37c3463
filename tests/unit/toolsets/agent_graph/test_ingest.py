"""Whether one append has room for what a text says is known before anything is looked up."""

from itertools import pairwise

from backends.ports.events import MAX_EVENTS_PER_BATCH, StreamName
from backends.ports.values import JsonObject
from tests.support.histories import facts_in, history_of
from toolsets.agent_graph.extraction.model import Extraction, NamedEntity, Relation
from toolsets.agent_graph.facts import CREATED, TYPED
from toolsets.agent_graph.ingest import IngestPlan, drafts_of, fits, store
from toolsets.agent_graph.streams import entity_stream
from toolsets.sourcing.aggregate import Histories, History


def _said(entities: int, relations: int) -> Extraction:
    names = [f"Project {number}" for number in range(entities)]
    stated = tuple(Relation(one, "USES", other, 0.9) for one, other in pairwise(names))[:relations]
    return Extraction(tuple(NamedEntity(name, "project", 0.9) for name in names), stated)


def _fits(entities: int, relations: int) -> bool:
    extraction = _said(entities, relations)
    return fits(drafts_of(extraction, "default", "a page"), extraction)


def test_an_entity_takes_two_events_and_an_edge_three() -> None:
    assert MAX_EVENTS_PER_BATCH == 10_000
    assert _fits(5_000, 0)
    assert not _fits(5_001, 0)
    assert _fits(3_500, 1_000)
    assert not _fits(3_500, 1_001)


def test_a_text_that_settles_many_types_settles_as_many_as_one_append_can_hold() -> None:
    extraction = _said(2_700, 0)
    drafts = drafts_of(extraction, "c", "a page")
    ids = [f"e{number}" for number in range(len(drafts))]
    plan = IngestPlan("c", "a page", extraction, drafts, tuple(f"new{id_}" for id_ in ids), dict(enumerate(ids)))
    histories: dict[StreamName, History] = dict.fromkeys(plan.streams, ())
    for id_, draft in zip(ids, drafts, strict=True):
        guess: JsonObject = {"channel": "c", "name": draft.name, "type": "technology", "confidence": 0.5, "source": "t"}
        histories[entity_stream(id_)] = history_of(entity_stream(id_), (CREATED, guess))
    facts = facts_in(store(Histories(histories), plan).changes)
    assert len(facts) <= MAX_EVENTS_PER_BATCH
    assert sum(kind == TYPED for kind, _ in facts) > 2_000
