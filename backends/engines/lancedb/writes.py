"""Writes of one process to one table, one at a time. Writes that wait together are committed together."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from backends.engines.lancedb.driver import ARROW, Rows, Table
from backends.engines.lancedb.layout import Layout

MAX_COMMITTED_ROWS: Final = 2_000
"""As many as one write may have (`vectors.AT_ONCE`): more would keep every caller of the commit waiting."""


@dataclass(slots=True, eq=False)
class PendingWrite:
    """Rows to write. A stored row with the same id is replaced if its revision is lower."""

    rows: Rows
    ids: frozenset[str]
    layout: Layout
    written: bool = False

    def can_join(self, other: "PendingWrite") -> bool:
        """Return whether one commit of both has the same effect as two; never true for a write and itself."""
        return self.layout == other.layout and self.ids.isdisjoint(other.ids)


class Writer:
    """The only writer of a table in this process. Concurrent commits would conflict and be retried by the engine."""

    def __init__(
        self, table: Table, lock: asyncio.Lock, *, check: Callable[[], None], on_commit: Callable[[], None]
    ) -> None:
        """Prepare to write. `check` is called before each commit, which may have waited, and raises if it must not be made."""
        self._table = table
        self._lock = lock
        self._check = check
        self._on_commit = on_commit
        self._waiting: list[PendingWrite] = []

    async def write(self, pending: PendingWrite) -> None:
        """Write rows, perhaps in another caller's commit. A cancelled caller does not stop the writes of others."""
        self._waiting.append(pending)
        try:
            async with self._lock:
                if not pending.written:
                    await self._commit(self._joined_writes(pending))
        finally:
            self._waiting.remove(pending)

    def _joined_writes(self, pending: PendingWrite) -> Sequence[PendingWrite]:
        chosen = [pending]
        count = pending.rows.num_rows
        for other in self._waiting:
            fits = count + other.rows.num_rows <= MAX_COMMITTED_ROWS
            if fits and not other.written and all(other.can_join(one) for one in chosen):
                chosen.append(other)
                count += other.rows.num_rows
        return chosen

    async def _commit(self, writes: Sequence[PendingWrite]) -> None:
        self._check()
        merging = self._table.merge_insert("id").when_matched_update_all(where="target.rev < source.rev")
        rows = ARROW.concat_tables([write.rows for write in writes])
        await merging.when_not_matched_insert_all().execute(rows, on_bad_vectors="null")
        for write in writes:
            write.written = True
        self._on_commit()
