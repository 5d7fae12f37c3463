"""Calls of a blocking driver run in few threads, and none is lost when the threads end."""

import asyncio
import threading
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager

import pytest

from backends.kit.threads import InterruptibleCall, Workers
from backends.ports.errors import Timeout, Unavailable

THREADS = 3


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers("driver", threads=THREADS)
    yield made
    made.close()


async def ask(workers: Workers) -> int:
    return await workers.run(threading.get_ident, timeout_s=10)


async def test_calls_run_at_the_same_time_up_to_the_number_of_threads(workers: Workers) -> None:
    together = threading.Barrier(THREADS)

    def call() -> int:
        together.wait(10)
        return threading.get_ident()

    found = await asyncio.gather(*(workers.run(call, timeout_s=10) for _ in range(2 * THREADS)))
    assert len({*found}) == THREADS
    assert await ask(workers) in found


async def test_an_exception_of_a_call_is_raised_to_its_caller(workers: Workers) -> None:
    def fail() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await workers.run(fail, timeout_s=10)
    assert await ask(workers)


async def test_a_timeout_is_raised_and_a_call_that_has_not_started_is_withdrawn() -> None:
    workers = Workers("driver", threads=1)
    begun, free = threading.Event(), threading.Event()
    made: list[int] = []

    def call() -> bool:
        begun.set()
        return free.wait(10)

    slow = asyncio.create_task(workers.run(call, timeout_s=10))
    await asyncio.to_thread(begun.wait, 10)
    with pytest.raises(Timeout, match="driver did not answer"):
        await workers.run(lambda: made.append(1), timeout_s=0.05)
    free.set()
    assert await slow
    assert await ask(workers)
    assert made == []
    workers.close()


async def test_closing_waits_for_calls_under_way_and_refuses_others() -> None:
    workers = Workers("driver", threads=1)
    begun, free = threading.Event(), threading.Event()

    def call() -> str:
        begun.set()
        free.wait(10)
        return "done"

    first = asyncio.create_task(workers.run(call, timeout_s=10))
    await asyncio.to_thread(begun.wait, 10)
    second = asyncio.create_task(ask(workers))
    closing = asyncio.create_task(asyncio.to_thread(workers.close))
    with pytest.raises(Unavailable, match="driver is closed"):
        await second
    free.set()
    await closing
    assert await first == "done"
    with pytest.raises(Unavailable, match="driver is closed"):
        await ask(workers)
    workers.close()


class Session:
    """A session whose calls block until they are interrupted."""

    def __init__(self) -> None:
        self.begun, self.stopped = threading.Event(), threading.Event()
        self.interrupts = 0

    def interrupt(self) -> None:
        self.interrupts += 1
        self.stopped.set()

    @contextmanager
    def acquired(self) -> Generator["Session"]:
        """Lend the session."""
        yield self

    def block(self) -> bool:
        self.begun.set()
        return self.stopped.wait(10)


async def test_a_call_that_nobody_waits_for_is_interrupted(workers: Workers) -> None:
    session = Session()
    call = InterruptibleCall(session.acquired, Session.block)
    with pytest.raises(Timeout):
        await workers.run(call, timeout_s=0.05, give_up=call.interrupt)
    assert await asyncio.to_thread(session.stopped.wait, 10)


def test_an_interrupt_after_a_call_spares_the_next_user_of_its_session() -> None:
    session = Session()
    call = InterruptibleCall(session.acquired, lambda lent: lent is session)
    call.interrupt()
    assert call()
    call.interrupt()
    assert session.interrupts == 0
    failing = InterruptibleCall(session.acquired, lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing()
    failing.interrupt()
    assert session.interrupts == 0
