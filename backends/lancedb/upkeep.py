"""Keeps a table quick: merges the small files that single writes leave, and indexes what grew large."""

import asyncio
import math
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from backends.lancedb.driver import IvfSq, Table
from backends.lancedb.errors import Calls, Raced
from backends.ports.errors import StoreError

WRITES_BETWEEN: Final = 64
REST: Final = 10.0
"""Merging rewrites a table, so it pauses ten times as long as it took: at most a tenth of the time goes into it."""
KEPT_VERSIONS: Final = timedelta(minutes=10)
"""Older versions are removed; a reader that began earlier than this would fail."""
LOOK_AGAIN_S: Final = 60.0
UPKEEP_S: Final = 600.0
TRIES: Final = 3


class Upkeep:
    """The upkeep of one table, after so many writes by itself, in the background."""

    def __init__(self, table: Table, calls: Calls, *, index_from: int) -> None:
        self._table = table
        self._calls = calls
        self._index_from = index_from
        self._indexed = False
        self._looked_at = 0.0
        self._writes = 0
        self._rests_until = 0.0
        self._turn = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """See how many small files there are and whether the vectors are indexed."""
        files = await self._calls.run(self._table.stats())
        self._writes = files["fragment_stats"]["num_small_fragments"]
        await self.indexed()

    async def indexed(self) -> bool:
        """Say whether the vectors are indexed; another process may have done it a minute ago."""
        if time.monotonic() >= self._looked_at + LOOK_AGAIN_S or not self._looked_at:
            found = await self._calls.run(self._table.list_indices())
            self._indexed = any("vector" in index.columns for index in found)
            self._looked_at = time.monotonic()
        return self._indexed

    def note_write(self) -> None:
        """Count a write, and begin to tidy up when it is time."""
        self._writes += 1
        idle = self._running is None or self._running.done()
        if self._writes >= WRITES_BETWEEN and idle and time.monotonic() >= self._rests_until:
            self._running = asyncio.create_task(self._by_itself())

    async def tidy(self) -> None:
        """Merge small files, drop old versions, extend the indexes, and index the vectors once there are many."""
        async with self._turn:
            began = time.monotonic()
            self._writes = 0
            for left in reversed(range(TRIES)):
                try:
                    await self._calls.run(self._tidy(), timeout_s=UPKEEP_S)
                    break
                except Raced:
                    # A writer elsewhere changed what was being merged; nothing is lost by beginning again.
                    if not left:
                        raise
            self._rests_until = time.monotonic() + REST * (time.monotonic() - began)

    async def close(self) -> None:
        """Stop what runs in the background."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def _by_itself(self) -> None:
        # Nobody waits for it: what failed is tried again after as many writes, and `maintain` tells why.
        with suppress(StoreError):
            await self.tidy()

    async def _tidy(self) -> None:
        await self._table.optimize(cleanup_older_than=KEPT_VERSIONS)
        if not self._indexed:
            await self._index_if_large()

    async def _index_if_large(self) -> None:
        count = await self._table.count_rows("NOT dead")
        self._looked_at = 0.0
        if count >= self._index_from and not await self.indexed():
            config = IvfSq(distance_type="cosine", num_partitions=math.isqrt(count))
            await self._table.create_index("vector", replace=True, config=config)
            self._looked_at = 0.0
