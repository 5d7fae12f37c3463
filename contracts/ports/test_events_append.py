"""Appends are atomic, idempotent and durable, and succeed only if the expectations of the caller hold."""

import math

import pytest

from backends.ports.capabilities import Capabilities
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.events import MAX_EVENTS_PER_BATCH, EventLog, Expectation, Expected, StreamName
from backends.ports.values import Json
from contracts.corpus import HOSTILE_TEXTS
from contracts.fixtures import EngineFactory
from contracts.ports.event_records import batch, event, events_of, read, record, write
from contracts.promises import promise


@promise("events:append:versions", "events:append:position")
async def test_append_answers_the_version_of_each_stream_and_the_last_position(events: EventLog, prefix: str) -> None:
    """The caller learns the versions and positions of its events without reading them back."""
    one, two = StreamName(f"{prefix}kind/1"), StreamName(f"{prefix}kind/2")
    await record(events, one, 3)
    done = await events.append([write(one, event()), write(two, event(), event())], batch=batch())
    assert done.versions == {one: 4, two: 2}
    assert done.position == await events.head(prefix)
    assert done.position == max(recorded.position for recorded in await events.read_all(prefix))


@promise("events:append:atomic")
async def test_a_refused_write_keeps_its_whole_batch_out(events: EventLog, prefix: str) -> None:
    """Events of one batch are never recorded partially."""
    taken = f"{prefix}kind/taken"
    await record(events, taken)
    writes = [write(f"{prefix}kind/before", event()), write(taken, event(), expected=Expected.NEW)]
    with pytest.raises(Conflict):
        await events.append([*writes, write(f"{prefix}kind/after", event())], batch=batch())
    assert [recorded.stream for recorded in await events.read_all(prefix)] == [taken]
    assert await events.versions([StreamName(f"{prefix}kind/before"), StreamName(f"{prefix}kind/after")]) == {
        f"{prefix}kind/before": 0,
        f"{prefix}kind/after": 0,
    }


@promise("events:append:conflict-names-stream")
async def test_a_conflict_names_the_first_stream_that_is_not_as_expected(events: EventLog, prefix: str) -> None:
    """The error names the first stream whose expectation fails."""
    streams = [f"{prefix}kind/{letter}" for letter in "abcd"]
    await record(events, streams[1])
    await record(events, streams[3])
    writes = [write(stream, event(), expected=Expected.NEW) for stream in streams]
    with pytest.raises(Conflict) as caught:
        await events.append(writes, batch=batch())
    assert caught.value.key == streams[1]
    assert streams[1] in str(caught.value)


@promise("events:expected:any", "events:expected:new", "events:expected:exists", "events:expected:exact")
@pytest.mark.parametrize(
    ("recorded", "expected", "accepted"),
    [
        (0, Expected.ANY, True),
        (2, Expected.ANY, True),
        (0, Expected.NEW, True),
        (1, Expected.NEW, False),
        (0, Expected.EXISTS, False),
        (1, Expected.EXISTS, True),
        (0, 0, True),
        (2, 0, False),
        (2, 2, True),
        (2, 1, False),
        (2, 3, False),
        (0, 1, False),
    ],
)
@pytest.mark.parametrize("count", [0, 1])
async def test_a_write_is_accepted_only_where_its_expectation_holds(
    events: EventLog, prefix: str, recorded: int, expected: Expectation, count: int, *, accepted: bool
) -> None:
    """The expectation is checked for a write with events and for one that only asserts."""
    stream = StreamName(f"{prefix}kind/1")
    if recorded:
        await record(events, stream, recorded)
    attempt = [write(stream, *events_of(count), expected=expected)]
    if accepted:
        await events.append(attempt, batch=batch())
    else:
        with pytest.raises(Conflict):
            await events.append(attempt, batch=batch())
    assert await events.versions([stream]) == {stream: recorded + (count if accepted else 0)}


@promise("events:append:idempotent")
async def test_the_same_batch_again_returns_the_first_result_and_appends_nothing(events: EventLog, prefix: str) -> None:
    """A caller that lost the answer may repeat the append, although its expectation no longer holds."""
    name, writes = batch(), [write(f"{prefix}kind/1", event(), event(), expected=Expected.NEW)]
    first = await events.append(writes, batch=name)
    await record(events, f"{prefix}kind/1")
    assert await events.append(writes, batch=name) == first
    assert await events.count(prefix) == 3


@promise("events:append:idempotent-everywhere", "events:append:durable")
@pytest.mark.needs("events")
async def test_what_was_acknowledged_is_there_when_the_log_is_opened_again(
    engine_factory: EngineFactory, prefix: str, capabilities: Capabilities
) -> None:
    """Events and batch ids survive the engine and a power failure."""
    assert capabilities.durable == "fsync"
    name, writes = batch(), [write(f"{prefix}kind/1", *events_of(3))]
    log = await (await engine_factory.open()).events()
    first = await log.append(writes, batch=name)
    before = await log.read_all(prefix)
    log = await (await engine_factory.reopen()).events()
    assert await log.read_all(prefix) == before
    assert await log.append(writes, batch=name) == first
    assert await log.count(prefix) == 3


@promise("events:append:assert-only")
async def test_a_batch_without_events_only_checks(events: EventLog, prefix: str) -> None:
    """Nothing is written, and the returned position is 0."""
    stream = f"{prefix}kind/1"
    await record(events, stream, 2)
    done = await events.append([write(stream, expected=2), write(f"{prefix}kind/2", expected=0)], batch=batch())
    assert done.position == 0
    assert await events.count(prefix) == 2


@promise("events:append:assert-only")
async def test_an_assertion_that_fails_keeps_the_other_writes_out(events: EventLog, prefix: str) -> None:
    """An edge can assert that its ends exist without writing to them."""
    with pytest.raises(Conflict) as caught:
        await events.append(
            [write(f"{prefix}edge/1", event()), write(f"{prefix}end/1", expected=Expected.EXISTS)], batch=batch()
        )
    assert caught.value.key == f"{prefix}end/1"
    assert await events.count(prefix) == 0


@promise("events:append:stream-once")
async def test_a_stream_may_occur_once_in_a_batch(events: EventLog, prefix: str) -> None:
    """Two expectations of one stream could contradict each other."""
    with pytest.raises(InvalidInput):
        await events.append([write(f"{prefix}kind/1", event()), write(f"{prefix}kind/1", event())], batch=batch())
    assert await events.count(prefix) == 0


@promise("events:append:limit")
async def test_a_batch_has_at_most_ten_thousand_events(events: EventLog, prefix: str) -> None:
    """A batch beyond the limit is refused with a sentence."""
    too_many = (event(),) * (MAX_EVENTS_PER_BATCH + 1)
    with pytest.raises(InvalidInput):
        await events.append([write(f"{prefix}kind/1", *too_many)], batch=batch())


@promise("events:append:unchanged")
async def test_a_fact_comes_back_exactly_as_it_was_recorded(events: EventLog, prefix: str) -> None:
    """Every field is stored unchanged, including hostile texts and nested data."""
    data: dict[str, Json] = {
        "texts": list(HOSTILE_TEXTS),
        "numbers": [0, -1, 2**53 - 1, 0.1, 1e300],
        "flags": [True, False, None],
        "nested": {"a": [{"b": {}}], "": []},
    }
    sent = event(data, kind="contracts.everything", schema=7)
    stream = StreamName(f"{prefix}kind/1")
    await events.append([write(stream, sent)], batch=batch())
    [got] = await read(events, stream)
    assert (got.id, got.type, got.at, got.schema, got.stream, got.version) == (
        sent.id,
        sent.type,
        sent.at,
        7,
        stream,
        1,
    )
    assert got.data == data
    assert got.meta == sent.meta


@promise("events:names:stream")
@pytest.mark.parametrize("name", ["", "single", "a/", "/a/b", "a//b", "a/b c", "a/\n", "a/\x00b", "a/" + "x" * 2000])
async def test_a_stream_name_that_is_not_segments_is_refused(events: EventLog, name: str) -> None:
    """Counting by prefix is reliable only if names are well-formed."""
    with pytest.raises(InvalidInput):
        await events.append([write(name, event())], batch=batch())


@promise("events:append:storable")
@pytest.mark.parametrize("value", ["\ud800", math.nan, math.inf])
async def test_data_that_is_not_json_is_refused_and_nothing_is_recorded(
    events: EventLog, prefix: str, value: str | float
) -> None:
    """Data that cannot be stored is refused, never changed."""
    with pytest.raises(InvalidInput):
        await events.append([write(f"{prefix}kind/1", event(), event({"value": value}))], batch=batch())
    assert await events.count(prefix) == 0
