"""Declarations as this process last saw them: looked up when first needed, and again when a call does not fit them."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
DeclaredT = TypeVar("DeclaredT")


class DeclarationCache(Generic[KeyT, DeclaredT]):
    """What kinds or collections are known to be, by key. Other processes may have changed the store since."""

    def __init__(self, look_up: Callable[[KeyT], Awaitable[DeclaredT]]) -> None:
        """Hold nothing yet. `look_up` reads a declaration from the store and raises for one that is not there."""
        self._look_up = look_up
        self._known: dict[KeyT, DeclaredT] = {}

    def known(self, key: KeyT) -> DeclaredT | None:
        """Return what is held for a key, None for nothing."""
        return self._known.get(key)

    async def get(self, key: KeyT) -> DeclaredT:
        """Return what is held for a key, otherwise what the store has. Raises what looking up raises."""
        held = self._known.get(key)
        return await self.refresh(key) if held is None else held

    async def refresh(self, key: KeyT) -> DeclaredT:
        """Return and hold what the store has. Raises what looking up raises; then nothing is held for the key."""
        self._known.pop(key, None)
        self._known[key] = found = await self._look_up(key)
        return found

    def hold(self, key: KeyT, declared: DeclaredT) -> None:
        """Hold a declaration that was just stored."""
        self._known[key] = declared

    def forget(self, key: KeyT) -> None:
        """Hold nothing for a key."""
        self._known.pop(key, None)

    def clear(self) -> None:
        """Hold nothing."""
        self._known.clear()
