"""A hint at the intended name."""

import pytest

from config.suggestion import MAX_LENGTH, closest, did_you_mean


@pytest.mark.parametrize(
    ("name", "meant"),
    [("embeded", "embedded"), ("embedded", "embedded"), ("sqlte", "sqlite"), ("zzz", None), ("", None)],
)
def test_the_most_similar_name_is_meant(name: str, meant: str | None) -> None:
    known = ["sqlite", "embedded", "embedding"]
    assert closest(name, known) == meant
    assert did_you_mean(name, known) == ("" if meant is None else f"; did you mean {meant}?")


def test_a_long_name_gets_no_hint() -> None:
    known = ["a" * MAX_LENGTH]
    assert closest("a" * MAX_LENGTH, known) == known[0]
    assert closest("a" * (MAX_LENGTH + 1), known) is None
    assert closest("a", []) is None
