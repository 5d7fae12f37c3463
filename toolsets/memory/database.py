"""A database: its name, the key under which it keeps things, and what may happen to it. Pure."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from toolsets.memory.streams import Space, database_stream
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

CREATED = "memory.database_created"
RESTORED = "memory.database_restored"
DELETED = "memory.database_deleted"
PURGED = "memory.database_purged"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""

Condition: TypeAlias = Literal["live", "deleted", "purged"]
"""deleted: its events are kept and a creation brings it back; purged: they are gone for ever."""
Outcome: TypeAlias = Literal["created", "restored", "exists"]


class UnknownDatabase(Exception):
    """No live database has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Database:
    """A database after all its events. After a purge another key is drawn, so that no remains are ever met again."""

    name: str
    space: Space
    condition: Condition = "live"
    former: tuple[Space, ...] = ()
    """Where earlier databases of the name kept things; all of them were purged."""

    @property
    def purged(self) -> tuple[Space, ...]:
        """What was decided to be removed for ever, whether or not that was carried out."""
        return (*self.former, self.space) if self.condition == "purged" else self.former


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    key: str


def database_of(history: History) -> Database | None:
    """Return the database that a stream's events make, in whatever condition; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def create(histories: Histories, name: str, key: str) -> Decision[Outcome]:
    """Decide to have a database: made under `key`, or brought back as it was when it was deleted."""
    stream = database_stream(name)
    before = database_of(histories[stream])
    if before is not None and before.condition == "live":
        return Decision("exists")
    if before is not None and before.condition == "deleted":
        return Decision("restored", (Change(stream, (Fact(RESTORED, {}),)),))
    return Decision("created", (Change(stream, (Fact(CREATED, _Created(name=name, key=key).model_dump()),)),))


def delete(histories: Histories, name: str, *, purge: bool) -> Decision[Database]:
    """Decide to end a database; a purge also ends one that was deleted. Raises `UnknownDatabase`."""
    stream = database_stream(name)
    before = database_of(histories[stream])
    if before is None or (before.condition != "live" and not purge):
        raise UnknownDatabase(name)
    facts = [Fact(DELETED, {})] if before.condition == "live" else []
    if purge and before.condition != "purged":
        facts.append(Fact(PURGED, {}))
    return Decision(before, (Change(stream, tuple(facts)),) if facts else ())


def alive(histories: Histories, database: Database) -> Change:
    """Return the assertion that a database is still what it was. Raises `UnknownDatabase` when it is not."""
    stream = database_stream(database.name)
    now = database_of(histories[stream])
    if now is None or now.condition != "live" or now.space != database.space:
        raise UnknownDatabase(database.name)
    return Change(stream)


def _evolve(state: Database | None, event: RecordedEvent) -> Database:
    if event.type == CREATED and (state is None or state.condition == "purged"):
        fact = event_data(_Created, event)
        former = () if state is None else state.purged
        return Database(fact.name, Space(fact.key), former=former)
    if state is not None:
        match event.type, state.condition:
            case "memory.database_restored", "deleted":
                return replace(state, condition="live")
            case "memory.database_deleted", "live":
                return replace(state, condition="deleted")
            case "memory.database_purged", "deleted":
                return replace(state, condition="purged")
            case _:
                pass
    raise UnreadableEvent(f"{event.type} cannot stand at version {event.version} of {event.stream}")
