"""A relationship: a typed, directed edge between two concepts, its state and the decisions about it. All functions are pure."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from toolsets.knowledge.concept import live_concept
from toolsets.knowledge.streams import concept_stream, relationship_id, relationship_key, relationship_stream
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

EdgeType: TypeAlias = Literal["prerequisite", "relates_to", "includes"]
"""prerequisite: the target requires the source first."""

CREATED = "knowledge.relationship_created"
DELETED = "knowledge.relationship_deleted"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class AlreadyLinked(ToolError):
    """A live edge with these ends and this type exists."""

    def __init__(self, key: str) -> None:
        message = "This relationship exists already"
        super().__init__("validation_error", message, field="relationship_type", resource_id=relationship_id(key))


class NotLinked(ToolError):
    """No live edge with these ends and this type exists."""

    def __init__(self, key: str) -> None:
        message = "There is no relationship of this type between these concepts"
        super().__init__("relationship_not_found", message, resource_id=relationship_id(key))


@dataclass(frozen=True, slots=True)
class EdgeKey:
    """The ends and the type that identify an edge."""

    source_id: str
    target_id: str
    type: EdgeType

    @property
    def stream_key(self) -> str:
        """The key of the stream of the edge, derived from ends and type."""
        return relationship_key(self.source_id, self.target_id, self.type)


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge after all its events."""

    key: EdgeKey
    strength: float
    notes: str | None
    version: int
    deleted: bool = False


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    source_id: str
    target_id: str
    kind: EdgeType
    strength: float
    notes: str | None = None


def relationship_of(history: History) -> Relationship | None:
    """Return the edge of a stream, even a deleted one; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def create(histories: Histories, key: EdgeKey, strength: float, notes: str | None) -> Decision[str]:
    """Decide to link two concepts. Raises `UnknownConcept` for an end that is not live, and `AlreadyLinked`."""
    for end, field in ((key.source_id, "source_id"), (key.target_id, "target_id")):
        live_concept(end, histories[concept_stream(end)], field)
    stream = relationship_stream(key.stream_key)
    edge = relationship_of(histories[stream])
    if edge is not None and not edge.deleted:
        raise AlreadyLinked(key.stream_key)
    fact = _Created(source_id=key.source_id, target_id=key.target_id, kind=key.type, strength=strength, notes=notes)
    created = Change(stream, (Fact(CREATED, fact.model_dump(exclude_none=True)),))
    # With exact versions every edit of a concept would conflict with its new edges. A concurrent deletion of an end does
    # no harm, because the edges of a deleted concept are not shown.
    ends = (Change(concept_stream(end), expected=Expected.EXISTS) for end in (key.source_id, key.target_id))
    return Decision(key.stream_key, (created, *ends))


def delete(histories: Histories, key: EdgeKey) -> Decision[str]:
    """Decide to delete an edge, even if its ends were deleted; it may be created again. Raises `NotLinked`."""
    stream = relationship_stream(key.stream_key)
    edge = relationship_of(histories[stream])
    if edge is None or edge.deleted:
        raise NotLinked(key.stream_key)
    return Decision(key.stream_key, (Change(stream, (Fact(DELETED, {}),)),))


def _evolve(state: Relationship | None, event: RecordedEvent) -> Relationship:
    if event.type == CREATED and (state is None or state.deleted):
        fact = event_data(_Created, event)
        key = EdgeKey(fact.source_id, fact.target_id, fact.kind)
        return Relationship(key, fact.strength, fact.notes, event.version)
    if event.type == DELETED and state is not None:
        return Relationship(state.key, state.strength, state.notes, event.version, deleted=True)
    raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")
