"""Writes in turn: one at a time for each collection, none abandoned half-way by a caller that stops waiting."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

import anyio


class Turns:
    """The engine compares no revisions, so reading the stored one and writing must not be interrupted by another write."""

    def __init__(self) -> None:
        self._locks: defaultdict[tuple[str, str], anyio.Lock] = defaultdict(anyio.Lock)
        self._under_way: set[asyncio.Task[None]] = set()

    async def take(self, key: tuple[str, str], write: Callable[[], Awaitable[None]]) -> None:
        """Carry out a write when it is its turn. A caller that is cancelled leaves it behind, and the next one waits for it."""
        task = asyncio.ensure_future(self._carry_out(key, write))
        self._under_way.add(task)
        task.add_done_callback(self._done)
        await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for what is under way; how it ends was told, or nobody is left to be told."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _carry_out(self, key: tuple[str, str], write: Callable[[], Awaitable[None]]) -> None:
        async with self._locks[key]:
            await write()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            # Asked for, so that asyncio does not report an error whose caller has left.
            task.exception()
