"""A cache keeps what was used last, and never more than its bytes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from backends.kit.byte_cache import ByteCache


def size_of(key: str, value: str) -> int:
    return len(key) + len(value)


def test_the_entries_unused_for_longest_make_room() -> None:
    cache = ByteCache[str, str](6, size_of)
    for key in "abc":
        cache.put(key, "1")
    assert cache.get("a") == "1"
    cache.put("d", "1")
    assert ("a" in cache, "b" in cache, cache.get("b")) == (True, False, None)
    assert (len(cache), cache.bytes) == (3, 6)
    cache.put("a", "333")
    assert (cache.get("a"), len(cache), cache.bytes) == ("333", 2, 6)


def test_an_entry_that_alone_is_too_large_is_not_kept_and_drops_no_other() -> None:
    cache = ByteCache[str, str](6, size_of)
    cache.put("a", "1")
    cache.put("b", "x" * 6)
    assert (cache.get("b"), cache.get("a")) == (None, "1")
    cache.put("a", "x" * 6)
    assert ("a" in cache, cache.bytes) == (False, 0), "a former value is not the present one"


def test_a_cleared_cache_is_empty() -> None:
    cache = ByteCache[str, str](6, size_of)
    cache.put("a", "1")
    cache.clear()
    assert (len(cache), cache.bytes, cache.get("a")) == (0, 0, None)


@pytest.mark.parametrize("max_bytes", [0, 40, 4_000])
def test_threads_never_take_it_over_its_bound(max_bytes: int) -> None:
    cache = ByteCache[str, str](max_bytes, size_of)

    def use(start: int) -> None:
        for number in range(start, start + 500):
            cache.put(f"{number % 97}", "x" * (number % 13))
            cache.get(f"{number % 31}")
            assert cache.bytes <= max_bytes

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(0, 400, 100)))
    entries = [cache.get(f"{number}") for number in range(97)]
    held = sum(size_of(f"{number}", value) for number, value in enumerate(entries) if value is not None)
    assert held == cache.bytes
