"""A database: its name, the key of its streams and stores, and the decisions about it. All functions are pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from toolsets.memory.streams import Keyspace, database_stream
from toolsets.replies import MAX_SHOWN
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

CREATED = "memory.database_created"
RESTORED = "memory.database_restored"
DELETED = "memory.database_deleted"
PURGED = "memory.database_purged"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""

Condition: TypeAlias = Literal["live", "deleted", "purged"]
"""deleted: the events are kept, and creating the name again restores them; purged: the events are removed."""
Outcome: TypeAlias = Literal["created", "restored", "exists"]


MAX_NAMED = 100
"""The most databases that the error for an unknown one names."""


class UnknownDatabase(ToolError):
    """No live database has this name."""

    def __init__(self, name: str, existing: Sequence[str] = ()) -> None:
        details: JsonObject = {"databases": list(existing[:MAX_NAMED])} if existing else {}
        super().__init__("error", f"Database '{name:.{MAX_SHOWN}}' not found", **details)


@dataclass(frozen=True, slots=True)
class Database:
    """A database after all its events. Creation after a purge uses a new key, so that leftovers are never read."""

    name: str
    keyspace: Keyspace
    condition: Condition = "live"
    former: tuple[Keyspace, ...] = ()
    """The keyspaces of earlier databases of this name, all of them purged."""

    @property
    def purged(self) -> tuple[Keyspace, ...]:
        """The keyspaces whose purge was decided, whether or not it has been carried out."""
        return (*self.former, self.keyspace) if self.condition == "purged" else self.former


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    key: str


def database_of(history: History) -> Database | None:
    """Return the database of a stream, in any condition; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def purges_of(history: History) -> Mapping[Keyspace, int]:
    """Return the keyspaces whose purge was decided in a database's stream, with the position of each decision."""
    found: dict[Keyspace, int] = {}
    keyspace: Keyspace | None = None
    for event in history:
        if event.type == CREATED:
            keyspace = Keyspace(event_data(_Created, event).key)
        elif event.type == PURGED and keyspace is not None:
            found[keyspace] = event.position
    return found


def create(histories: Histories, name: str, key: str) -> Decision[Outcome]:
    """Decide to create a database under `key`, or to restore a deleted one as it was."""
    stream = database_stream(name)
    before = database_of(histories[stream])
    if before is not None and before.condition == "live":
        return Decision("exists")
    if before is not None and before.condition == "deleted":
        return Decision("restored", (Change(stream, (Fact(RESTORED, {}),)),))
    return Decision("created", (Change(stream, (Fact(CREATED, _Created(name=name, key=key).model_dump()),)),))


def delete(histories: Histories, name: str, *, purge: bool) -> Decision[Database]:
    """Decide to delete a database; a purge also accepts a deleted one. Raises `UnknownDatabase`."""
    stream = database_stream(name)
    before = database_of(histories[stream])
    if before is None or (before.condition != "live" and not purge):
        raise UnknownDatabase(name)
    facts = [Fact(DELETED, {})] if before.condition == "live" else []
    if purge and before.condition != "purged":
        facts.append(Fact(PURGED, {}))
    return Decision(before, (Change(stream, tuple(facts)),) if facts else ())


def alive(histories: Histories, database: Database) -> Change:
    """Return the assertion that a database is still live under the same key. Raises `UnknownDatabase`."""
    stream = database_stream(database.name)
    now = database_of(histories[stream])
    if now is None or now.condition != "live" or now.keyspace != database.keyspace:
        raise UnknownDatabase(database.name)
    return Change(stream)


def _evolve(state: Database | None, event: RecordedEvent) -> Database:
    if event.type == CREATED and (state is None or state.condition == "purged"):
        fact = event_data(_Created, event)
        former = () if state is None else state.purged
        return Database(fact.name, Keyspace(fact.key), former=former)
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
    raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")
