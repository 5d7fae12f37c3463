"""The commit point: a fact is recorded once, whatever is lost on the way, and a lost race is decided again."""

import random
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import cast

import anyio
import pytest

from backends.ports.adapter import Stores
from backends.ports.errors import Conflict, Timeout
from backends.ports.events import Appended, BatchId, EventLog, StreamName, Write
from backends.stores import OpenStores
from contracts.ports.event_records import read
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories
from toolsets.sourcing.commit import ATTEMPTS, Committer, UnknownOutcome
from toolsets.spec import CallContext

STREAM = StreamName("test/thing/1")
CONTEXT = CallContext("test")


class LosesAnswers:
    """A real log whose first answers to `append` get lost on the way back."""

    def __init__(self, log: EventLog, lost: int) -> None:
        self._log = log
        self._lost = lost
        self.read_streams = log.read_streams

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        appended = await self._log.append(writes, batch=batch)
        if self._lost:
            self._lost -= 1
            raise Timeout("the answer was lost")
        return appended


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncGenerator[Stores]:
    opened = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    yield opened.stores(graph=None, vectors=None, events="db", embedder=None)
    await opened.close()


def add_one(histories: Histories) -> Decision[int]:
    count = len(histories[STREAM])
    return Decision(count, (Change(STREAM, (Fact("test.added", {"n": count}),)),))


async def test_a_lost_answer_is_asked_for_again_and_the_fact_recorded_once(stores: Stores) -> None:
    log = await stores.events()
    forgetful = cast("EventLog", LosesAnswers(log, 1))
    committed = await Committer(system_now, random.Random(1)).commit(forgetful, add_one, CONTEXT)
    assert [event.data for event in committed.changed[STREAM]] == [{"n": 0}]
    assert len(await read(log, STREAM)) == 1


async def test_a_log_that_stays_silent_is_reported(stores: Stores) -> None:
    forgetful = cast("EventLog", LosesAnswers(await stores.events(), 2))
    with pytest.raises(UnknownOutcome, match="the answer was lost; the change may have been recorded"):
        await Committer(system_now, random.Random(1)).commit(forgetful, add_one, CONTEXT)
    assert len(await read(await stores.events(), STREAM)) == 1


async def test_a_log_that_hangs_is_reported_before_the_deadline(stores: Stores) -> None:
    class Hangs(LosesAnswers):
        async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
            if not self._lost:
                await anyio.sleep_forever()
            return await super().append(writes, batch=batch)

    hanging = cast("EventLog", Hangs(await stores.events(), 1))
    with anyio.fail_after(1), pytest.raises(UnknownOutcome, match="the answer was lost"):
        await Committer(system_now, random.Random(1)).commit(hanging, add_one, CONTEXT)


async def test_a_race_is_decided_again_on_what_the_winner_left(stores: Stores) -> None:
    log = await stores.events()
    committer = Committer(system_now, random.Random(1))
    rivals = 3

    class Raced(LosesAnswers):
        async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
            nonlocal rivals
            if rivals:
                rivals -= 1
                await committer.commit(log, add_one, CONTEXT)
            return await log.append(writes, batch=batch)

    committed = await committer.commit(cast("EventLog", Raced(log, 0)), add_one, CONTEXT)
    assert committed.value == 3
    assert [event.data["n"] for event in await read(log, STREAM)] == [0, 1, 2, 3]


async def test_a_race_lost_too_often_is_a_conflict(stores: Stores) -> None:
    log = await stores.events()
    committer = Committer(system_now, random.Random(1))

    class AlwaysRaced(LosesAnswers):
        async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
            await committer.commit(log, add_one, CONTEXT)
            return await log.append(writes, batch=batch)

    with pytest.raises(Conflict):
        await committer.commit(cast("EventLog", AlwaysRaced(log, 0)), add_one, CONTEXT)
    assert len(await read(log, STREAM)) == ATTEMPTS
