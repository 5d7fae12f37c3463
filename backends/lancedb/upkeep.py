"""Keeps a table quick: merges the small files that single writes leave, and indexes what grew large."""

import asyncio
import math
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from backends.lancedb.driver import IvfSq, Table
from backends.lancedb.errors import Calls, Raced, translate
from backends.ports.errors import StoreError

WRITES_BETWEEN: Final = 64
WRITES_BETWEEN_REMOTE: Final = 16
"""Each file that a query looks into costs a request there."""
REST: Final = 10.0
"""Merging rewrites a table, so it pauses ten times as long as it took: at most a tenth of the time goes into it."""
KEPT_VERSIONS: Final = timedelta(minutes=10)
"""Older versions are removed; a reader that began earlier than this would fail."""
LOOK_AGAIN_S: Final = 60.0
UPKEEP_S: Final = 600.0
TRIES: Final = 5
SHRUNK: Final = 4
"""An index is dropped when fewer than this part of the records that called for it are left."""


class Upkeep:
    """The upkeep of one table, after so many writes by itself, in the background."""

    def __init__(
        self, table: Table, calls: Calls, writers: asyncio.Lock, *, index_from: int, writes_between: int
    ) -> None:
        self._table = table
        self._calls = calls
        self._writers = writers
        self._index_from = index_from
        self._writes_between = writes_between
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
            self._indexed = await self._calls.run(self._vector_index()) is not None
            self._looked_at = time.monotonic()
        return self._indexed

    def note_write(self) -> None:
        """Count a write, and begin to tidy up when it is time."""
        self._writes += 1
        idle = self._running is None or self._running.done()
        if self._writes >= self._writes_between and idle and time.monotonic() >= self._rests_until:
            self._running = asyncio.create_task(self._by_itself())

    async def tidy(self, *, insist: bool = True) -> None:
        """Merge small files, drop old versions, extend the indexes, and index the vectors once there are many.

        Writers go on meanwhile. Where they keep getting in between, those of this process wait, if one insists.
        """
        async with self._turn:
            began = time.monotonic()
            self._writes = 0
            try:
                await self._calls.run(self._tidy(), timeout_s=UPKEEP_S)
            except Raced:
                if not insist:
                    raise
                await self._calls.run(self._tidy_alone(), timeout_s=UPKEEP_S)
            finally:
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
            await self.tidy(insist=False)

    async def _tidy_alone(self) -> None:
        async with self._writers:
            for left in reversed(range(TRIES)):
                try:
                    await self._tidy()
                except RuntimeError as error:
                    # Writers of other processes do not wait.
                    if not left or not isinstance(translate(error, self._calls.place), Raced):
                        raise
                else:
                    return

    async def _tidy(self) -> None:
        await self._table.checkout_latest()
        live = await self._table.count_rows("NOT dead")
        if live < self._index_from // SHRUNK:
            await self._drop_index()
        await self._table.optimize(cleanup_older_than=KEPT_VERSIONS)
        if live >= self._index_from and await self._vector_index() is None:
            config = IvfSq(distance_type="cosine", num_partitions=math.isqrt(live))
            await self._table.create_index("vector", replace=True, config=config)
        self._looked_at = 0.0

    async def _drop_index(self) -> None:
        # An index that has lost all its vectors cannot be extended.
        if (name := await self._vector_index()) is not None:
            await self._table.drop_index(name)

    async def _vector_index(self) -> str | None:
        found = await self._table.list_indices()
        return next((index.name for index in found if "vector" in index.columns), None)
