"""Concurrency for toolsets: CPU-bound work off the event loop, bounded fan-out, and locks by key."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

THREAD_FROM = 200
"""The size from which a thread is worth its cost: 200 streams and events take about ten milliseconds."""

MAX_CONCURRENT = 8
"""The most calls of one `gather_bounded` that run at the same time."""

ResultT = TypeVar("ResultT")
WorkT = TypeVar("WorkT")


async def run_cpu(work: Callable[[], ResultT], *, size: int) -> ResultT:
    """Return the result of `work`; from a `size` of 200 it runs in a thread, so that other calls are not held up.

    `size` counts the streams and events that `work` reads. `work` must not use state that others change.
    """
    return work() if size < THREAD_FROM else await anyio.to_thread.run_sync(work)


async def run_beside(call: Callable[[], Awaitable[ResultT]], work: Callable[[], WorkT]) -> tuple[ResultT, WorkT]:
    """Return the results of `call` and of `work`, which runs in a thread at the same time.

    Raises the first error of either, after `work` has ended.
    """
    called: list[ResultT] = []
    worked: list[WorkT] = []

    async def run() -> None:
        worked.append(await anyio.to_thread.run_sync(work))

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            called.append(await call())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return called[0], worked[0]


class BoundedThreads:
    """Threads for work that takes long in Python; at most `most` of them run at the same time for an event loop.

    More threads of one interpreter are no faster, and keep its event loop from every other call.
    """

    def __init__(self, name: str, most: int) -> None:
        self._most = most
        self._limiter: RunVar[anyio.CapacityLimiter] = RunVar(name)

    async def run(self, work: Callable[[], ResultT], *, abandon: bool = False) -> ResultT:
        """Return the result of `work`; on cancellation it is awaited, or else abandoned, and never begun if it still waits."""
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(self._most)
            self._limiter.set(limiter)
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=abandon, limiter=limiter)


async def gather_bounded(calls: Iterable[Callable[[], Awaitable[ResultT]]]) -> list[ResultT]:
    """Return the results of `calls` in their order; at most eight run at once.

    Raises the first error as it is, not in a group, and cancels the remaining calls.
    """
    remaining = iter(enumerate(calls))
    results: dict[int, ResultT] = {}
    failures: list[Exception] = []

    async def worker() -> None:
        try:
            for number, call in remaining:
                results[number] = await call()
        except Exception as error:  # noqa: BLE001 -- it is raised below
            failures.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for _ in range(MAX_CONCURRENT):
            group.start_soon(worker)
    if failures:
        raise failures[0]
    return [results[number] for number in sorted(results)]


class KeyedLocks:
    """A lock per key, kept only while it is held or waited for."""

    def __init__(self) -> None:
        self._locks: dict[str, anyio.Lock] = {}
        self._users: Counter[str] = Counter()

    def is_locked(self, key: str) -> bool:
        """Return whether the lock of `key` is held or waited for."""
        return key in self._users

    @asynccontextmanager
    async def lock(self, key: str) -> AsyncGenerator[None]:
        """Hold the lock of `key` inside the block; waiters acquire it in the order of arrival."""
        lock = self._locks.setdefault(key, anyio.Lock())
        self._users[key] += 1
        try:
            async with lock:
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._locks[key]
