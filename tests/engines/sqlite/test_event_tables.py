"""Events in tables: their versions and positions, and the counters of prefixes, which follow appends and purges."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.schema import EVENTS, migrate
from backends.kit.event_rows import DamagedRow, rows_of_batch
from backends.ports.errors import Conflict
from backends.ports.events import Appended, BatchId, Expected, Write
from tests.engines.sqlite.samples import write

PREFIXES = ("", "a/", "a/x/", "a/x/1/", "a/y/", "b/", "c/")


@pytest.fixture
def connection() -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        migrate(opened, EVENTS)
        yield opened


def append(connection: sqlite3.Connection, batch: str, *writes: Write) -> Appended:
    return event_tables.append(connection, rows_of_batch(writes, BatchId(batch)))


def counted(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the number of events and the last position under each of `PREFIXES`."""
    return {each: (event_tables.count(connection, each), event_tables.head(connection, each)) for each in PREFIXES}


def read(connection: sqlite3.Connection, prefix: str) -> list[tuple[str, int, int]]:
    query, values = event_tables.read_statement(prefix)
    found = event_tables.events(connection, query, {**values, "after": 0, "limit": 100})
    return [(event.stream, event.version, event.position) for event in found]


def test_events_of_a_batch_have_consecutive_positions(connection: sqlite3.Connection) -> None:
    first = append(connection, "1", write("a/x/1/one", events=2), write("b/two"))
    assert (first.versions, first.position) == ({"a/x/1/one": 2, "b/two": 1}, 3)
    assert append(connection, "2", write("a/x/1/one"), write("a/y/1")).versions == {"a/x/1/one": 3, "a/y/1": 1}
    assert read(connection, "") == [
        ("a/x/1/one", 1, 1),
        ("a/x/1/one", 2, 2),
        ("b/two", 1, 3),
        ("a/x/1/one", 3, 4),
        ("a/y/1", 1, 5),
    ]


def test_prefixes_of_any_length_are_counted_and_read(connection: sqlite3.Connection) -> None:
    append(connection, "1", write("a/x/1/one", events=2), write("b/two"))
    append(connection, "2", write("a/x/2", events=1), write("a/y/1"))
    assert counted(connection) == {
        "": (5, 5),
        "a/": (4, 5),
        "a/x/": (3, 4),
        "a/x/1/": (2, 2),
        "a/y/": (1, 5),
        "b/": (1, 3),
        "c/": (0, 0),
    }
    for prefix in PREFIXES:
        assert len(read(connection, prefix)) == counted(connection)[prefix][0]


def test_a_batch_that_is_known_has_its_first_result_and_writes_nothing(connection: sqlite3.Connection) -> None:
    first = append(connection, "1", write("a/x/1", events=2), write("b/two"))
    append(connection, "2", write("a/x/1"))
    assert append(connection, "1", write("a/x/1", events=2), write("b/two")) == first
    assert event_tables.count(connection, "") == 4


def test_a_conflict_in_the_last_write_precedes_every_insertion(connection: sqlite3.Connection) -> None:
    append(connection, "1", write("a/x/1"))
    with pytest.raises(Conflict) as problem:
        append(connection, "2", write("a/x/2"), write("a/x/1", expected=Expected.NEW))
    assert problem.value.key == "a/x/1"
    assert counted(connection)[""] == (1, 1)


def test_a_purge_takes_some_streams_at_a_time_and_corrects_the_counters(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_tables, "PURGED_AT_ONCE", 2)
    append(connection, "1", *(write(f"a/x/{number}") for number in range(5)), write("a/y/1"), write("b/two"))
    assert event_tables.purge(connection, "a/x/")
    assert event_tables.count(connection, "a/x/") == 3
    assert event_tables.purge(connection, "a/x/")
    assert not event_tables.purge(connection, "a/x/")
    assert counted(connection) == dict.fromkeys(PREFIXES, (0, 0)) | {
        "": (2, 7),
        "a/": (1, 6),
        "a/y/": (1, 6),
        "b/": (1, 7),
    }


def test_positions_are_never_used_again(connection: sqlite3.Connection) -> None:
    append(connection, "1", write("a/x/1", events=3))
    event_tables.purge(connection, "a/")
    assert append(connection, "2", write("a/x/1")).position == 4


@pytest.mark.parametrize("damage", [b"\x80", b"{"])
def test_a_damaged_event_is_named(connection: sqlite3.Connection, damage: bytes) -> None:
    append(connection, "1", write("a/x/1", events=3))
    connection.execute("UPDATE events SET data = CAST(? AS TEXT) WHERE position = 2", (damage,))
    with pytest.raises(DamagedRow, match="the event at position 2, version 2 of a/x/1,"):
        read(connection, "a/")
    assert read(connection, "b/") == []
    connection.execute("UPDATE events SET data = '{}' WHERE position = 2")
    assert len(read(connection, "a/")) == 3
