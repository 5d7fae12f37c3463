"""The event log port: streams of events, from which everything else is projected."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, Protocol, TypeAlias

from backends.ports.values import Json, JsonObject, Micros

StreamName = NewType("StreamName", str)
EventId = NewType("EventId", str)
BatchId = NewType("BatchId", str)

MAX_EVENTS_PER_BATCH = 10_000
"""A batch is one transaction, for which all other appends wait: 0.2 s at the 50,000 events/s measured with SQLite."""
MAX_READ = 10_000
"""The most events that one read returns."""


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
    """An event to append. `meta` says which principal, client, tool, request and channel caused it.

    The caller sets `id`, unique in the log, and `at`, the time of the event by its own clock; the log does not change them.
    `schema` is 1 or higher.
    """

    id: EventId
    type: str
    data: JsonObject
    at: Micros
    schema: int = 1
    meta: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event in the log: `version` counts from 1 within its stream, `position` increases over the whole log."""

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
    """Events to append to one stream; a write without events only asserts what is expected of the stream."""

    stream: StreamName
    events: tuple[NewEvent, ...] = ()
    expected: Expectation = Expected.ANY


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append: the version of each stream written to, and the last position (0 if nothing was written)."""

    versions: Mapping[StreamName, int]
    position: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A named value stored in the log; each save increments `revision`."""

    value: Json
    revision: int


@dataclass(frozen=True, slots=True)
class Lease:
    """An exclusive right of `owner`. It expires `ttl_s` after it was last acquired or renewed, by the log's clock.

    The record has no expiry time; renew it well before `ttl_s` has passed. A later lease of the same name has a higher `token`.
    """

    name: str
    owner: str
    token: int


class EventLog(Protocol):
    """A log of streams named `<toolset>/<kind>/<id>`; a prefix is whole segments ending in "/", or "" for all.

    Every method raises `InvalidInput` for a broken rule, `Unavailable` if the store does not answer
    and `Timeout` if it takes too long.
    """

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Append to all streams or to none; an acknowledged append is durable.

        Raises `Conflict` naming the first stream that is not as expected. A repeated batch id, also from another process,
        returns the first result and appends nothing. A stream may occur once, and a batch has at most 10,000
        events. A batch without events only checks expectations. Source: events:append.
        """
        ...

    async def read_streams(
        self, streams: Collection[StreamName], *, after: Mapping[StreamName, int] | None = None
    ) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Return the events of each stream, oldest first: all of them, or those above the version that `after` has for it.

        Streams without such events are left out. Source: events:read-streams.
        """
        ...

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Return the version of each of `streams`; 0 for an unknown one."""
        ...

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Return events under `prefix` above a position, by position.

        Positions strictly increase and may have gaps. No event that commits later gets a lower position: all events up to a
        returned position have been returned. `limit` is 1 to 10,000. Source: events:read-all.
        """
        ...

    async def count(self, prefix: str = "") -> int:
        """Count the events under `prefix`; cheap for a prefix of one or two segments."""
        ...

    async def head(self, prefix: str = "") -> int:
        """Return the position of the last event under `prefix`, 0 for none; cheap for a prefix of one or two segments."""
        ...

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Return True once the log may have events above `after`, False after `timeout_s`. It is a hint; read to be sure.

        `timeout_s` is 0 to below 1,000,000,000 seconds.
        """
        ...

    async def purge(self, prefix: str) -> None:
        """Permanently remove the streams under a non-empty prefix; their positions are not reused."""
        ...

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Return a named value, None if it was never saved."""
        ...

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Save a named value if its revision is still `expected` (0: never saved). Raises `Conflict` otherwise."""
        ...

    async def acquire_lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Acquire the lease if it is free, has expired or is this owner's; return None while another owner holds it.

        `ttl_s` is above 0 and below 1,000,000,000 seconds. If the clock was set back, another owner's lease is shortened:
        unless renewed, it ends no later than its holder's `ttl_s` after the first call that notices.
        """
        ...

    async def lease_owner(self, name: str) -> str | None:
        """Return the owner of the lease, None while it is free; changes nothing."""
        ...

    async def renew_lease(self, lease: Lease, *, ttl_s: float) -> bool:
        """Extend the lease; return False if it was lost."""
        ...

    async def release_lease(self, lease: Lease) -> None:
        """Release the lease; does nothing if it was lost."""
        ...
