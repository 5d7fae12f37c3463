"""An entity: a name, a type, its observations, and the decisions about it. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.text import MAX_INDEXED_BYTES, MAX_TEXT_BYTES
from backends.ports.values import JsonObject, Micros
from toolsets.memory.database import Database, alive
from toolsets.sourcing.aggregate import (
    Change,
    Combiners,
    Decision,
    Fact,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    event_data,
    fold,
    upcast,
)
from toolsets.spec import ToolError

CREATED = "memory.entity_created"
OBSERVED = "memory.observations_added"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class UnknownEntity(ToolError):
    """No entity in the database has this name."""

    def __init__(self, name: str) -> None:
        super().__init__("error", f"Entity '{name}' not found")


class TooManyObservations(ToolError):
    """The observations of one entity would exceed 256 kB."""

    def __init__(self) -> None:
        super().__init__("error", "Invalid parameter: observations of one entity must not exceed 256 kB in all")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity after all its events; observations are distinct and in the order of their addition."""

    name: str
    type: str
    observations: tuple[str, ...]
    created_at: Micros
    version: int


@dataclass(frozen=True, slots=True)
class CreationOutcome:
    """The entity of this name, and whether it is new."""

    entity: Entity
    is_new: bool


@dataclass(frozen=True, slots=True)
class AdditionOutcome:
    """The new observations, and the number that the entity has now."""

    added: tuple[str, ...]
    total: int


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    type: str
    observations: tuple[str, ...] = ()


class _Observed(BaseModel):
    model_config = ConfigDict(frozen=True)

    observations: tuple[str, ...]


def entity_of(history: History) -> Entity | None:
    """Return the entity of a stream, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS, _COMBINERS)


def known_entity(name: str, history: History) -> Entity:
    """Return the entity. Raises `UnknownEntity` if there is none."""
    entity = entity_of(history)
    if entity is None:
        raise UnknownEntity(name)
    return entity


def create(
    histories: Histories, database: Database, name: str, kind: str, observations: Sequence[str]
) -> Decision[CreationOutcome]:
    """Decide to create an entity; an existing one of this name is not changed. Raises `TooManyObservations`."""
    still_there = alive(histories, database)
    stream = database.keyspace.entity(name)
    before = entity_of(histories[stream])
    if before is not None:
        return Decision(CreationOutcome(before, is_new=False))
    once = tuple(dict.fromkeys(observations))
    _check_size(once)
    created = Fact(CREATED, {"name": name, "type": kind, "observations": once})
    outcome = CreationOutcome(Entity(name, kind, once, Micros(0), 1), is_new=True)
    return Decision(outcome, (Change(stream, (created,)), still_there))


def observe(
    histories: Histories, database: Database, name: str, observations: Sequence[str]
) -> Decision[AdditionOutcome]:
    """Decide to add the new ones among `observations`. Raises `UnknownEntity` and `TooManyObservations`."""
    still_there = alive(histories, database)
    stream = database.keyspace.entity(name)
    before = known_entity(name, histories[stream])
    known = set(before.observations)
    added = tuple(new for new in dict.fromkeys(observations) if new not in known)
    if not added:
        return Decision(AdditionOutcome((), len(before.observations)))
    after = (*before.observations, *added)
    _check_size(after)
    return Decision(
        AdditionOutcome(added, len(after)), (Change(stream, (Fact(OBSERVED, {"observations": added}),)), still_there)
    )


def embedding_text(name: str, kind: str, observations: Sequence[str]) -> str:
    """Return the text that is embedded for an entity: name, type and the searched observations, one per line."""
    return "\n".join((name, kind, *searched_observations(observations)))


def searched_observations(observations: Sequence[str]) -> list[str]:
    """Return the observations that are searched: in order, those that fit into 32 kB; others are skipped."""
    fitting: list[str] = []
    room = MAX_INDEXED_BYTES
    for text in observations:
        size = len(text.encode()) + 1
        if size <= room:
            room -= size
            fitting.append(text)
    return fitting


def _check_size(observations: Sequence[str]) -> None:
    if sum(len(text.encode()) + 1 for text in observations) > MAX_TEXT_BYTES:
        raise TooManyObservations()


def _all_observed(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(_Observed, upcast(event, UPCASTS)) for event in events]
    return {"observations": [text for fact in facts for text in fact.observations]}


_COMBINERS: Final[Combiners] = {OBSERVED: _all_observed}
"""Additions are folded together; one state for each would copy all earlier observations."""


def _evolve(state: Entity | None, event: RecordedEvent) -> Entity:
    if event.type != (CREATED if state is None else OBSERVED):
        raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")
    if state is None:
        created = event_data(_Created, event)
        return Entity(created.name, created.type, created.observations, event.at, event.version)
    added = event_data(_Observed, event).observations
    return replace(state, observations=(*state.observations, *added), version=event.version)
