"""Adding observations takes work in proportion to them, however many an entity has."""

import pytest

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.memory.database import CREATED as DATABASE_CREATED
from toolsets.memory.database import Database
from toolsets.memory.entity import CREATED, TooManyObservations, create, observe
from toolsets.memory.streams import Keyspace, database_stream
from toolsets.sourcing.aggregate import Histories

DATABASE = Database("home", Keyspace("k1"))
STREAM = DATABASE.keyspace.entity("E")


class Compared(str):
    """A text that counts how often it is compared with another."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def begun(*observations: str) -> Histories:
    """Return an entity with observations in a live database."""
    data: JsonObject = {"name": "E", "type": "thing", "observations": list(observations)}
    return Histories(
        {
            database_stream("home"): (
                _event(database_stream("home"), DATABASE_CREATED, {"name": "home", "key": "k1"}),
            ),
            STREAM: (_event(STREAM, CREATED, data),) if observations else (),
        }
    )


def _event(stream: StreamName, kind: str, data: JsonObject) -> RecordedEvent:
    return RecordedEvent(EventId("e"), stream, 1, 1, kind, data, Micros(0), 1, {})


def test_many_observations_are_not_each_compared_with_all() -> None:
    many = 10_000
    histories = begun(*(f"old {number}" for number in range(many)))
    new = [Compared(f"new {number}") for number in range(many)]
    Compared.times = 0
    decided = observe(histories, DATABASE, "E", [*new, *new])
    assert (len(decided.value.added), decided.value.total) == (many, 2 * many)
    assert Compared.times < many * 20


def test_what_is_there_already_is_not_added_again() -> None:
    decided = observe(begun("a", "b"), DATABASE, "E", ["b", "c", "c"])
    assert (decided.value.added, decided.value.total) == (("c",), 3)
    assert observe(begun("a", "b"), DATABASE, "E", ["b"]).changes == ()


def test_more_than_fits_is_refused_whole() -> None:
    with pytest.raises(TooManyObservations):
        observe(begun("x" * 200_000), DATABASE, "E", ["y" * 100_000])
    with pytest.raises(TooManyObservations):
        create(begun(), DATABASE, "E", "thing", ["x" * 200_000, "y" * 100_000])
