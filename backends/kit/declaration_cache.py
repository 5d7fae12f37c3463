"""Declarations as this process last read them: read when first needed, and again when a call does not fit them."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
DeclaredT = TypeVar("DeclaredT")


class DeclarationCache(Generic[KeyT, DeclaredT]):
    """The cached declarations of kinds or collections, by key. Other processes may have changed the store since."""

    def __init__(self, look_up: Callable[[KeyT], Awaitable[DeclaredT]]) -> None:
        """Create an empty cache. `look_up` reads a declaration from the store and raises if there is none."""
        self._look_up = look_up
        self._known: dict[KeyT, DeclaredT] = {}

    def known(self, key: KeyT) -> DeclaredT | None:
        """Return the cached declaration, None if there is none."""
        return self._known.get(key)

    async def get(self, key: KeyT) -> DeclaredT:
        """Return the cached declaration, otherwise the stored one. Raises what `look_up` raises."""
        held = self._known.get(key)
        return await self.refresh(key) if held is None else held

    async def refresh(self, key: KeyT) -> DeclaredT:
        """Read the declaration from the store, cache and return it. If `look_up` raises, nothing is cached for the key."""
        self._known.pop(key, None)
        self._known[key] = found = await self._look_up(key)
        return found

    def hold(self, key: KeyT, declared: DeclaredT) -> None:
        """Cache a declaration that was just stored."""
        self._known[key] = declared

    def forget(self, key: KeyT) -> None:
        """Remove a key from the cache."""
        self._known.pop(key, None)

    def clear(self) -> None:
        """Clear the cache."""
        self._known.clear()
