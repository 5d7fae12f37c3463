"""Turns: those of this process who lost a race for the same stream try again one after the other."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio


class Turns:
    """A lock per key, kept only while somebody has or wants it."""

    def __init__(self) -> None:
        self._locks: dict[str, anyio.Lock] = {}
        self._wanted: Counter[str] = Counter()

    def is_wanted(self, key: str) -> bool:
        """Say whether somebody has the turn for `key` or waits for it."""
        return key in self._wanted

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncGenerator[None]:
        """Wait until nobody else has the turn for `key`, and have it inside the block; first come, first served."""
        lock = self._locks.setdefault(key, anyio.Lock())
        self._wanted[key] += 1
        try:
            async with lock:
                yield
        finally:
            self._wanted[key] -= 1
            if not self._wanted[key]:
                del self._wanted[key], self._locks[key]
