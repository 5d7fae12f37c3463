"""Writes one at a time for each collection. A caller that stops waiting does not leave a write half done."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

Write: TypeAlias = Callable[[], Awaitable[None]]


class WriteQueue:
    """The engine compares no revisions, so no other write may come between reading the stored one and writing."""

    def __init__(self) -> None:
        # Not anyio's lock: the task that releases it may differ from the one that acquired it.
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, key: tuple[str, str], plan: Callable[[], Awaitable[Write]]) -> None:
        """Wait for earlier writes of the same collection, call `plan`, and carry out the write it returns.

        Cancelled before the write begins, nothing happens. Cancelled later, the write goes on, and the next one
        waits for it.
        """
        lock = self._locks[key]
        await lock.acquire()
        try:
            write = await plan()
        except BaseException:
            lock.release()
            raise
        task = asyncio.ensure_future(_carry_out(write))
        self._running.add(task)
        task.add_done_callback(lambda ended: self._release(ended, lock))
        await asyncio.shield(task)

    async def drain(self) -> None:
        """Wait for running writes. Their errors have been raised to their callers, if those still waited."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _release(self, task: asyncio.Task[None], lock: asyncio.Lock) -> None:
        lock.release()
        self._running.discard(task)
        if not task.cancelled():
            # Retrieved so that asyncio does not report an error whose caller has left.
            task.exception()


async def _carry_out(write: Write) -> None:
    await write()
