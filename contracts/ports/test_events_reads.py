"""The event log is read by stream and version or by position, and readers never skip an event."""

from itertools import pairwise

import anyio
import pytest

from backends.ports.capabilities import Capabilities
from backends.ports.errors import AlreadyOpen, InvalidInput
from backends.ports.events import EventLog, Expected, RecordedEvent, StreamName
from contracts.fixtures import EngineFactory
from contracts.ports.event_records import batch, event, events_of, read, record, write
from contracts.promises import promise


@promise("events:read-streams:order")
async def test_a_stream_is_read_oldest_first_with_versions_from_one(events: EventLog, prefix: str) -> None:
    """The version of an event is its place in its stream."""
    stream = StreamName(f"{prefix}kind/1")
    await events.append([write(stream, *events_of(2))], batch=batch())
    await record(events, f"{prefix}kind/2")
    await events.append([write(stream, event({"n": 2}))], batch=batch())
    got = await read(events, stream)
    assert [(recorded.version, recorded.data["n"]) for recorded in got] == [(1, 0), (2, 1), (3, 2)]


@promise("events:read-streams:all")
async def test_several_streams_are_read_whole_in_one_call(events: EventLog, prefix: str) -> None:
    """Streams without events are left out."""
    names = [StreamName(f"{prefix}kind/{number}") for number in range(600)]
    await events.append([write(name, *events_of(2)) for name in names[1:]], batch=batch())
    got = await events.read_streams(names)
    assert set(got) == set(names[1:])
    assert {tuple((item.version, item.data["n"]) for item in items) for items in got.values()} == {((1, 0), (2, 1))}


@promise("events:read-streams:after")
async def test_streams_are_read_on_from_above_a_version(events: EventLog, prefix: str) -> None:
    """A stream without later events is left out, and so is an unknown one, whatever its version."""
    names = [StreamName(f"{prefix}kind/{name}") for name in ("part", "whole", "none", 'quo"té\\', "unknown")]
    part, whole, none, quoted, unknown = names
    for name in names[:-1]:
        await record(events, name, 3)
    got = await events.read_streams(names, after={part: 1, none: 3, quoted: 2, unknown: 7})
    assert {name: [item.version for item in items] for name, items in got.items()} == {
        part: [2, 3],
        whole: [1, 2, 3],
        quoted: [3],
    }
    assert got[part] == (await events.read_streams([part]))[part][1:]
    assert await events.read_streams(names, after={}) == await events.read_streams(names)
    with pytest.raises(InvalidInput):
        await events.read_streams([part], after={whole: 1})


@promise("events:versions:zero")
async def test_the_version_of_an_unknown_stream_is_zero(events: EventLog, prefix: str) -> None:
    """The version is the number of events, so it can be passed as the expectation."""
    known, unknown = StreamName(f"{prefix}kind/1"), StreamName(f"{prefix}kind/2")
    await record(events, known, 3)
    assert await events.versions([known, unknown]) == {known: 3, unknown: 0}
    assert await events.versions([]) == {}


@promise("events:read-all:order", "events:read-all:after")
async def test_the_log_is_read_by_strictly_increasing_position(events: EventLog, prefix: str) -> None:
    """The pages joined are the whole log, and streams are distinguished by name."""
    for number in range(7):
        await record(events, f"{prefix}kind/{number % 3}", 2)
    whole = await events.read_all(prefix)
    positions = [recorded.position for recorded in whole]
    assert len(whole) == 14
    assert all(low < high for low, high in pairwise(positions))
    pages: list[RecordedEvent] = []
    while page := await events.read_all(prefix, after=pages[-1].position if pages else 0, limit=4):
        assert len(page) <= 4
        pages.extend(page)
    assert pages == list(whole)


@promise("events:read-all:prefix", "events:names:prefix")
async def test_a_prefix_is_whole_segments_and_nothing_in_it_is_a_pattern(events: EventLog, prefix: str) -> None:
    """`a/b/` does not match `a/bc/`; `_` and `%` are plain characters, and letter case matters."""
    names = [f"{prefix}{kind}/1" for kind in ("a_b", "aXb", "a%", "abc", "ABC", "abcd")]
    for name in names:
        await record(events, name)
    for name in names:
        got = await events.read_all(name.removesuffix("1"))
        assert [recorded.stream for recorded in got] == [name]
        assert await events.count(name.removesuffix("1")) == 1
        assert await events.head(name.removesuffix("1")) == got[0].position
    assert {recorded.stream for recorded in await events.read_all(prefix)} == set(names)


@promise("events:names:prefix")
@pytest.mark.parametrize("bad", ["a", "a/b", "/", "a//", " /", "/a/", "a\x00/", "\ud800/"])
async def test_a_prefix_that_is_not_whole_segments_is_refused(events: EventLog, bad: str) -> None:
    """A partial segment would mean different things to different engines."""
    with pytest.raises(InvalidInput):
        await events.read_all(bad)
    with pytest.raises(InvalidInput):
        await events.count(bad)
    with pytest.raises(InvalidInput):
        await events.head(bad)


@promise("events:read-all:limit")
@pytest.mark.parametrize("limit", [0, -1, 10_001])
async def test_a_page_of_the_log_has_one_to_ten_thousand_events(events: EventLog, prefix: str, limit: int) -> None:
    """A limit out of range is refused, not clamped."""
    with pytest.raises(InvalidInput):
        await events.read_all(prefix, limit=limit)


@promise("events:count", "events:head")
async def test_count_and_head_follow_what_is_under_the_prefix(events: EventLog, prefix: str) -> None:
    """An empty log has the count 0 and the position 0."""
    assert (await events.count(prefix), await events.head(prefix)) == (0, 0)
    await record(events, f"{prefix}one/1", 2)
    last = (await record(events, f"{prefix}two/1", 3))[-1]
    assert (await events.count(prefix), await events.count(f"{prefix}one/")) == (5, 2)
    assert (await events.head(prefix), await events.head(f"{prefix}two/")) == (last.position, last.position)
    assert await events.head(f"{prefix}one/") < last.position
    assert await events.head() >= last.position
    assert await events.count() >= 5


async def _follow(log: EventLog, prefix: str, total: int) -> list[RecordedEvent]:
    """Tail the log by position until `total` events have been seen."""
    seen: list[RecordedEvent] = []
    while len(seen) < total:
        after = seen[-1].position if seen else 0
        page = await log.read_all(prefix, after=after, limit=7)
        seen.extend(page)
        if not page:
            await log.wait(max(after, await log.head()), timeout_s=0.02)
    return seen


async def _burst(log: EventLog, stream: str, batches: int) -> None:
    for number in range(batches):
        await log.append([write(stream, *events_of(1 + number % 3))], batch=batch())


@promise("events:read-all:no-skip")
async def test_a_tailing_reader_never_skips_a_fact_that_commits_later(events: EventLog, prefix: str) -> None:
    """With sixteen concurrent appenders, a reader has seen every event up to its position."""
    total = 16 * sum(1 + number % 3 for number in range(12))
    seen: list[RecordedEvent] = []
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:

            async def follow() -> None:
                seen.extend(await _follow(events, prefix, total))

            group.start_soon(follow)
            for number in range(16):
                group.start_soon(_burst, events, f"{prefix}kind/{number}", 12)
    assert seen == list(await events.read_all(prefix))
    assert len(seen) == total


@promise("events:read-all:no-skip", "events:append:idempotent-everywhere")
@pytest.mark.needs("events")
async def test_two_handles_on_one_log_agree_where_the_engine_admits_two(
    engine_factory: EngineFactory, capabilities: Capabilities, prefix: str
) -> None:
    """If several processes may open the log, no event is skipped and a batch counts once."""
    one = await (await engine_factory.open()).events()
    if capabilities.processes == "one":
        with pytest.raises(AlreadyOpen):
            await engine_factory.open()
        return
    two = await (await engine_factory.open()).events()
    seen: list[RecordedEvent] = []
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(_burst, one, f"{prefix}kind/{number}", 9)
                group.start_soon(_burst, two, f"{prefix}kind/{number}", 9)
            seen.extend(await _follow(two, prefix, 2 * 4 * 18))
    assert seen == list(await one.read_all(prefix))
    name, writes = batch(), [write(f"{prefix}kind/new", event(), expected=Expected.NEW)]
    assert await one.append(writes, batch=name) == await two.append(writes, batch=name)


@promise("events:wait:news")
async def test_waiting_ends_when_there_is_something_to_read(events: EventLog, prefix: str) -> None:
    """The wait returns at once for events that exist already, and soon for events appended meanwhile."""
    await record(events, f"{prefix}kind/1")
    assert await events.wait(0, timeout_s=5)
    answers: list[bool] = []
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                answers.append(await events.wait(await events.head(), timeout_s=8))

            group.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            while not answers:
                await record(events, f"{prefix}kind/1")
                await anyio.lowlevel.checkpoint()
    assert answers == [True]


@promise("events:wait:timeout")
async def test_waiting_for_nothing_ends_at_its_timeout(events: EventLog) -> None:
    """The wait returns False in time."""
    with anyio.fail_after(5):
        assert not await events.wait(await events.head() + 1_000_000, timeout_s=0.01)


@promise("events:purge:removes")
async def test_purged_streams_are_gone_and_their_positions_stay_used(events: EventLog, prefix: str) -> None:
    """Later events do not mislead a reader that follows the log by position."""
    kept = await record(events, f"{prefix}kept/1")
    gone = await record(events, f"{prefix}gone/1", 3)
    await events.purge(f"{prefix}gone/")
    assert list(await events.read_all(prefix)) == kept
    assert await events.versions([StreamName(f"{prefix}gone/1")]) == {f"{prefix}gone/1": 0}
    assert (await events.count(f"{prefix}gone/"), await events.head(f"{prefix}gone/")) == (0, 0)
    assert (await events.count(prefix), await events.head(prefix)) == (1, kept[0].position)
    await events.append([write(f"{prefix}gone/1", event(), expected=Expected.NEW)], batch=batch())
    [again] = await events.read_all(f"{prefix}gone/")
    assert again.version == 1
    assert again.position > gone[-1].position


@promise("events:purge:prefix")
async def test_the_whole_log_cannot_be_purged(events: EventLog) -> None:
    """An empty prefix is refused as a mistake."""
    with pytest.raises(InvalidInput):
        await events.purge("")
