"""A relationship: a typed, directed edge between two entities, and the types that edges have. Pure."""

from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from toolsets.memory.database import Database, alive
from toolsets.memory.entity import known_entity
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

CREATED = "memory.relationship_created"
WEIGHED = "memory.relationship_weighed"
TYPE_NAMED = "memory.relationship_type_named"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


@dataclass(frozen=True, slots=True)
class Link:
    """Which edge is meant."""

    source: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge after all its events."""

    link: Link
    confidence: float
    version: int


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    source: str
    target: str
    type: str
    confidence: float


class _Weighed(BaseModel):
    model_config = ConfigDict(frozen=True)

    confidence: float


class _TypeNamed(BaseModel):
    model_config = ConfigDict(frozen=True)

    type: str


def relationship_of(history: History) -> Relationship | None:
    """Return the edge that a stream's events make, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def type_of(history: History) -> str | None:
    """Return the text of a type of relationship, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _named, UPCASTS)


def create(histories: Histories, database: Database, link: Link, confidence: float) -> Decision[None]:
    """Decide to link two entities; an edge that is there gets the new confidence. Raises `UnknownEntity` for an end."""
    still_there = alive(histories, database)
    space = database.space
    for end in (link.source, link.target):
        known_entity(end, histories[space.entity(end)])
    stream = space.relationship(link.source, link.kind, link.target)
    before = relationship_of(histories[stream])
    if before is None:
        whole = _Created(source=link.source, target=link.target, type=link.kind, confidence=confidence)
        fact = Fact(CREATED, whole.model_dump())
    elif before.confidence != confidence:
        fact = Fact(WEIGHED, {"confidence": confidence})
    else:
        return Decision(None)
    changes = [Change(stream, (fact,)), still_there]
    named = space.type(link.kind)
    if before is None and not histories[named]:
        changes.append(Change(named, (Fact(TYPE_NAMED, {"type": link.kind}),)))
    # Entities never end; their exact versions would only let every observation refuse new edges.
    ends = {
        space.entity(end): Change(space.entity(end), expected=Expected.EXISTS) for end in (link.source, link.target)
    }
    return Decision(None, (*changes, *ends.values()))


def _evolve(state: Relationship | None, event: RecordedEvent) -> Relationship:
    if state is None and event.type == CREATED:
        fact = event_data(_Created, event)
        return Relationship(Link(fact.source, fact.target, fact.type), fact.confidence, event.version)
    if state is not None and event.type == WEIGHED:
        return replace(state, confidence=event_data(_Weighed, event).confidence, version=event.version)
    raise UnreadableEvent(f"{event.type} cannot stand at version {event.version} of {event.stream}")


def _named(state: str | None, event: RecordedEvent) -> str:
    if state is None and event.type == TYPE_NAMED:
        return event_data(_TypeNamed, event).type
    raise UnreadableEvent(f"{event.type} cannot stand at version {event.version} of {event.stream}")
