"""Maintenance of a table: merges the small files that single writes leave, and indexes large collections."""

import asyncio
import math
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from backends.engines.lancedb.connection import Calls
from backends.engines.lancedb.driver import IvfSq, Table
from backends.engines.lancedb.errors import CommitConflict, translate
from backends.ports.errors import StoreError

WRITES_BETWEEN: Final = 64
"""Each write leaves a file that searches open: with more between merges searches get slower, with fewer merging takes longer."""
WRITES_BETWEEN_REMOTE: Final = 16
"""Lower for an object store: a query makes one request per file there."""
REST: Final = 10.0
"""Merging rewrites a table. A pause of ten times its duration limits it to a tenth of the time."""
KEPT_VERSIONS: Final = timedelta(minutes=10)
"""Older versions are removed. A reader that started earlier would fail."""
RECHECK_S: Final = 60.0
"""So long a process may search exactly after another one has made the index; that is slower, but not wrong."""
MAINTENANCE_S: Final = 600.0
"""For a million vectors the index took 35 s and the merge 13 s when measured; object stores and larger tables need more."""
TRIES: Final = 5
"""A try fails only if another process commits meanwhile; the writes of this one wait."""
SHRUNK: Final = 4
"""The index is dropped below this fraction of the size at which it is created."""


class TableMaintenance:
    """The maintenance of one table. It runs in the background after a number of writes."""

    def __init__(
        self, table: Table, calls: Calls, writers: asyncio.Lock, *, index_from: int, writes_between: int
    ) -> None:
        self._table = table
        self._calls = calls
        self._writers = writers
        self._index_from = index_from
        self._writes_between = writes_between
        self._indexed = False
        self._checked_at = 0.0
        self._writes = 0
        self._rests_until = 0.0
        self._lock = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Count the small files and find out whether the vectors are indexed."""
        files = await self._calls.run(self._table.stats())
        self._writes = files["fragment_stats"]["num_small_fragments"]
        await self.indexed()

    async def indexed(self) -> bool:
        """Return whether the vectors are indexed, checked at most once a minute: another process may index them."""
        if time.monotonic() >= self._checked_at + RECHECK_S or not self._checked_at:
            self._indexed = await self._calls.run(self._vector_index()) is not None
            self._checked_at = time.monotonic()
        return self._indexed

    def count_write(self) -> None:
        """Count a write, and start maintenance in the background when it is due."""
        self._writes += 1
        idle = self._running is None or self._running.done()
        if self._writes >= self._writes_between and idle and time.monotonic() >= self._rests_until:
            self._running = asyncio.create_task(self._run_in_background())

    async def maintain(self, *, insist: bool = True) -> None:
        """Merge small files, drop old versions, extend the indexes, and index the vectors of a large collection.

        Writers continue meanwhile. If their commits keep conflicting and `insist` is true, this process's writers wait.
        """
        async with self._lock:
            began = time.monotonic()
            self._writes = 0
            try:
                await self._calls.run(self._maintain(), timeout_s=MAINTENANCE_S)
            except CommitConflict:
                if not insist:
                    raise
                await self._calls.run(self._maintain_alone(), timeout_s=MAINTENANCE_S)
            finally:
                self._rests_until = time.monotonic() + REST * (time.monotonic() - began)

    async def close(self) -> None:
        """Stop background maintenance."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def _run_in_background(self) -> None:
        # No caller waits for this. A failure is retried after as many writes, and an explicit `maintain` reports it.
        with suppress(StoreError):
            await self.maintain(insist=False)

    async def _maintain_alone(self) -> None:
        async with self._writers:
            for left in reversed(range(TRIES)):
                try:
                    await self._maintain()
                except RuntimeError as error:
                    # The lock does not stop writers of other processes.
                    if not left or not isinstance(translate(error, self._calls.location), CommitConflict):
                        raise
                else:
                    return

    async def _maintain(self) -> None:
        await self._table.checkout_latest()
        live = await self._table.count_rows("NOT dead")
        if live < self._index_from // SHRUNK:
            await self._drop_index()
        await self._table.optimize(cleanup_older_than=KEPT_VERSIONS)
        if live >= self._index_from and await self._vector_index() is None:
            config = IvfSq(distance_type="cosine", num_partitions=math.isqrt(live))
            await self._table.create_index("vector", replace=True, config=config)
        self._checked_at = 0.0

    async def _drop_index(self) -> None:
        # An index without any vectors cannot be extended.
        if (name := await self._vector_index()) is not None:
            await self._table.drop_index(name)

    async def _vector_index(self) -> str | None:
        found = await self._table.list_indices()
        return next((index.name for index in found if "vector" in index.columns), None)
