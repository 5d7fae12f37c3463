"""A least-recently-used cache. Entries vary in size, so the limit is in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class ByteCache(Generic[KeyT, ValueT]):
    """Keeps the most recently used entries, at most `max_bytes` in total. Thread-safe."""

    def __init__(self, max_bytes: int, size_of: Callable[[KeyT, ValueT], int]) -> None:
        """Create an empty cache. `size_of` returns the bytes of an entry, key included; it must not vary for an entry."""
        self._max_bytes = max_bytes
        self._size_of = size_of
        self._guard = threading.Lock()
        self._entries: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """The bytes of all entries."""
        return self._bytes

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value of a key and mark it as used; None if there is none."""
        with self._guard:
            if (found := self._entries.get(key)) is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: KeyT, value: ValueT) -> None:
        """Store a value and drop the least recently used ones; a value that is too large alone is not stored."""
        size = self._size_of(key, value)
        with self._guard:
            self._drop(key)
            if size > self._max_bytes:
                return
            self._entries[key] = value, size
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._entries)))

    def discard(self, key: KeyT) -> None:
        """Remove an entry if there is one."""
        with self._guard:
            self._drop(key)

    def clear(self) -> None:
        """Remove all entries."""
        with self._guard:
            self._entries.clear()
            self._bytes = 0

    def __contains__(self, key: KeyT) -> bool:
        """Return whether there is an entry, without marking it as used."""
        return key in self._entries

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def _drop(self, key: KeyT) -> None:
        if (former := self._entries.pop(key, None)) is not None:
            self._bytes -= former[1]
