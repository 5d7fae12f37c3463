"""What an append writes, and what it adds to the counters of prefixes."""

import math

import pytest

from backends.kit.event_rows import conflict, counted_prefixes, name_range, prefix_growth, rows_of_batch, segments
from backends.ports.errors import InvalidInput
from backends.ports.events import BatchId, EventId, Expectation, Expected, NewEvent, StreamName, Write
from backends.ports.values import Json, Micros


def write(stream: str, count: int, value: Json = None) -> Write:
    return Write(
        StreamName(stream), tuple(NewEvent(EventId(f"e{n}"), "t.noted", {"v": value}, Micros(n)) for n in range(count))
    )


def test_events_become_values_in_their_order() -> None:
    batch = rows_of_batch([write("t/a/1", 2), write("t/b/1", 0)], BatchId("b"))
    assert (batch.id, batch.size) == ("b", 2)
    assert batch.writes[0].rows[1] == ("e1", "t.noted", 1, 1, '{"v":null}', "{}")
    assert batch.writes[1].rows == ()


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"deep": [-math.inf]}, "\ud800"])
def test_data_that_json_cannot_hold_are_refused(value: Json) -> None:
    with pytest.raises(InvalidInput, match="not storable as JSON"):
        rows_of_batch([write("t/a/1", 1, value)], BatchId("b"))


@pytest.mark.parametrize(
    ("expected", "version", "fits"),
    [
        (Expected.ANY, 0, True),
        (Expected.NEW, 0, True),
        (Expected.NEW, 1, False),
        (Expected.EXISTS, 0, False),
        (Expected.EXISTS, 1, True),
        (3, 3, True),
        (3, 4, False),
    ],
)
def test_a_conflict_names_the_stream_and_both_versions(expected: Expectation, version: int, *, fits: bool) -> None:
    problem = conflict(StreamName("t/a/1"), expected, version)
    assert (problem is None) == fits
    assert problem is None or (problem.key == "t/a/1" and f"at version {version}" in str(problem))


def test_counters_grow_for_the_log_and_for_one_and_two_segments() -> None:
    batch = rows_of_batch([write("t/a/1", 2), write("t/b/1/x", 1), write("u/1", 1), write("t/c/1", 0)], BatchId("b"))
    assert prefix_growth(batch.writes) == {"": (4, 4), "t/": (3, 3), "t/a/": (2, 2), "t/b/": (1, 3), "u/": (1, 4)}
    assert counted_prefixes("u/1") == ("u/", None)


def test_a_prefix_is_a_range_of_names() -> None:
    low, high = name_range("t/a/")
    assert low <= "t/a/1" < high
    assert not low <= "t/a0" < high
    assert [segments(prefix) for prefix in ("", "t/", "t/a/", "t/a/b/")] == [0, 1, 2, 3]
