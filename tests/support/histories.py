"""Histories of streams, written by hand."""

from typing import TypeAlias

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.sourcing.aggregate import Change

Fact: TypeAlias = tuple[str, JsonObject]
"""The type of an event and its data."""


def history_of(stream: StreamName, *facts: Fact) -> tuple[RecordedEvent, ...]:
    """Return the events of a stream; the first has version, position and time 1, the second 2, and so on."""
    return tuple(
        RecordedEvent(EventId(f"e{n}"), stream, n, n, kind, data, Micros(n), 1, {})
        for n, (kind, data) in enumerate(facts, 1)
    )


def facts_in(changes: tuple[Change, ...]) -> list[Fact]:
    """Return the facts of changes, in their order."""
    return [(fact.type, fact.data) for change in changes for fact in change.facts]
