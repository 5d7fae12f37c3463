"""An edge is created once, deleted, and created again under its id."""

import pytest

from backends.ports.events import Expected, StreamName
from tests.support.histories import Fact, facts_in, history_of
from toolsets.knowledge import concept
from toolsets.knowledge.concept import UnknownConcept
from toolsets.knowledge.relationship import (
    CREATED,
    DELETED,
    AlreadyLinked,
    EdgeKey,
    NotLinked,
    Relationship,
    create,
    delete,
    relationship_of,
)
from toolsets.knowledge.streams import concept_stream, relationship_id, relationship_stream
from toolsets.sourcing.aggregate import Histories, History, UnreadableEvent

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
KEY = EdgeKey(ONE, TWO, "includes")
STREAM = relationship_stream(KEY.stream_key)
MADE: Fact = (CREATED, {"source_id": ONE, "target_id": TWO, "kind": "includes", "strength": 0.5})
GONE: Fact = (DELETED, {})
CONCEPT: Fact = (
    concept.CREATED,
    {"name": "Loops", "explanation": "Repetition.", "certainty": 50.0, "certainty_by_hand": False},
)


def stored(*edge: Fact) -> Histories:
    """The edge without its ends."""
    return Histories({STREAM: history_of(STREAM, *edge)})


@pytest.mark.parametrize(
    ("facts", "edge"),
    [
        ((), None),
        ((MADE,), Relationship(KEY, 0.5, None, 1)),
        ((MADE, GONE), Relationship(KEY, 0.5, None, 2, deleted=True)),
        ((MADE, GONE, MADE), Relationship(KEY, 0.5, None, 3)),
    ],
)
def test_an_edge_is_what_its_events_say(facts: tuple[Fact, ...], edge: Relationship | None) -> None:
    assert relationship_of(history_of(STREAM, *facts)) == edge


INVALID: list[tuple[Fact, ...]] = [(GONE,), (MADE, MADE), (("knowledge.other", {}),)]


@pytest.mark.parametrize("facts", INVALID)
def test_an_event_that_is_not_valid_is_not_passed_over(facts: tuple[Fact, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        relationship_of(history_of(STREAM, *facts))


def test_only_a_live_edge_is_deleted() -> None:
    decision = delete(stored(MADE), KEY)
    assert (decision.value, facts_in(decision.changes)) == (KEY.stream_key, [GONE])
    for facts in ((), (MADE, GONE)):
        with pytest.raises(NotLinked) as missing:
            delete(stored(*facts), KEY)
        assert missing.value.details == {"resource_id": relationship_id(KEY.stream_key)}


def test_the_order_of_the_ends_and_the_type_make_another_edge() -> None:
    keys = {KEY.stream_key, EdgeKey(TWO, ONE, "includes").stream_key, EdgeKey(ONE, TWO, "relates_to").stream_key}
    assert len(keys) == 3


def with_ends(*edge: Fact, names: tuple[str, ...] = (ONE, TWO)) -> Histories:
    ends: dict[StreamName, History] = {concept_stream(end): () for end in (ONE, TWO)}
    for end in names:
        stream = concept_stream(end)
        ends[stream] = history_of(stream, CONCEPT)
    return Histories({**ends, STREAM: history_of(STREAM, *edge)})


@pytest.mark.parametrize("before", [(), (MADE, GONE)])
def test_an_edge_asserts_its_ends_without_their_versions(before: tuple[Fact, ...]) -> None:
    decision = create(with_ends(*before), KEY, 0.5, None)
    assert facts_in(decision.changes) == [MADE]
    assert [(change.stream, change.expected) for change in decision.changes[1:]] == [
        (concept_stream(ONE), Expected.EXISTS),
        (concept_stream(TWO), Expected.EXISTS),
    ]


def test_a_live_edge_is_not_created_again() -> None:
    with pytest.raises(AlreadyLinked):
        create(with_ends(MADE), KEY, 0.9, "notes")


@pytest.mark.parametrize(("names", "field"), [((TWO,), "source_id"), ((ONE,), "target_id")])
def test_an_end_that_is_not_live_is_named_by_its_argument(names: tuple[str, ...], field: str) -> None:
    with pytest.raises(UnknownConcept) as unknown:
        create(with_ends(names=names), KEY, 0.5, None)
    assert unknown.value.details["field"] == field
