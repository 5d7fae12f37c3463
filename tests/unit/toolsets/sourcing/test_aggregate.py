"""Facts become states, and old facts their newest form."""

from collections.abc import Sequence

import pytest
from pydantic import BaseModel

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.concurrency import THREAD_FROM
from toolsets.sourcing.aggregate import GrowingHistory, UnreadableEvent, Upcasts, event_data, fold, size_of, upcast


class Newest(BaseModel):
    """The data of schema 3."""

    a: int
    b: int
    c: int


def recorded(stream: StreamName, version: int, type_: str, data: JsonObject, schema: int = 1) -> RecordedEvent:
    return RecordedEvent(EventId(f"e{version}"), stream, version, version, type_, data, Micros(0), schema, {})


def test_old_facts_are_read_in_their_newest_form() -> None:
    upcasts: Upcasts = {("x", 1): lambda data: {**data, "b": 1}, ("x", 2): lambda data: {**data, "c": 2}}
    newest = upcast(recorded(StreamName("a/b/c"), 1, "x", {"a": 0}), upcasts)
    assert (newest.data, newest.schema) == ({"a": 0, "b": 1, "c": 2}, 3)
    assert event_data(Newest, newest, schema=3) == Newest(a=0, b=1, c=2)
    with pytest.raises(UnreadableEvent, match="has schema 3; this version reads 1"):
        event_data(Newest, newest)


def test_a_state_is_the_fold_of_its_events() -> None:
    def add(state: int | None, event: RecordedEvent) -> int:
        return (state or 0) + event.version

    events = tuple(recorded(StreamName("a/b/c"), n, "x", {"n": n}) for n in (1, 2, 3))
    assert fold(events, add, {}) == 6
    assert fold((), add, {}) is None
    grown = GrowingHistory(events[:2])
    assert (fold(grown, add, {}), grown.unfolded) == (3, ())
    extended = grown.extended(events[2:])
    assert (extended, extended.unfolded) == (events, events[2:])
    assert (fold(extended, add, {}), fold(grown, add, {})) == (6, 3)
    assert extended.bytes == GrowingHistory(events).bytes


def test_sums_continue_from_a_state() -> None:
    """The state is the same however many events each fold adds."""

    def total(events: Sequence[RecordedEvent]) -> JsonObject:
        return {"n": sum(int(str(event.data["n"])) for event in events)}

    def add(state: tuple[int, int] | None, event: RecordedEvent) -> tuple[int, int]:
        return (state[0] if state else 0) + int(str(event.data["n"])), event.version

    kinds = "xxyxxxyyx"
    events = tuple(recorded(StreamName("a/b/c"), n, kind, {"n": n}) for n, kind in enumerate(kinds, start=1))
    for size in (1, 2, 4):
        history = GrowingHistory()
        for at in range(0, len(events), size):
            history = history.extended(events[at : at + size])
            assert fold(history, add, {}, {"x": total}) == fold(events[: len(history)], add, {})


def test_long_texts_count_like_many_events() -> None:
    few = (recorded(StreamName("a/b/c"), 1, "x", {"name": "n"}),)
    long = (recorded(StreamName("a/b/c"), 1, "x", {"names": ["n" * 500] * 100, "more": {"text": "t" * 500}}),)
    many = tuple(recorded(StreamName("a/b/c"), n, "x", {}) for n in range(1, 1_000))
    assert size_of([few, few]) == 4
    assert size_of([long]) >= THREAD_FROM
    assert size_of([many, few]) >= THREAD_FROM
