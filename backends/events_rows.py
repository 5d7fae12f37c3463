"""How an event lies in a row."""

from typing import Final

import orjson

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import Micros

EVENT_COLUMNS: Final = "e.id, s.name, e.version, e.position, e.type, e.data, e.at, e.schema, e.meta"
EventRow = tuple[str, str, int, int, str, str, int, int, str]


def recorded(row: EventRow) -> RecordedEvent:
    """Return the event of a row of `EVENT_COLUMNS`."""
    identifier, stream, version, position, kind, data, at, schema, meta = row
    return RecordedEvent(
        EventId(identifier),
        StreamName(stream),
        version,
        position,
        kind,
        orjson.loads(data),
        Micros(at),
        schema,
        orjson.loads(meta),
    )
