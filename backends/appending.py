"""What every event log does with its callers' arguments: checks them, makes rows of them, compares versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.jsontext import as_json
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.events import (
    MAX_EVENTS_PER_BATCH,
    BatchId,
    Expectation,
    Expected,
    NewEvent,
    StreamName,
    Write,
)
from backends.ports.ids import check_id, check_prefix, check_stream

MAX_LIMIT: Final = 10_000
MAX_STORED: Final = 2**63 - 1
"""The largest integer of a column."""

EventValues = tuple[str, str, int, int, str, str]
"""An event's id, type, schema, time, data and meta, the last two as JSON text."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A write whose events are ready for their rows."""

    stream: StreamName
    expected: Expectation
    rows: tuple[EventValues, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """An append that breaks no rule."""

    id: BatchId
    writes: tuple[Prepared, ...]

    @property
    def size(self) -> int:
        """How many events there are."""
        return sum(len(write.rows) for write in self.writes)


def prepare(writes: Sequence[Write], batch: BatchId) -> Batch:
    """Return the append with its events as values of rows. Raises `InvalidInput` for a broken rule."""
    check_id(batch, what="a batch id")
    if len({write.stream for write in writes}) != len(writes):
        raise InvalidInput("a stream may occur once in a batch")
    if sum(len(write.events) for write in writes) > MAX_EVENTS_PER_BATCH:
        raise InvalidInput(f"a batch has at most {MAX_EVENTS_PER_BATCH} events")
    return Batch(batch, tuple(_prepare(write) for write in writes))


def conflict(stream: StreamName, expected: Expectation, version: int) -> Conflict | None:
    """Return what is wrong when a stream is at `version` where a write expects something else; None when it fits."""
    match expected:
        case Expected.ANY:
            return None
        case Expected.NEW:
            fits, wanted = version == 0, "no event"
        case Expected.EXISTS:
            fits, wanted = version > 0, "at least one event"
        case int(number):
            fits, wanted = version == number, f"version {number}"
    if fits:
        return None
    return Conflict(f"stream {stream!r} is at version {version}; expected {wanted}", key=stream)


def counted(stream: str) -> tuple[str, str | None]:
    """Return the prefixes of one and of two segments that a stream lies under; for these a log keeps counters."""
    parts = stream.split("/")
    return f"{parts[0]}/", f"{parts[0]}/{parts[1]}/" if len(parts) > 2 else None


def growth(writes: Sequence[Prepared]) -> Mapping[str, tuple[int, int]]:
    """Return by counted prefix, "" for the whole log, how many events a batch adds and which of them is the last, from 1."""
    added: dict[str, tuple[int, int]] = {}
    total = 0
    for write in writes:
        if not write.rows:
            continue
        total += len(write.rows)
        for prefix in ("", *counted(write.stream)):
            if prefix is not None:
                added[prefix] = (added.get(prefix, (0, 0))[0] + len(write.rows), total)
    return added


def segments(prefix: str) -> int:
    """Return how many segments a prefix has."""
    return prefix.count("/")


def bounds(prefix: str) -> tuple[str, str]:
    """Return the half-open range of names under a prefix, by code point: "/" is followed by "0"."""
    return prefix, f"{prefix[:-1]}0"


def check_purge(prefix: str) -> str:
    """Return `prefix`. Raises `InvalidInput` unless it is a prefix of something."""
    if not check_prefix(prefix):
        raise InvalidInput("purge needs a prefix; it never empties the whole log")
    return prefix


def check_limit(limit: int) -> int:
    """Return `limit`. Raises `InvalidInput` unless it is 1 to 10,000."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit must be 1 to {MAX_LIMIT}: {limit}")
    return limit


def check_ttl(ttl_s: float) -> float:
    """Return how long a lease lasts. Raises `InvalidInput` unless that is above 0."""
    if not 0 < ttl_s < 1e9:
        raise InvalidInput(f"a lease lasts longer than 0 seconds: {ttl_s}")
    return ttl_s


def _prepare(write: Write) -> Prepared:
    check_stream(write.stream)
    if isinstance(write.expected, int) and not 0 <= write.expected <= MAX_STORED:
        raise InvalidInput(f"an expected version is 0 or more: {write.expected}")
    return Prepared(write.stream, write.expected, tuple(_values(event) for event in write.events))


def _values(event: NewEvent) -> EventValues:
    check_id(event.id, what="an event id")
    check_id(event.type, what="an event type")
    if max(abs(event.schema), abs(event.at)) > MAX_STORED:
        raise InvalidInput(f"a time or a schema is out of range: {event.at}, {event.schema}")
    return event.id, event.type, event.schema, event.at, as_json(event.data), as_json(event.meta)
