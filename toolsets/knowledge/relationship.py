"""A relationship: a typed, directed edge between two concepts, its state and what may happen to it. Pure."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from toolsets.knowledge.concept import UnknownConcept, live_concept
from toolsets.knowledge.streams import concept_stream, relationship_key, relationship_stream
from toolsets.sourcing.aggregate import (
    Change,
    Decision,
    Fact,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    event_data,
    fold,
)

Kind: TypeAlias = Literal["prerequisite", "relates_to", "includes"]
"""prerequisite: the target requires the source first."""

CREATED = "knowledge.relationship_created"
DELETED = "knowledge.relationship_deleted"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class AlreadyLinked(Exception):
    """The edge is there."""


class NotLinked(Exception):
    """The edge is not there, or one of its ends is gone."""


@dataclass(frozen=True, slots=True)
class Link:
    """Which edge is meant."""

    source_id: str
    target_id: str
    kind: Kind

    @property
    def key(self) -> str:
        """The whole derivation under which the edge is kept."""
        return relationship_key(self.source_id, self.target_id, self.kind)


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge after all its events."""

    link: Link
    strength: float
    notes: str | None
    version: int
    deleted: bool = False


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    source_id: str
    target_id: str
    kind: Kind
    strength: float
    notes: str | None = None


def relationship_of(history: History) -> Relationship | None:
    """Return the edge that a stream's events make, a deleted one too; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def create(histories: Histories, link: Link, strength: float, notes: str | None) -> Decision[str]:
    """Decide to link two concepts. Raises `UnknownConcept` for an end that is not live, and `AlreadyLinked`."""
    for end in (link.source_id, link.target_id):
        live_concept(end, histories[concept_stream(end)])
    stream = relationship_stream(link.key)
    edge = relationship_of(histories[stream])
    if edge is not None and not edge.deleted:
        raise AlreadyLinked(link.key)
    fact = _Created(source_id=link.source_id, target_id=link.target_id, kind=link.kind, strength=strength, notes=notes)
    created = Change(stream, (Fact(CREATED, fact.model_dump(exclude_none=True)),))
    # Exact versions would let every edit of a much linked concept refuse its new edges. An end that is
    # deleted at this moment does no harm: the edges of a deleted concept are not seen.
    ends = (Change(concept_stream(end), expected=Expected.EXISTS) for end in (link.source_id, link.target_id))
    return Decision(link.key, (created, *ends))


def delete(histories: Histories, link: Link) -> Decision[str]:
    """Decide to remove an edge; it may be created again. Raises `NotLinked`."""
    stream = relationship_stream(link.key)
    edge = relationship_of(histories[stream])
    if edge is None or edge.deleted:
        raise NotLinked(link.key)
    try:
        for end in (link.source_id, link.target_id):
            live_concept(end, histories[concept_stream(end)])
    except UnknownConcept:
        raise NotLinked(link.key) from None
    return Decision(link.key, (Change(stream, (Fact(DELETED, {}),)),))


def _evolve(state: Relationship | None, event: RecordedEvent) -> Relationship:
    if event.type == CREATED and (state is None or state.deleted):
        fact = event_data(_Created, event)
        link = Link(fact.source_id, fact.target_id, fact.kind)
        return Relationship(link, fact.strength, fact.notes, event.version)
    if event.type == DELETED and state is not None:
        return Relationship(state.link, state.strength, state.notes, event.version, deleted=True)
    raise UnreadableEvent(f"{event.type} cannot stand at version {event.version} of {event.stream}")
