"""Writes in turn: one at a time for each collection, none abandoned half-way by a caller that stops waiting."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

Write: TypeAlias = Callable[[], Awaitable[None]]


class Turns:
    """The engine compares no revisions, so no other write may come between reading the stored one and writing."""

    def __init__(self) -> None:
        # Not anyio's: the task that ends a turn is not always the one that began it.
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._under_way: set[asyncio.Task[None]] = set()

    async def take(self, key: tuple[str, str], plan: Callable[[], Awaitable[Write]]) -> None:
        """Carry out the write that `plan` finds to be necessary, when it is its turn.

        A caller that is cancelled before writing has begun takes everything back; later it leaves the write
        behind, and the next turn begins when that has ended.
        """
        lock = self._locks[key]
        await lock.acquire()
        try:
            write = await plan()
        except BaseException:
            lock.release()
            raise
        task = asyncio.ensure_future(_carried_out(write))
        self._under_way.add(task)
        task.add_done_callback(lambda ended: self._end(ended, lock))
        await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for what is under way; how it ends was told, or nobody is left to be told."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _end(self, task: asyncio.Task[None], lock: asyncio.Lock) -> None:
        lock.release()
        self._under_way.discard(task)
        if not task.cancelled():
            # Asked for, so that asyncio does not report an error whose caller has left.
            task.exception()


async def _carried_out(write: Write) -> None:
    await write()
