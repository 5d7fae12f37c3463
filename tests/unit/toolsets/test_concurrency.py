"""Long work runs off the event loop, and locks by key are fair."""

import random
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event, Lock, get_ident

import anyio
import anyio.lowlevel
import pytest

from backends.ports.errors import Unavailable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.values import Micros
from tests.support.toolsets.agent_graph import stores_in
from toolsets.clock import system_now
from toolsets.concurrency import THREAD_FROM, BoundedThreads, KeyedLocks, gather_bounded, run_beside
from toolsets.sourcing.aggregate import Decision, Histories, UnreadableEvent
from toolsets.sourcing.commit import Committer
from toolsets.spec import CallContext

STREAM = StreamName("agent_graph/entity/ent_1")


def events(count: int) -> Sequence[NewEvent]:
    return tuple(NewEvent(EventId(f"e{number}"), "test.happened", {}, Micros(0)) for number in range(count))


@pytest.mark.parametrize(("count", "beside"), [(3, False), (THREAD_FROM, True)])
async def test_a_decision_on_a_long_stream_runs_beside_the_loop(tmp_path: Path, count: int, beside: bool) -> None:
    async with stores_in(tmp_path) as stores:
        log = await stores.events()
        await log.append([Write(STREAM, (*events(count),))], batch=BatchId("b1"))

        def decide(histories: Histories) -> Decision[int]:
            assert len(histories[STREAM]) == count
            return Decision(get_ident())

        committer = Committer(system_now, random.Random(1))
        done = await committer.commit(log, decide, CallContext("test"), prefetch=(STREAM,))
        assert (done.value != get_ident()) == beside


async def test_only_one_holds_a_lock_and_waiters_get_it_in_order() -> None:
    locks, inside, order = KeyedLocks(), 0, list[int]()

    async def take(number: int) -> None:
        nonlocal inside
        async with locks.lock("stream"):
            inside += 1
            assert inside == 1
            await anyio.lowlevel.checkpoint()
            order.append(number)
            inside -= 1

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(take, number)
    assert order == [0, 1, 2, 3, 4]


async def test_another_key_is_another_lock() -> None:
    locks = KeyedLocks()
    async with locks.lock("one"):
        with anyio.fail_after(1):
            async with locks.lock("other"):
                entered = True
    assert entered


async def test_work_runs_in_a_thread_beside_a_call() -> None:
    called = Event()

    async def call() -> int:
        called.set()
        return get_ident()

    def work() -> int:
        assert called.wait(10)
        return get_ident()

    call_thread, work_thread = await run_beside(call, work)
    assert call_thread == get_ident() != work_thread


@pytest.mark.parametrize("failing", ["call", "work"])
async def test_the_error_of_a_call_or_of_the_work_beside_it_is_raised_as_it_is(failing: str) -> None:
    async def call() -> None:
        if failing == "call":
            raise Unavailable("gone")
        await anyio.sleep_forever()

    def work() -> None:
        if failing == "work":
            raise Unavailable("gone")

    with pytest.raises(Unavailable, match="gone"):
        await run_beside(call, work)


async def test_the_first_error_is_raised_as_it_is_and_ends_the_others() -> None:
    ended = list[int]()

    async def call(number: int) -> int:
        if number == 1:
            raise UnreadableEvent("of one call")
        await anyio.sleep(0.01 * number)
        ended.append(number)
        return number

    with pytest.raises(UnreadableEvent, match="of one call"):
        await gather_bounded(partial(call, number) for number in range(20))
    assert len(ended) <= 1
    assert await gather_bounded(partial(call, number) for number in (3, 2, 0)) == [3, 2, 0]


async def test_only_a_few_threads_work_at_the_same_time() -> None:
    """Many threads of one interpreter would keep its event loop from every other call."""
    threads = BoundedThreads("workers", 3)
    counted, working, peak = Lock(), 0, 0

    def work() -> None:
        nonlocal working, peak
        with counted:
            working += 1
            peak = max(peak, working)
        time.sleep(0.05)
        with counted:
            working -= 1

    async with anyio.create_task_group() as group:
        for _ in range(12):
            group.start_soon(threads.run, work)
    assert 1 <= peak <= 3
