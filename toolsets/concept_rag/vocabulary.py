"""The vocabulary: concepts mentioned by documents, each recorded on its first mention. All functions are pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from toolsets.concept_rag.streams import concept_stream
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories, History, UnreadableEvent, event_data

APPEARED = "concept_rag.concept_appeared"


class ConceptEntry(BaseModel):
    """A concept as it is recorded."""

    model_config = ConfigDict(frozen=True)

    id: int
    name: str
    """The spelling of the first document that mentions it."""
    key: str
    """The normal form of its name, see `names.normal_form`."""
    gloss: str = ""
    """The WordNet definition that fits the first document that mentions it, or ""."""

    @property
    def text(self) -> str:
        """The text that is embedded for search."""
        return f"{self.name}: {self.gloss}" if self.gloss else self.name


@dataclass(frozen=True, slots=True)
class RecordedConcept:
    """A concept and the version of its stream."""

    entry: ConceptEntry
    version: int


def concept_of(history: History) -> RecordedConcept | None:
    """Return the concept of a stream; None if there are no events. Raises `UnreadableEvent`."""
    recorded: RecordedConcept | None = None
    for event in history:
        if event.type != APPEARED or recorded is not None:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")
        recorded = RecordedConcept(event_data(ConceptEntry, event), event.version)
    return recorded


def record_concepts(histories: Histories, entries: Sequence[ConceptEntry]) -> Decision[frozenset[int]]:
    """Decide to record the new concepts; the value is the set of ids that already belong to a concept with another key."""
    histories.need(concept_stream(entry.id) for entry in entries)
    changes: list[Change] = []
    foreign: set[int] = set()
    for entry in entries:
        stream = concept_stream(entry.id)
        before = concept_of(histories[stream])
        if before is None:
            changes.append(Change(stream, (Fact(APPEARED, entry.model_dump()),)))
        elif before.entry.key != entry.key:
            foreign.add(entry.id)
    return Decision(frozenset(foreign), tuple(changes))
