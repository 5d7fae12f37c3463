"""A wrapper around an engine's event log that checks every argument."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from backends.ports.checked.rules import check_range
from backends.ports.errors import InvalidInput
from backends.ports.events import (
    MAX_EVENTS_PER_BATCH,
    MAX_READ,
    Appended,
    BatchId,
    Checkpoint,
    EventLog,
    Lease,
    NewEvent,
    RecordedEvent,
    StreamName,
    Write,
)
from backends.ports.ids import check_id, check_prefix, check_stream
from backends.ports.values import Json

MAX_STORED: Final = 2**63 - 1
"""The largest integer that every event log has a column for."""
MAX_DURATION_S: Final = 1e9
"""About 30 years; every engine's clock can add it."""


class CheckedEventLog:
    """A log whose engine gets only valid arguments. Raises `InvalidInput` for others, and what the engine raises."""

    def __init__(self, events: EventLog) -> None:
        self._events = events

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        """Check names, ids, expectations, numbers and sizes; the adapter checks that data are JSON."""
        _check_append(writes, batch)
        return await self._events.append(writes, batch=batch)

    async def read_streams(
        self, streams: Collection[StreamName], *, after: Mapping[StreamName, int] | None = None
    ) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        """Check the names, and that each version belongs to one of them."""
        _check_streams(streams)
        if after is None:
            return await self._events.read_streams(streams)
        _check_versions(after, streams)
        return await self._events.read_streams(streams, after=after)

    async def versions(self, streams: Collection[StreamName]) -> Mapping[StreamName, int]:
        """Check the names."""
        _check_streams(streams)
        return await self._events.versions(streams)

    async def read_all(self, prefix: str = "", *, after: int = 0, limit: int = 1_000) -> Sequence[RecordedEvent]:
        """Check prefix, position and limit."""
        check_prefix(prefix)
        _check_position(after)
        check_range("limit", limit, MAX_READ)
        return await self._events.read_all(prefix, after=after, limit=limit)

    async def count(self, prefix: str = "") -> int:
        """Check the prefix."""
        check_prefix(prefix)
        return await self._events.count(prefix)

    async def head(self, prefix: str = "") -> int:
        """Check the prefix."""
        check_prefix(prefix)
        return await self._events.head(prefix)

    async def wait(self, after: int, *, timeout_s: float) -> bool:
        """Check position and duration."""
        _check_position(after)
        _check_timeout(timeout_s)
        return await self._events.wait(after, timeout_s=timeout_s)

    async def purge(self, prefix: str) -> None:
        """Check the prefix, which must not be empty."""
        _check_purge(prefix)
        await self._events.purge(prefix)

    async def load_checkpoint(self, name: str) -> Checkpoint | None:
        """Check the name."""
        check_id(name, what="a checkpoint's name")
        return await self._events.load_checkpoint(name)

    async def save_checkpoint(self, name: str, value: Json, *, expected: int) -> Checkpoint:
        """Check name and revision; the adapter checks that the value is JSON."""
        check_id(name, what="a checkpoint's name")
        _check_position(expected)
        return await self._events.save_checkpoint(name, value, expected=expected)

    async def acquire_lease(self, name: str, owner: str, *, ttl_s: float) -> Lease | None:
        """Check name, owner and duration."""
        _check_lease_names(name, owner)
        _check_ttl(ttl_s)
        return await self._events.acquire_lease(name, owner, ttl_s=ttl_s)

    async def lease_owner(self, name: str) -> str | None:
        """Check the name."""
        check_id(name, what="a lease's name")
        return await self._events.lease_owner(name)

    async def renew_lease(self, lease: Lease, *, ttl_s: float) -> bool:
        """Check the lease and the duration."""
        _check_lease(lease)
        _check_ttl(ttl_s)
        return await self._events.renew_lease(lease, ttl_s=ttl_s)

    async def release_lease(self, lease: Lease) -> None:
        """Check the lease."""
        _check_lease(lease)
        await self._events.release_lease(lease)


def _check_append(writes: Sequence[Write], batch: BatchId) -> None:
    """Refuse an invalid id, name or number, a stream that occurs twice, and more than 10,000 events.

    `data` and `meta` are checked when they are encoded as JSON, in `backends.kit.event_rows`.
    """
    check_id(batch, what="a batch id")
    if len({write.stream for write in writes}) != len(writes):
        raise InvalidInput("a stream may occur once in a batch")
    if sum(len(write.events) for write in writes) > MAX_EVENTS_PER_BATCH:
        raise InvalidInput(f"a batch has at most {MAX_EVENTS_PER_BATCH} events")
    for write in writes:
        check_stream(write.stream)
        if isinstance(write.expected, int) and not 0 <= write.expected <= MAX_STORED:
            raise InvalidInput(f"an expected version must be 0 to {MAX_STORED}: {write.expected}")
        for event in write.events:
            _check_event(event)


def _check_event(event: NewEvent) -> None:
    check_id(event.id, what="an event id")
    check_id(event.type, what="an event type")
    check_range("a schema", event.schema, MAX_STORED)
    if abs(event.at) > MAX_STORED:
        raise InvalidInput(f"a time must be -{MAX_STORED} to {MAX_STORED}: {event.at}")


def _check_streams(streams: Collection[str]) -> None:
    """Refuse an invalid stream name."""
    for stream in streams:
        check_stream(stream)


def _check_versions(after: Mapping[StreamName, int], streams: Collection[StreamName]) -> None:
    """Refuse a version of a stream that is not among `streams`, and one outside 64 bits."""
    if unrequested := after.keys() - streams:
        raise InvalidInput(f"`after` has a version of a stream that is not requested: {min(unrequested)!r}")
    for version in after.values():
        _check_position(version)


def _check_position(value: int) -> None:
    """Refuse a position, version or revision outside 64 bits."""
    if not -MAX_STORED <= value <= MAX_STORED:
        raise InvalidInput(f"a position or a revision must be -{MAX_STORED} to {MAX_STORED}: {value}")


def _check_purge(prefix: str) -> None:
    """Refuse an invalid prefix and the empty one, which would empty the log."""
    if not check_prefix(prefix):
        raise InvalidInput("purge needs a prefix; it never empties the whole log")


def _check_ttl(ttl_s: float) -> None:
    """Refuse a duration that is not above 0 and below 10^9 seconds."""
    if not 0 < ttl_s < MAX_DURATION_S:
        raise InvalidInput(f"a lease's duration must be above 0 and below {MAX_DURATION_S:,.0f} seconds: {ttl_s}")


def _check_timeout(timeout_s: float) -> None:
    """Refuse a timeout that is not 0 to below 10^9 seconds."""
    if not 0 <= timeout_s < MAX_DURATION_S:
        raise InvalidInput(f"a timeout must be 0 to below {MAX_DURATION_S:,.0f} seconds: {timeout_s}")


def _check_lease(lease: Lease) -> None:
    """Refuse a lease with an invalid name or owner, or a token that no log has given."""
    _check_lease_names(lease.name, lease.owner)
    check_range("a lease's token", lease.token, MAX_STORED)


def _check_lease_names(name: str, owner: str) -> None:
    check_id(name, what="a lease's name")
    check_id(owner, what="an owner")
