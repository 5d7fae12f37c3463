"""Facts become states; claims belong to one holder; keys are unambiguous."""

import pytest
from pydantic import BaseModel

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.concurrency import THREAD_FROM
from toolsets.sourcing.aggregate import Change, UnreadableEvent, Upcasts, event_data, fold, size_of, upcast
from toolsets.sourcing.claims import Claims, digest_of


class Newest(BaseModel):
    """The data of schema 3."""

    a: int
    b: int
    c: int


def recorded(stream: StreamName, version: int, type_: str, data: JsonObject, schema: int = 1) -> RecordedEvent:
    return RecordedEvent(EventId(f"e{version}"), stream, version, version, type_, data, Micros(0), schema, {})


def after(change: Change, version: int) -> RecordedEvent:
    return recorded(change.stream, version, change.facts[0].type, change.facts[0].data)


def test_a_claim_belongs_to_its_last_taker_until_it_is_given_up() -> None:
    claims = Claims("shop", "name")
    taken, given_up = claims.take(("a", None), "one"), claims.release(("a", None), "one")
    history = (after(taken, 1), after(given_up, 2), after(claims.take(("a", None), "two"), 3))
    assert [claims.holder(history[:length]) for length in range(4)] == [None, "one", None, "two"]
    assert taken.stream == given_up.stream == claims.stream(("a", None))
    assert taken.stream.startswith("shop/claim/name/")


def test_no_two_keys_are_written_alike() -> None:
    keys = [("a", "b"), ("ab",), ("a", None), ("a", "null"), ('a","b',), ("a", "b", None), ("é",), ("e\u0301",), ()]
    assert len({digest_of(key) for key in keys}) == len(keys)


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
