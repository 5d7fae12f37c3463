"""A declaration is looked up once, and again only when somebody says that it may have changed."""

import pytest

from backends.kit.declaration_cache import DeclarationCache
from backends.ports.errors import NotFound


class Store:
    """Declarations of a store that other processes change."""

    def __init__(self, **declared: int) -> None:
        self.declared = declared
        self.asked: list[str] = []

    async def look_up(self, name: str) -> int:
        self.asked.append(name)
        if name not in self.declared:
            raise NotFound(name)
        return self.declared[name]


async def test_the_store_is_asked_once() -> None:
    store = Store(a=1)
    cache = DeclarationCache(store.look_up)
    assert cache.known("a") is None
    assert [await cache.get("a"), await cache.get("a")] == [1, 1]
    assert cache.known("a") == 1
    assert store.asked == ["a"]


async def test_a_refresh_gives_what_the_store_has_now() -> None:
    store = Store(a=1)
    cache = DeclarationCache(store.look_up)
    await cache.get("a")
    store.declared["a"] = 2
    assert await cache.get("a") == 1
    assert await cache.refresh("a") == 2
    assert await cache.get("a") == 2


async def test_nothing_is_held_of_a_declaration_that_is_gone() -> None:
    store = Store(a=1)
    cache = DeclarationCache(store.look_up)
    await cache.get("a")
    del store.declared["a"]
    with pytest.raises(NotFound):
        await cache.refresh("a")
    assert cache.known("a") is None


async def test_what_was_just_stored_is_not_looked_up() -> None:
    store = Store()
    cache = DeclarationCache(store.look_up)
    cache.hold("a", 3)
    cache.hold("b", 4)
    assert await cache.get("a") == 3
    cache.forget("a")
    assert (cache.known("a"), cache.known("b")) == (None, 4)
    cache.clear()
    assert cache.known("b") is None
    assert store.asked == []
