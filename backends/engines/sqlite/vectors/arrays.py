"""The vectors of collections in memory: arrays that are refreshed from the table by change number before each search."""

import sqlite3
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.engines.sqlite.vectors.codes import CodedVectors
from backends.engines.sqlite.vectors.masks import Masks
from backends.engines.sqlite.vectors.table import StoredCollection

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Flags = NDArray[numpy.bool_]
    Numbers = NDArray[numpy.int64]

FETCHED_AT_ONCE: Final = 4_096
_CHANGES = "SELECT rid, seq, dead, id, vector FROM records WHERE collection = ? AND seq > ? ORDER BY seq"
_COUNT_CHANGES = "SELECT count(*) FROM records WHERE collection = ? AND seq > ?"
ChangeRow = tuple[int, int, int, str, bytes | None]


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
            capacity = added + added // 8 + 256
            self._vectors = CodedVectors.of(np.empty((capacity, dim), dtype=np.float32))
            self._live = np.zeros(capacity, dtype=np.bool_)
            self._rids = np.zeros(capacity, dtype=np.int64)
        elif self._used + added > len(self._live):
            # Dead rows are not copied into larger arrays.
            kept = np.flatnonzero(self._live[: self._used])
            capacity = len(kept) + added + (len(kept) + added) // 4 + 256
            live, rids = np.zeros(capacity, dtype=np.bool_), np.zeros(capacity, dtype=np.int64)
            live[: len(kept)], rids[: len(kept)] = True, self._rids[kept]
            self._ids = [self._ids[row] for row in kept.tolist()]
            self._masks = Masks()
            self._vectors = self._vectors.moved(kept, capacity)
            self._live, self._rids, self._used = live, rids, len(kept)
            self._row_of = {int(rid): row for row, rid in enumerate(rids[: len(kept)].tolist())}


class VectorArrays:
    """The arrays of a process by the file's incarnation and the collection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._arrays: dict[tuple[int, int], VectorArray] = {}

    def of(self, incarnation: int, key: int) -> VectorArray:
        """Return the array of a collection, empty at first; those of an older file are freed."""
        with self._guard:
            for stale in [known for known in self._arrays if known[0] < incarnation]:
                del self._arrays[stale]
            return self._arrays.setdefault((incarnation, key), VectorArray())

    def free(self, key: int) -> None:
        """Free the array of a collection."""
        with self._guard:
            for known in [known for known in self._arrays if known[1] == key]:
                del self._arrays[known]
