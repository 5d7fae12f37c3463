"""Writes of one process to one table: they take turns, and what waits when a turn comes is written in one commit."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from backends.lancedb.driver import ARROW, Rows, Table
from backends.lancedb.layout import Layout

MOST_TOGETHER: Final = 2_000


@dataclass(slots=True, eq=False)
class Change:
    """Rows to write: over one with the same id where `replaces` holds of `target` and `source`, new ones if `adds`."""

    rows: Rows
    ids: frozenset[str]
    layout: Layout
    replaces: str
    adds: bool
    written: bool = False

    def goes_with(self, other: "Change") -> bool:
        """Say whether both mean the same in one commit as one after the other; nothing goes with itself."""
        alike = (self.replaces, self.adds, self.layout) == (other.replaces, other.adds, other.layout)
        return alike and self.ids.isdisjoint(other.ids)


class Writer:
    """The writer of a table; the engine would make two at once race and try again."""

    def __init__(self, table: Table, turn: asyncio.Lock, noting: Callable[[], None]) -> None:
        self._table = table
        self._turn = turn
        self._noting = noting
        self._waiting: list[Change] = []

    async def write(self, change: Change) -> None:
        """Write, perhaps in the commit of somebody who waited less; whoever gives up leaves the others to write theirs."""
        self._waiting.append(change)
        try:
            async with self._turn:
                if not change.written:
                    await self._commit(self._together(change))
        finally:
            self._waiting.remove(change)

    def _together(self, change: Change) -> Sequence[Change]:
        chosen = [change]
        count = change.rows.num_rows
        for other in self._waiting:
            fits = count + other.rows.num_rows <= MOST_TOGETHER
            if fits and not other.written and all(other.goes_with(one) for one in chosen):
                chosen.append(other)
                count += other.rows.num_rows
        return chosen

    async def _commit(self, changes: Sequence[Change]) -> None:
        merging = self._table.merge_insert("id").when_matched_update_all(where=changes[0].replaces)
        if changes[0].adds:
            merging = merging.when_not_matched_insert_all()
        rows = ARROW.concat_tables([change.rows for change in changes])
        await merging.execute(rows, on_bad_vectors="null")
        for change in changes:
            change.written = True
        self._noting()
