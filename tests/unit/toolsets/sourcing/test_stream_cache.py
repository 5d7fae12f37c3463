"""Long streams are read and folded once; what others append, or a restored log lacks, is seen at the next read."""

import random
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.stores import OpenStores
from contracts.ports.event_records import record
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories, History, fold
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.stream_cache import LONG, StreamCache
from toolsets.spec import CallContext

STREAM = StreamName("test/thing/1")
OTHER = StreamName("test/thing/2")
MANY = 3 * LONG


class Counting:
    """A real log that counts the events which it returns for streams."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.append = log.append
        self.returned = 0

    async def read_streams(
        self, streams: Collection[StreamName], *, after: Mapping[StreamName, int] | None = None
    ) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        found = await self._log.read_streams(streams, after=after)
        self.returned += sum(map(len, found.values()))
        return found


class Visits:
    """An `evolve` that counts events, and remembers the versions of those that it was called for."""

    def __init__(self) -> None:
        self._versions: list[int] = []

    def evolve(self, state: int | None, event: RecordedEvent) -> int:
        self._versions.append(event.version)
        return (state or 0) + 1

    def of(self, history: History) -> list[int]:
        """Return the versions that folding a history visits."""
        self._versions.clear()
        assert fold(history, self.evolve, {}) == len(history)
        return [*self._versions]


async def opened_log(directory: Path) -> AsyncGenerator[EventLog]:
    opened = OpenStores({"db": {"kind": "sqlite"}}, directory)
    yield await opened.stores(events="db").events()
    await opened.close()


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[EventLog]:
    async for log in opened_log(tmp_path / "one"):
        yield log


@pytest.fixture
async def other_log(tmp_path: Path) -> AsyncGenerator[EventLog]:
    async for log in opened_log(tmp_path / "other"):
        yield log


def counting(log: EventLog) -> tuple[EventLog, Counting]:
    counted = Counting(log)
    return cast("EventLog", counted), counted


async def test_of_a_long_stream_only_new_events_are_read_and_folded(log: EventLog) -> None:
    counted, returned = counting(log)
    cache, visits = StreamCache(), Visits()
    await record(log, STREAM, MANY)
    assert visits.of((await cache.read(counted, [STREAM]))[STREAM]) == [*range(1, MANY + 1)]
    assert returned.returned == MANY
    await record(log, STREAM, 2)
    returned.returned = 0
    history = (await cache.read(counted, [STREAM]))[STREAM]
    assert [event.version for event in history] == [*range(1, MANY + 3)]
    assert returned.returned == 3  # the last known one, and two more
    assert visits.of(history) == [MANY + 1, MANY + 2]
    assert visits.of(history) == []


async def test_a_command_reads_and_folds_only_what_is_new(log: EventLog) -> None:
    counted, returned = counting(log)
    committer = Committer(system_now, random.Random(1))
    visits = Visits()

    def decide(histories: Histories) -> Decision[list[int]]:
        return Decision(visits.of(histories[STREAM]), (Change(STREAM, (Fact("test.added", {}),)),))

    await record(log, STREAM, MANY)
    await committer.commit(counted, decide, CallContext("test"), prefetch=(STREAM,))
    returned.returned = 0
    committed = await committer.commit(counted, decide, CallContext("test"), prefetch=(STREAM,))
    assert (committed.value, returned.returned) == ([MANY + 1], 2)
    assert [event.version for event in committed.changed[STREAM]] == [*range(1, MANY + 3)]
    assert visits.of(committed.changed[STREAM]) == [MANY + 2]


async def test_streams_in_another_log_or_a_shorter_one_are_read_again(log: EventLog, other_log: EventLog) -> None:
    cache = StreamCache()
    await record(log, STREAM, MANY)
    await record(log, OTHER, MANY)
    await cache.read(log, [STREAM, OTHER])
    await record(other_log, STREAM, MANY + 1)
    found = await cache.read(other_log, [STREAM, OTHER])
    assert found == {STREAM: tuple((await other_log.read_streams([STREAM]))[STREAM]), OTHER: ()}


async def test_short_and_unknown_streams_are_read_whole(log: EventLog) -> None:
    cache = StreamCache()
    await record(log, STREAM, LONG - 1)
    await record(log, OTHER, LONG)
    for _ in range(2):
        found = await cache.read(log, [STREAM, OTHER, StreamName("test/thing/3")])
        assert [len(history) for history in found.values()] == [LONG - 1, LONG, 0]


async def test_memory_is_bounded(log: EventLog) -> None:
    """A stream beyond the bound is read and folded as any other."""
    counted, returned = counting(log)
    cache = StreamCache(max_bytes=LONG * 1_500)
    await record(log, STREAM, LONG)
    await record(log, OTHER, MANY)
    await cache.read(counted, [STREAM, OTHER])
    returned.returned = 0
    found = await cache.read(counted, [STREAM, OTHER])
    assert (len(found[OTHER]), returned.returned) == (MANY, 1 + MANY)
