"""The vectors of collections in memory: arrays that are refreshed from the table by change number before each search.

An array keeps masks: which of its rows match the filters that were repeated.
"""

import sqlite3
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.filters import SqlCondition
from backends.engines.sqlite.vectors.codes import CodedVectors
from backends.engines.sqlite.vectors.collections import StoredCollection
from backends.kit.byte_cache import ByteCache

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Flags = NDArray[numpy.bool_]
    Numbers = NDArray[numpy.int64]

FETCHED_AT_ONCE: Final = 4_096
"""Rows that are read and coded together: six megabytes for vectors of 384 numbers."""
EXTRA_ROWS: Final = 16
"""Rows of an array beyond a share of its records; many collections have few records."""
MAX_BYTES: Final = 256 * 2**20
"""The most bytes of all arrays of a process; beyond it the least recently searched are freed, and read again when needed."""
LARGE_BYTES: Final = 16 * 2**20
"""Larger arrays take long to read, so the bound applies to them only once they are unused."""
UNUSED_S: Final = 600.0
"""An array not searched for so many seconds is unused: a small one is then freed, a large one only beyond `MAX_BYTES`."""
_ROW_BYTES: Final = 250
"""A row's share of the memory of its id and of the numbers by which it is found."""
MAX_MASK_BYTES: Final = 16 * 2**20
"""For the recent filters of an array with their values, and the masks of repeated ones: a byte per row."""
_MASK_BYTES: Final = 1_000
"""A mask's share of the memory of the objects around it."""
_CHANGES = "SELECT rid, seq, dead, id, vector FROM records WHERE collection = ? AND seq > ? ORDER BY seq"
_COUNT_CHANGES = "SELECT count(*) FROM records WHERE collection = ? AND seq > ?"
_Key = tuple[int, int]
ChangeRow = tuple[int, int, int, str, bytes | None]


class Masks:
    """The rows that match a filter, for recent filters that were repeated and match many rows.

    A row never changes, so a mask is valid for its rows until the array is rebuilt, and later rows are added to it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._asked = ByteCache[SqlCondition, "Flags | None"](MAX_MASK_BYTES, _mask_bytes)

    @property
    def bytes(self) -> int:
        """The memory of the filters and of their masks."""
        return self._asked.bytes

    def record_use(self, clause: SqlCondition) -> bool:
        """Record the use of a filter; return whether it was used before."""
        with self._guard:
            again = clause in self._asked
            # Marks the entry as recently used.
            self._asked.put(clause, self._asked.get(clause))
            return again

    def get(self, clause: SqlCondition) -> "Flags | None":
        """Return the mask of a filter for the first rows, None if there is none."""
        return self._asked.get(clause)

    def keep(self, clause: SqlCondition, mask: "Flags") -> None:
        """Store the mask of a filter, if the filter is still cached and has no longer mask."""
        with self._guard:
            if clause in self._asked and ((known := self._asked.get(clause)) is None or len(known) < len(mask)):
                self._asked.put(clause, mask)


def _mask_bytes(clause: SqlCondition, mask: "Flags | None") -> int:
    texts = sum(sys.getsizeof(value) for value in clause.values)
    return sys.getsizeof(clause.sql) + texts + (0 if mask is None else mask.nbytes) + _MASK_BYTES


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Vectors that no longer change: row `i` of `vectors` is record `rids[i]` with id `ids[i]`, if `live[i]`."""

    vectors: CodedVectors
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
        self._vectors: CodedVectors | None = None
        self._live: Flags | None = None
        self._rids: Numbers | None = None
        self._masks = Masks()

    @property
    def bytes(self) -> int:
        """The memory of the vectors, of their codes and ids, and of the masks."""
        if (vectors := self._vectors) is None:
            return 0
        return vectors.bytes + _ROW_BYTES * len(self._ids) + self._masks.bytes

    def snapshot(self, connection: sqlite3.Connection, within: StoredCollection) -> Snapshot:
        """Return the vectors of the table, which is read in the caller's transaction."""
        with self._guard:
            if self._vectors is None or self._seq < within.seq:
                self._refresh(connection, within)
            return self._view()

    def _view(self) -> Snapshot:
        if self._vectors is None or self._live is None or self._rids is None:
            raise AssertionError("a view follows a refresh")
        used = self._used
        rows = self._vectors.first(used), self._live[:used], self._rids[:used]
        return Snapshot(*rows, self._ids, self._seq, self._masks)

    def _refresh(self, connection: sqlite3.Connection, within: StoredCollection) -> None:
        import numpy as np

        added: int = connection.execute(_COUNT_CHANGES, (within.key, self._seq)).fetchone()[0]
        self._make_room(added, within.dim)
        vectors, live, rids = self._vectors, self._live, self._rids
        if vectors is None or live is None or rids is None:
            raise AssertionError("there is room after making it")
        # Flags are copied: a search under way keeps the state that it began with.
        live = self._live = live.copy()
        changes = connection.execute(_CHANGES, (within.key, self._seq))
        rows: list[ChangeRow]
        while rows := changes.fetchmany(FETCHED_AT_ONCE):
            start = self._used
            for rid, _, dead, identifier, vector in rows:
                if (old := self._row_of.pop(rid, None)) is not None:
                    live[old] = False
                if dead or vector is None:
                    continue
                row = self._used
                vectors.matrix[row] = np.frombuffer(vector, dtype=np.float32)
                rids[row], live[row], self._row_of[rid] = rid, True, row
                self._ids.append(identifier)
                self._used = row + 1
            vectors.encode(start, self._used)
        self._seq = within.seq

    def _make_room(self, added: int, dim: int) -> None:
        import numpy as np

        if self._vectors is None or self._live is None or self._rids is None:
            capacity = added + added // 8 + EXTRA_ROWS
            self._vectors = CodedVectors.of(np.empty((capacity, dim), dtype=np.float32))
            self._live = np.zeros(capacity, dtype=np.bool_)
            self._rids = np.zeros(capacity, dtype=np.int64)
        elif self._used + added > len(self._live):
            # Dead rows are not copied into larger arrays.
            kept = np.flatnonzero(self._live[: self._used])
            capacity = len(kept) + added + (len(kept) + added) // 4 + EXTRA_ROWS
            live, rids = np.zeros(capacity, dtype=np.bool_), np.zeros(capacity, dtype=np.int64)
            live[: len(kept)], rids[: len(kept)] = True, self._rids[kept]
            self._ids = [self._ids[row] for row in kept.tolist()]
            self._masks = Masks()
            self._vectors = self._vectors.moved(kept, capacity)
            self._live, self._rids, self._used = live, rids, len(kept)
            self._row_of = {int(rid): row for row, rid in enumerate(rids[: len(kept)].tolist())}


class VectorArrays:
    """The arrays of a process by the file's incarnation and the collection, the least recently searched first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._arrays: OrderedDict[_Key, VectorArray] = OrderedDict()
        self._sizes: dict[_Key, int] = {}
        self._used_at: dict[_Key, float] = {}
        self._users: Counter[_Key] = Counter()
        self._newest = 0
        self.bytes = 0
        """The memory of all arrays after their last searches."""
        self._small_bytes = 0

    @contextmanager
    def using(self, incarnation: int, key: int) -> Generator[VectorArray]:
        """Use the array of a collection, empty at first, inside the block; those of an older file are freed."""
        known = incarnation, key
        with self._guard:
            if incarnation > self._newest:
                self._newest = incarnation
                for stale in [other for other in self._arrays if other[0] < incarnation]:
                    self._forget(stale)
            array = self._arrays.setdefault(known, VectorArray())
            self._users[known] += 1
        try:
            yield array
        finally:
            with self._guard:
                self._users[known] -= 1
                if not self._users[known]:
                    del self._users[known]
                # It may have been freed meanwhile, because its collection was dropped.
                if self._arrays.get(known) is array:
                    self._arrays.move_to_end(known)
                    self._used_at[known] = self._clock()
                    self._note_size(known, array.bytes)
                self._free_unused()

    def free(self, key: int) -> None:
        """Free the array of a collection."""
        with self._guard:
            for known in [known for known in self._arrays if known[1] == key]:
                self._forget(known)

    def free_unused(self) -> None:
        """Free the arrays that were not searched for long."""
        with self._guard:
            self._free_unused()

    def _free_unused(self) -> None:
        now = self._clock()
        for known in [*self._arrays] if self._is_due(now) else ():
            if known in self._users:
                continue
            is_unused = now - self._used_at[known] >= UNUSED_S
            if self._sizes[known] <= LARGE_BYTES:
                is_free = is_unused or self._small_bytes > MAX_BYTES
            else:
                is_free = is_unused and self.bytes > MAX_BYTES
            if is_free:
                self._forget(known)

    def _is_due(self, now: float) -> bool:
        """Return whether arrays take too much, or the least recently searched one is unused for long."""
        oldest = next(iter(self._arrays), None)
        return self.bytes > MAX_BYTES or (oldest is not None and now - self._used_at.get(oldest, now) >= UNUSED_S)

    def _forget(self, known: _Key) -> None:
        # A search under way keeps the array that it began with.
        self._note_size(known, 0)
        del self._arrays[known], self._sizes[known]
        self._used_at.pop(known, None)

    def _note_size(self, known: _Key, size: int) -> None:
        former, self._sizes[known] = self._sizes.get(known, 0), size
        self.bytes += size - former
        self._small_bytes += sum(sign * each for sign, each in ((1, size), (-1, former)) if each <= LARGE_BYTES)
