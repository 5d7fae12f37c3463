"""The vectors of a collection in memory, refreshed from the table by change number before each search."""

import os
import sqlite3
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import Clause
from backends.engines.sqlite.vectors.table import Collection

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

    Floats = NDArray[numpy.float32]
    Flags = NDArray[numpy.bool_]
    Numbers = NDArray[numpy.int64]

SHARED_ROWS: Final = 20_000
"""For fewer rows, handing parts to threads costs more than it saves."""
PARTS: Final = min(4, os.cpu_count() or 1)

# Own threads: those of the linear algebra library wait by spinning, which takes the cores from everything else.
_helpers = ThreadPoolExecutor(max(1, PARTS - 1), "dense")

FETCHED_AT_ONCE: Final = 4_096
MAX_MASKS: Final = 16
"""Filters whose matches are remembered, a byte for each row."""
_CHANGES = "SELECT rid, seq, dead, id, vector FROM records WHERE collection = ? AND seq > ? ORDER BY seq"
_COUNT = "SELECT count(*) FROM records WHERE collection = ? AND seq > ?"
ChangeRow = tuple[int, int, int, str, bytes | None]


def products(matrix: "Floats", vector: "Vector") -> "Vector":
    """Return the product of each row with the vector; a large array, bound by memory, is shared among the cores."""
    import numpy as np

    if len(matrix) < SHARED_ROWS or PARTS == 1:
        return matrix @ vector
    first, *others = np.array_split(matrix, PARTS)
    shares = [_helpers.submit(np.matmul, other, vector) for other in others]
    return np.concatenate([first @ vector, *(share.result() for share in shares)])


class Masks:
    """Which rows match a filter, for the last filters that were asked again and leave much.

    A row never changes, so a mask holds for its rows until they are laid out anew, and later rows are added to it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._asked: OrderedDict[Clause, Flags | None] = OrderedDict()

    def is_asked_again(self, clause: Clause) -> bool:
        """Note that a filter was asked, and say whether it had been before."""
        with self._guard:
            again = clause in self._asked
            self._asked.setdefault(clause, None)
            self._asked.move_to_end(clause)
            while len(self._asked) > MAX_MASKS:
                self._asked.popitem(last=False)
            return again

    def get(self, clause: Clause) -> "Flags | None":
        """Return the mask of a filter for the first rows, None where there is none."""
        with self._guard:
            if (known := self._asked.get(clause)) is not None:
                self._asked.move_to_end(clause)
            return known

    def keep(self, clause: Clause, mask: "Flags") -> None:
        """Keep the mask of a filter, if the filter is not forgotten and no longer mask is there."""
        with self._guard:
            if clause in self._asked and ((known := self._asked[clause]) is None or len(known) < len(mask)):
                self._asked[clause] = mask


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Vectors that no longer change: row `i` of `matrix` is record `rids[i]` with id `ids[i]`, if `live[i]`."""

    matrix: "Floats"
    live: "Flags"
    rids: "Numbers"
    ids: list[str]
    seq: int
    """The number of the last change in it."""
    masks: Masks


class VectorArray:
    """A growing array: a changed record gets a new row, so that searches under way are not disturbed."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._seq = -1
        self._row_of: dict[int, int] = {}
        self._used = 0
        self._ids: list[str] = []
        self._matrix: Floats | None = None
        self._live: Flags | None = None
        self._rids: Numbers | None = None
        self._masks = Masks()

    def snapshot(self, connection: sqlite3.Connection, within: Collection) -> Snapshot:
        """Return the vectors of the table, which is read in the caller's transaction."""
        with self._guard:
            if self._matrix is None or self._seq < within.seq:
                self._refresh(connection, within)
            return self._view()

    def _view(self) -> Snapshot:
        if self._matrix is None or self._live is None or self._rids is None:
            raise AssertionError("a view follows a refresh")
        used = self._used
        rows = self._matrix[:used], self._live[:used], self._rids[:used]
        return Snapshot(*rows, self._ids, self._seq, self._masks)

    def _refresh(self, connection: sqlite3.Connection, within: Collection) -> None:
        import numpy as np

        added: int = connection.execute(_COUNT, (within.key, self._seq)).fetchone()[0]
        self._make_room(added, within.dim)
        matrix, live, rids = self._matrix, self._live, self._rids
        if matrix is None or live is None or rids is None:
            raise AssertionError("there is room after making it")
        # Flags are copied: a search under way keeps the state that it began with.
        live = self._live = live.copy()
        changes = connection.execute(_CHANGES, (within.key, self._seq))
        rows: list[ChangeRow]
        while rows := changes.fetchmany(FETCHED_AT_ONCE):
            for rid, _, dead, identifier, vector in rows:
                if (old := self._row_of.pop(rid, None)) is not None:
                    live[old] = False
                if dead or vector is None:
                    continue
                row = self._used
                matrix[row] = np.frombuffer(vector, dtype=np.float32)
                rids[row], live[row], self._row_of[rid] = rid, True, row
                self._ids.append(identifier)
                self._used = row + 1
        self._seq = within.seq

    def _make_room(self, added: int, dim: int) -> None:
        import numpy as np

        if self._matrix is None or self._live is None or self._rids is None:
            self._matrix = np.empty((added + added // 8 + 256, dim), dtype=np.float32)
            self._live = np.zeros(len(self._matrix), dtype=np.bool_)
            self._rids = np.zeros(len(self._matrix), dtype=np.int64)
        elif self._used + added > len(self._matrix):
            # Dead rows are not copied into larger arrays.
            kept = np.flatnonzero(self._live[: self._used])
            capacity = len(kept) + added + (len(kept) + added) // 4 + 256
            matrix = np.empty((capacity, dim), dtype=np.float32)
            matrix[: len(kept)] = self._matrix[kept]
            live, rids = np.zeros(capacity, dtype=np.bool_), np.zeros(capacity, dtype=np.int64)
            live[: len(kept)], rids[: len(kept)] = True, self._rids[kept]
            self._ids = [self._ids[row] for row in kept.tolist()]
            self._masks = Masks()
            self._matrix, self._live, self._rids, self._used = matrix, live, rids, len(kept)
            self._row_of = {int(rid): row for row, rid in enumerate(rids[: len(kept)].tolist())}
