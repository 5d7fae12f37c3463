"""Events as rows: the values of an append, the columns of a read, and the prefixes for which a log keeps counters.

A log keeps a counter and a last position for the whole log ("") and for each prefix of one or two segments. Longer
prefixes are looked up by the range of stream names under them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backends.kit.records import as_json
from backends.ports.errors import Conflict
from backends.ports.events import BatchId, EventId, Expectation, Expected, NewEvent, RecordedEvent, StreamName, Write
from backends.ports.values import Micros

COUNTED_SEGMENTS: Final = 2
"""The longest prefix, in segments, that a log keeps counters for."""

EVENT_COLUMNS: Final = "e.id, s.name, e.version, e.position, e.type, e.data, e.at, e.schema, e.meta"
"""The columns for `event_of_row`, selected from events `e` and their streams `s`."""

EventRow = tuple[EventId, StreamName, int, int, str, str, Micros, int, str]
"""A row of `EVENT_COLUMNS`; data and meta are JSON text."""

EventValues = tuple[str, str, int, int, str, str]
"""An event's id, type, schema, time, data and meta, the last two as JSON text."""


@dataclass(frozen=True, slots=True)
class WriteRows:
    """A write with its events as rows, in order."""

    stream: StreamName
    expected: Expectation
    rows: tuple[EventValues, ...]


@dataclass(frozen=True, slots=True)
class BatchRows:
    """An append with its events as rows, in the order of its writes."""

    id: BatchId
    writes: tuple[WriteRows, ...]

    @property
    def size(self) -> int:
        """The number of events."""
        return sum(len(write.rows) for write in self.writes)


class DamagedRow(ValueError):
    """The row of an event is damaged; the message names the event and does not quote it."""

    def __init__(self, position: int, stream: str, version: int) -> None:
        super().__init__(f"the event at position {position}, version {version} of {stream},")


def rows_of_batch(writes: Sequence[Write], batch: BatchId) -> BatchRows:
    """Return an append as rows. Raises `InvalidInput` for data that JSON cannot represent.

    10,000 events take about 20 ms: call it in the writing thread, if there is one.
    """
    return BatchRows(
        batch, tuple(WriteRows(write.stream, write.expected, tuple(map(_values, write.events))) for write in writes)
    )


def _values(event: NewEvent) -> EventValues:
    return event.id, event.type, event.schema, event.at, as_json(event.data), as_json(event.meta)


def conflict(stream: StreamName, expected: Expectation, version: int) -> Conflict | None:
    """Return the error for a stream at `version` that is not as a write expects; None if it is."""
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


def counted_prefixes(stream: str) -> tuple[str, str | None]:
    """Return the stream's prefixes of one and of two segments; the second is None for a stream of two segments."""
    parts = stream.split("/")
    return f"{parts[0]}/", f"{parts[0]}/{parts[1]}/" if len(parts) > 2 else None


def prefix_growth(writes: Sequence[WriteRows]) -> Mapping[str, tuple[int, int]]:
    """Return for each counted prefix how many events a batch adds, and the number of the last one in the batch, from 1."""
    added: dict[str, tuple[int, int]] = {}
    total = 0
    for write in writes:
        if not write.rows:
            continue
        total += len(write.rows)
        for prefix in ("", *counted_prefixes(write.stream)):
            if prefix is not None:
                added[prefix] = (added.get(prefix, (0, 0))[0] + len(write.rows), total)
    return added


def segments(prefix: str) -> int:
    """Return the number of segments of a prefix, 0 for ""."""
    return prefix.count("/")


def name_range(prefix: str) -> tuple[str, str]:
    """Return the half-open range, by code point, of stream names under a non-empty prefix: "0" follows "/"."""
    return prefix, f"{prefix[:-1]}0"


def event_of_row(row: EventRow) -> RecordedEvent:
    """Return the event of a row of `EVENT_COLUMNS`. Raises `DamagedRow`."""
    identifier, stream, version, position, event_type, data, at, schema, meta = row
    try:
        # Called thousands of times in a row, so the values are not converted to their new types.
        return RecordedEvent(
            identifier, stream, version, position, event_type, orjson.loads(data), at, schema, orjson.loads(meta)
        )
    except ValueError:
        raise DamagedRow(position, stream, version) from None
