"""A relationship: a typed, directed edge between two entities, its type, and the decision to create it.

All functions are pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from toolsets.memory.database import Database, alive
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
from toolsets.spec import ToolError

CREATED = "memory.relationship_created"
WEIGHED = "memory.relationship_weighed"
TYPE_NAMED = "memory.relationship_type_named"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


@dataclass(frozen=True, slots=True)
class EdgeKey:
    """The ends and the type that identify an edge."""

    source: str
    target: str
    type: str


class UnknownEnds(ToolError):
    """At least one end of an edge is missing; the documented message names both, the details only the missing ones."""

    def __init__(self, key: EdgeKey, missing: Sequence[str]) -> None:
        super().__init__("error", f"One or both entities not found: {key.source}, {key.target}", missing=list(missing))


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge after all its events."""

    key: EdgeKey
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
    """Return the edge of a stream, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def type_of(history: History) -> str | None:
    """Return the text of a relationship type, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _named, UPCASTS)


def create(histories: Histories, database: Database, key: EdgeKey, confidence: float) -> Decision[None]:
    """Decide to link two entities; an existing edge gets the new confidence. Raises `UnknownEnds`."""
    still_there = alive(histories, database)
    keyspace = database.keyspace
    missing = [end for end in dict.fromkeys((key.source, key.target)) if not histories[keyspace.entity(end)]]
    if missing:
        raise UnknownEnds(key, missing)
    stream = keyspace.relationship(key.source, key.type, key.target)
    before = relationship_of(histories[stream])
    if before is None:
        whole = _Created(source=key.source, target=key.target, type=key.type, confidence=confidence)
        fact = Fact(CREATED, whole.model_dump())
    elif before.confidence != confidence:
        fact = Fact(WEIGHED, {"confidence": confidence})
    else:
        return Decision(None)
    changes = [Change(stream, (fact,)), still_there]
    named = keyspace.type(key.type)
    if before is None and not histories[named]:
        changes.append(Change(named, (Fact(TYPE_NAMED, {"type": key.type}),)))
    # Entities are never deleted, and with exact versions every observation would conflict with new edges.
    ends = {
        keyspace.entity(end): Change(keyspace.entity(end), expected=Expected.EXISTS) for end in (key.source, key.target)
    }
    return Decision(None, (*changes, *ends.values()))


def _evolve(state: Relationship | None, event: RecordedEvent) -> Relationship:
    if state is None and event.type == CREATED:
        fact = event_data(_Created, event)
        return Relationship(EdgeKey(fact.source, fact.target, fact.type), fact.confidence, event.version)
    if state is not None and event.type == WEIGHED:
        return replace(state, confidence=event_data(_Weighed, event).confidence, version=event.version)
    raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")


def _named(state: str | None, event: RecordedEvent) -> str:
    if state is None and event.type == TYPE_NAMED:
        return event_data(_TypeNamed, event).type
    raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")
