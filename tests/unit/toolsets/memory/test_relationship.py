"""An edge is created once, its confidence changed, and its type named once."""

import pytest

from backends.ports.events import StreamName
from tests.support.histories import Fact, facts_in, history_of
from toolsets.memory import database, entity
from toolsets.memory.database import Database
from toolsets.memory.relationship import (
    CREATED,
    TYPE_NAMED,
    WEIGHED,
    EdgeKey,
    Relationship,
    UnknownEnds,
    create,
    relationship_of,
    type_of,
)
from toolsets.memory.streams import Keyspace, database_stream
from toolsets.sourcing.aggregate import Histories, History, UnreadableEvent

HOME = Database("home", Keyspace("k1"))
KEYS = HOME.keyspace
EDGE = EdgeKey("Sand", "Glass", "BECOMES")
STREAM = KEYS.relationship(EDGE.source, EDGE.type, EDGE.target)
TYPE = KEYS.type(EDGE.type)
MADE: Fact = (CREATED, {"source": "Sand", "target": "Glass", "type": "BECOMES", "confidence": 0.5})


def stored(*edge: Fact, names: tuple[str, ...] = ("Sand", "Glass"), is_named: bool = False) -> Histories:
    listed = database_stream("home")
    ends = {
        KEYS.entity(name): history_of(KEYS.entity(name), (entity.CREATED, {"name": name, "type": "thing"}))
        for name in names
    }
    absent: dict[StreamName, History] = {KEYS.entity(name): () for name in ("Sand", "Glass")}
    return Histories(
        {
            **absent,
            **ends,
            listed: history_of(listed, (database.CREATED, {"name": "home", "key": "k1"})),
            STREAM: history_of(STREAM, *edge),
            TYPE: history_of(TYPE, *(((TYPE_NAMED, {"type": "BECOMES"}),) if is_named else ())),
        }
    )


def test_an_edge_has_its_last_confidence() -> None:
    assert relationship_of(history_of(STREAM, MADE)) == Relationship(EDGE, 0.5, 1)
    assert relationship_of(history_of(STREAM, MADE, (WEIGHED, {"confidence": 0.9}))) == Relationship(EDGE, 0.9, 2)
    assert relationship_of(()) is None
    assert type_of(history_of(TYPE, (TYPE_NAMED, {"type": "BECOMES"}))) == "BECOMES"
    assert type_of(()) is None


INVALID: list[tuple[Fact, ...]] = [((WEIGHED, {"confidence": 0.9}),), (MADE, MADE), (MADE, ("memory.other", {}))]


@pytest.mark.parametrize("facts", INVALID)
def test_an_event_that_is_not_valid_is_not_passed_over(facts: tuple[Fact, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        relationship_of(history_of(STREAM, *facts))
    with pytest.raises(UnreadableEvent):
        type_of(history_of(TYPE, *facts))


def test_the_first_edge_of_a_type_names_the_type() -> None:
    first = facts_in(create(stored(), HOME, EDGE, 0.5).changes)
    assert first == [MADE, (TYPE_NAMED, {"type": "BECOMES"})]
    assert facts_in(create(stored(is_named=True), HOME, EDGE, 0.5).changes) == [MADE]


def test_an_edge_that_exists_gets_another_confidence_or_nothing() -> None:
    assert facts_in(create(stored(MADE), HOME, EDGE, 0.9).changes) == [(WEIGHED, {"confidence": 0.9})]
    assert create(stored(MADE), HOME, EDGE, 0.5).changes == ()


@pytest.mark.parametrize(
    ("names", "missing"), [((), ["Sand", "Glass"]), (("Sand",), ["Glass"]), (("Glass",), ["Sand"])]
)
def test_the_ends_that_are_missing_are_named(names: tuple[str, ...], missing: list[str]) -> None:
    with pytest.raises(UnknownEnds) as unknown:
        create(stored(names=names), HOME, EDGE, 0.5)
    assert unknown.value.message == "One or both entities not found: Sand, Glass"
    assert unknown.value.details == {"missing": missing}
