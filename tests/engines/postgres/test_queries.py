"""A prefix of one or two segments is read by a counter and an index, a longer one by the names of its streams."""

import pytest

from backends.engines.postgres.queries import count, head, page


@pytest.mark.parametrize("prefix", ["", "a/", "a/b/"])
def test_a_short_prefix_has_a_counter(prefix: str) -> None:
    assert count(prefix) == ("SELECT events FROM prefixes WHERE name = %(prefix)s", {"prefix": prefix})
    assert head(prefix) == ("SELECT last FROM prefixes WHERE name = %(prefix)s", {"prefix": prefix})
    assert page(prefix)[1] == {"indexed": prefix}


def test_short_prefixes_are_read_along_different_indexes() -> None:
    texts = [str(page(prefix)[0]) for prefix in ("", "a/", "a/b/")]
    assert [("p1 = " in text, "p2 = " in text) for text in texts] == [(False, False), (True, False), (False, True)]


def test_a_long_prefix_is_a_range_of_names() -> None:
    """Events are still read along the index of its first two segments."""
    bounds = {"low": "a/b/c/", "high": "a/b/c0"}
    assert count("a/b/c/")[1] == head("a/b/c/")[1] == bounds
    assert page("a/b/c/")[1] == {"indexed": "a/b/", **bounds}
    assert page("a/b/c/d/")[1]["indexed"] == "a/b/"
