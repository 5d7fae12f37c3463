"""The event log port: streams of facts, from which everything else is projected."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, Protocol, TypeAlias

from backends.ports.values import Json, JsonObject, Micros

StreamName = NewType("StreamName", str)
EventId = NewType("EventId", str)
BatchId = NewType("BatchId", str)

MAX_EVENTS_PER_BATCH = 10_000
MAX_READ = 10_000
"""The events that one read returns at most."""


class Expected(Enum):
    """What a write may expect of its stream, other than an exact version."""

    ANY = "any"
    NEW = "new"
    """The stream has no event."""
    EXISTS = "exists"
    """The stream has at least one event."""


Expectation: TypeAlias = Expected | int
"""An int is the exact version, which is the number of events in the stream; 0 means the same as NEW."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact to be recorded; `meta` says which principal, client, tool, request and channel caused it."""

    id: EventId
    type: str
    data: JsonObject
    at: Micros
    schema: int = 1
    meta: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A fact in the log: `version` counts from 1 within its stream, `position` increases over the whole log."""

    id: EventId
    stream: StreamName
    version: int
    position: int
    type: str
    data: JsonObject
    at: Micros
    schema: int
    meta: JsonObject


@dataclass(frozen=True, slots=True)
class Write:
    """Events for the end of one stream; a write without events only asserts what is expected of the stream."""

    stream: StreamName
    events: tuple[NewEvent, ...] = ()
    expected: Expectation = Expected.ANY


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append: the version of each stream written to, and the last position (0 when nothing was written)."""

    versions: Mapping[StreamName, int]
    position: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A named value kept in the log; `revision` grows by 1 with each save."""

    value: Json
    revision: int


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do something alone until it expires; a later lease of the same name has a higher `token`."""

    name: str
    owner: str
    token: int


class EventLog(Protocol):
    """A log of streams named `<toolset>/<kind>/<id>`; a prefix is whole segments ending in "/", or "" for all.

    Every method raises `InvalidInput` for a broken rule, `Unavailable` when the store does not answer
    and `Timeout` when it takes too long.
    """

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append to all streams or to none; what is acknowledged is durable.

        Raises `Conflict` naming the first stream that is not as expected. The same batch id again returns the first
        result and appends nothing, also from another process. A stream may occur once, and a batch has at most 10,000
        events. A batch without events only checks. Source: events:append.
        """
        ...

    async def read_streams(self, streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Return all events of each stream that has any, oldest first."""
        ...

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Return the version of each stream; 0 for an unknown one."""
        ...

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Return events under `prefix` above a position, by position.

        Positions strictly increase and may have gaps. None that commits later is skipped: all events up to a returned
        position have been returned. `limit` is 1 to 10,000. Source: events:read-all.
        """
        ...

    async def count(self, prefix: str = "") -> int:
        """Count the events under `prefix`; cheap for a prefix of one or two segments."""
        ...

    async def head(self, prefix: str = "") -> int:
        """Return the position of the last event under `prefix`, 0 for none; cheap for a prefix of one or two segments."""
        ...

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Return True as soon as the log may have events above `after`, False after `timeout_s`. Only a read is certain."""
        ...

    async def purge(self, prefix: str) -> None:
        """Remove the streams under a non-empty prefix for good; positions are not used again."""
        ...

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Return a named value, None if it was never saved."""
        ...

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Save a named value if its revision is still `expected` (0: never saved). Raises `Conflict` otherwise."""
        ...

    async def lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Take the lease if it is free, has expired or is this owner's; return None while another owner holds it.

        A lease that ends later than its holder asked for, because the clock was set back since, ends one `ttl_s` of its
        holder after the first such call at the latest, unless it is renewed.
        """
        ...

    async def lease_owner(self, name: str) -> str | None:
        """Return who holds the lease, None while it is free; changes nothing."""
        ...

    async def renew(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease; return False if it was lost."""
        ...

    async def release(self, lease: Lease) -> None:
        """Give the lease back; does nothing if it was lost."""
        ...
