"""Facts become states, and old facts their newest form."""

import pytest
from pydantic import BaseModel

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.concurrency import THREAD_FROM
from toolsets.sourcing.aggregate import UnreadableEvent, Upcasts, event_data, fold, size_of, upcast


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

    events = [recorded(StreamName("a/b/c"), n, "x", {"n": n}) for n in (1, 2, 3)]
    assert fold(events, add, {}) == 6
    assert fold([], add, {}) is None


def test_long_texts_count_like_many_events() -> None:
    few = (recorded(StreamName("a/b/c"), 1, "x", {"name": "n"}),)
    long = (recorded(StreamName("a/b/c"), 1, "x", {"names": ["n" * 500] * 100, "more": {"text": "t" * 500}}),)
    many = tuple(recorded(StreamName("a/b/c"), n, "x", {}) for n in range(1, 1_000))
    assert size_of([few, few]) == 4
    assert size_of([long]) >= THREAD_FROM
    assert size_of([many, few]) >= THREAD_FROM
