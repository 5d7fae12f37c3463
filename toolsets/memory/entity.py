"""An entity: a name with a type and what was observed of it, and how it grows. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.text import MAX_TEXT_BYTES
from backends.ports.values import Micros
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
    upcast,
)

CREATED = "memory.entity_created"
OBSERVED = "memory.observations_added"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class UnknownEntity(Exception):
    """No entity has this name in the database."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class TooMuchObserved(Exception):
    """The observations of one entity would pass 256 kB."""


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity after all its events; each observation is there once, in the order in which they came."""

    name: str
    type: str
    observations: tuple[str, ...]
    created_at: Micros
    version: int


@dataclass(frozen=True, slots=True)
class Made:
    """What a creation found or made."""

    entity: Entity
    fresh: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """What an addition added, and how many observations there are now."""

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
    """Return the entity that a stream's events make, None for no events. Raises `UnreadableEvent`."""
    if not history:
        return None
    created = event_data(_Created, _of_type(CREATED, history[0]))
    # Gathered in one list: a state after each event would copy all that was observed before it.
    observations = list(created.observations)
    for event in history[1:]:
        observations += event_data(_Observed, _of_type(OBSERVED, event)).observations
    return Entity(created.name, created.type, tuple(observations), history[0].at, history[-1].version)


def known_entity(name: str, history: History) -> Entity:
    """Return the entity. Raises `UnknownEntity` when there is none."""
    entity = entity_of(history)
    if entity is None:
        raise UnknownEntity(name)
    return entity


def create(
    histories: Histories, database: Database, name: str, kind: str, observations: Sequence[str]
) -> Decision[Made]:
    """Decide to create an entity; one that has the name already is left as it is. Raises `TooMuchObserved`."""
    still_there = alive(histories, database)
    stream = database.space.entity(name)
    before = entity_of(histories[stream])
    if before is not None:
        return Decision(Made(before, fresh=False))
    once = tuple(dict.fromkeys(observations))
    _check_size(once)
    created = Fact(CREATED, {"name": name, "type": kind, "observations": once})
    made = Made(Entity(name, kind, once, Micros(0), 1), fresh=True)
    return Decision(made, (Change(stream, (created,)), still_there))


def observe(histories: Histories, database: Database, name: str, observations: Sequence[str]) -> Decision[Observed]:
    """Decide to add the observations that are new. Raises `UnknownEntity` and `TooMuchObserved`."""
    still_there = alive(histories, database)
    stream = database.space.entity(name)
    before = known_entity(name, histories[stream])
    known = set(before.observations)
    added = tuple(new for new in dict.fromkeys(observations) if new not in known)
    if not added:
        return Decision(Observed((), len(before.observations)))
    after = (*before.observations, *added)
    _check_size(after)
    return Decision(
        Observed(added, len(after)), (Change(stream, (Fact(OBSERVED, {"observations": added}),)), still_there)
    )


def _check_size(observations: Sequence[str]) -> None:
    if sum(len(text.encode()) + 1 for text in observations) > MAX_TEXT_BYTES:
        raise TooMuchObserved


def _of_type(kind: str, event: RecordedEvent) -> RecordedEvent:
    """Return the event in its newest schema. Raises `UnreadableEvent` for one of another type."""
    if event.type != kind:
        raise UnreadableEvent(f"{event.type} cannot stand at version {event.version} of {event.stream}")
    return upcast(event, UPCASTS)
