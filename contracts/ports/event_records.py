"""Events and writes for the tests of the event log."""

import uuid
from collections.abc import Sequence

from backends.ports.events import (
    BatchId,
    EventId,
    EventLog,
    Expectation,
    Expected,
    NewEvent,
    RecordedEvent,
    StreamName,
    Write,
)
from backends.ports.values import Json, JsonObject, Micros

AT = Micros(1_790_000_000_000_000)


def batch() -> BatchId:
    """Return a new batch id."""
    return BatchId(str(uuid.uuid4()))


def event(data: JsonObject | None = None, *, kind: str = "contracts.noted", schema: int = 1) -> NewEvent:
    """Return an event with a new id."""
    meta: dict[str, Json] = {"tool": "contracts"}
    return NewEvent(EventId(str(uuid.uuid4())), kind, data or {}, AT, schema, meta)


def events_of(count: int) -> tuple[NewEvent, ...]:
    """Return `count` events, numbered from 0 in their data."""
    return tuple(event({"n": number}) for number in range(count))


def write(stream: str, *events: NewEvent, expected: Expectation = Expected.ANY) -> Write:
    """Return a write to the end of `stream`."""
    return Write(StreamName(stream), events, expected)


async def record(log: EventLog, stream: str, count: int = 1) -> list[RecordedEvent]:
    """Append `count` events to a stream in one batch and return them as recorded."""
    appended = await log.append([write(stream, *events_of(count))], batch=batch())
    version = appended.versions[StreamName(stream)]
    return [event for event in await read(log, stream) if event.version > version - count]


async def read(log: EventLog, stream: str) -> Sequence[RecordedEvent]:
    """Return all events of one stream, oldest first."""
    name = StreamName(stream)
    return (await log.read_streams([name])).get(name, ())
