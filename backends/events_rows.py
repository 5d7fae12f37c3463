"""How an event lies in a row."""

from typing import Final

import orjson

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import Micros

EVENT_COLUMNS: Final = "e.id, s.name, e.version, e.position, e.type, e.data, e.at, e.schema, e.meta"
EventRow = tuple[EventId, StreamName, int, int, str, str, Micros, int, str]


def recorded(row: EventRow) -> RecordedEvent:
    """Return the event of a row of `EVENT_COLUMNS`."""
    identifier, stream, version, position, kind, data, at, schema, meta = row
    # Some thousand at once, so that no call is made for nothing, not even to name a type.
    return RecordedEvent(
        identifier, stream, version, position, kind, orjson.loads(data), at, schema, orjson.loads(meta)
    )
