"""Cached counts of the records that have a word, which decide what words a search ranks by."""

import sqlite3
import sys
from typing import Final

from backends.engines.sqlite.statements import statement
from backends.engines.sqlite.vectors.table import StoredCollection
from backends.kit.byte_cache import ByteCache

MAX_BYTES: Final = 2 * 2**20
"""For the counts of recently searched words, about 4,000."""
_ENTRY_BYTES: Final = 450
"""An entry's share of the memory of the objects around it."""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words_{key} WHERE words_{key} MATCH ? LIMIT ?)"

Key = tuple[int, int, str]
"""The file's incarnation, the collection and the query for a word."""


class WordCounts:
    """The counts of a process. A count is used until the collection changes, and a common word takes longest to count."""

    def __init__(self) -> None:
        self._counted = ByteCache[Key, tuple[int, int, int]](
            MAX_BYTES, lambda key, _: sys.getsizeof(key[2]) + _ENTRY_BYTES
        )

    @property
    def bytes(self) -> int:
        """The memory of the counts."""
        return self._counted.bytes

    def count(
        self, connection: sqlite3.Connection, incarnation: int, within: StoredCollection, word: str, most: int
    ) -> int:
        """Return how many records match the query for a word, at most `most`, in the caller's transaction."""
        key = (incarnation, within.key, word)
        known = self._counted.get(key)
        if known is not None and known[:2] == (within.seq, most):
            return known[2]
        found = connection.execute(statement(_COUNT, key=str(within.key)), (word, most)).fetchone()
        held = int(found[0])
        self._counted.put(key, (within.seq, most, held))
        return held
