"""Cached row masks for repeated filters with low selectivity."""

import sqlite3
import sys
import threading
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import Clause
from backends.engines.sqlite.statements import json_list, statement
from backends.engines.sqlite.vectors.table import StoredCollection
from backends.kit.byte_cache import ByteCache

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.engines.sqlite.vectors.arrays import Snapshot

    Flags = NDArray[numpy.bool_]

MAX_BYTES: Final = 16 * 2**20
"""For recent filters with their values, and the masks of repeated ones: a byte per row."""
_ENTRY_BYTES: Final = 1_000
"""An entry's share of the memory of the objects around it."""
ALL: Final = "SELECT r.rid FROM records r WHERE r.collection = ? AND r.dead = 0 AND {where}"
AMONG: Final = "SELECT r.rid FROM json_each(?) w CROSS JOIN records r ON r.rid = w.value WHERE r.dead = 0 AND {where}"


class Masks:
    """The rows that match a filter, for recent filters that were repeated and match many rows.

    A row never changes, so a mask is valid for its rows until the array is rebuilt, and later rows are added to it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._asked = ByteCache[Clause, "Flags | None"](MAX_BYTES, _entry_bytes)

    @property
    def bytes(self) -> int:
        """The memory of the filters and of their masks."""
        return self._asked.bytes

    def is_asked_again(self, clause: Clause) -> bool:
        """Record the use of a filter; return whether it was used before."""
        with self._guard:
            again = clause in self._asked
            # Marks the entry as recently used.
            self._asked.put(clause, self._asked.get(clause))
            return again

    def get(self, clause: Clause) -> "Flags | None":
        """Return the mask of a filter for the first rows, None if there is none."""
        return self._asked.get(clause)

    def keep(self, clause: Clause, mask: "Flags") -> None:
        """Store the mask of a filter, if the filter is still cached and has no longer mask."""
        with self._guard:
            if clause in self._asked and ((known := self._asked.get(clause)) is None or len(known) < len(mask)):
                self._asked.put(clause, mask)


def _entry_bytes(clause: Clause, mask: "Flags | None") -> int:
    texts = sum(sys.getsizeof(value) for value in clause.values)
    return sys.getsizeof(clause.sql) + texts + (0 if mask is None else mask.nbytes) + _ENTRY_BYTES


def remembered_matches(
    connection: sqlite3.Connection, within: StoredCollection, snapshot: "Snapshot", clause: Clause
) -> "Flags | None":
    """Return which rows match a filter, if most of them are in its mask; None if the filter must be evaluated."""
    import numpy as np

    known = snapshot.masks.get(clause)
    # Another search may have read, and stored, later changes than this one sees.
    if known is None or snapshot.seq != within.seq or not len(known) <= len(snapshot.live) <= 2 * len(known):
        return None
    if len(known) < len(snapshot.live):
        known = np.concatenate([known, matching(connection, within, snapshot, len(known), clause)])
        snapshot.masks.keep(clause, known)
    return known


def matching(
    connection: sqlite3.Connection, within: StoredCollection, snapshot: "Snapshot", start: int, clause: Clause
) -> "Flags":
    """Return which live rows from `start` on match a filter."""
    import numpy as np

    rids = snapshot.rids[start:]
    if start:
        values = (json_list(rids[snapshot.live[start:]].tolist()), *clause.values)
        found = connection.execute(statement(AMONG, where=clause.sql), values)
    else:
        found = connection.execute(statement(ALL, where=clause.sql), (within.key, *clause.values))
    return np.isin(rids, np.fromiter((row[0] for row in found), dtype=np.int64))
