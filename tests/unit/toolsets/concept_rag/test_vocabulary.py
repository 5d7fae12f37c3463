"""Concepts are recorded once; an id that another concept has is told."""

from collections.abc import Sequence

from backends.ports.events import EventId, RecordedEvent
from backends.ports.values import Micros
from toolsets.concept_rag.streams import concept_stream
from toolsets.concept_rag.vocabulary import APPEARED, ConceptEntry, concept_of, record_concepts
from toolsets.sourcing.aggregate import Change, Histories, History

RELAY = ConceptEntry(id=5, name="Relays", key="relay", gloss="an electrical device")


def history(entry: ConceptEntry) -> History:
    stream = concept_stream(entry.id)
    return (RecordedEvent(EventId("1"), stream, 1, 1, APPEARED, entry.model_dump(), Micros(1), 1, {}),)


def decided(entries: Sequence[ConceptEntry], known: History) -> tuple[frozenset[int], Sequence[Change]]:
    loaded = {concept_stream(entry.id): () for entry in entries} | {concept_stream(5): known}
    decision = record_concepts(Histories(loaded), entries)
    return decision.value, decision.changes


def test_a_concept_is_recorded_when_it_first_appears() -> None:
    foreign, (change,) = decided([RELAY], ())
    assert foreign == frozenset()
    assert change.stream == concept_stream(5)
    recorded = concept_of(history(RELAY))
    assert recorded is not None
    assert recorded.entry.text == "Relays: an electrical device"


def test_another_spelling_of_a_concept_changes_nothing() -> None:
    assert decided([RELAY.model_copy(update={"name": "relay"})], history(RELAY)) == (frozenset(), ())


def test_an_id_of_another_concept_is_reported() -> None:
    other = ConceptEntry(id=5, name="Diode", key="diode")
    assert decided([other], history(RELAY)) == (frozenset({5}), ())
