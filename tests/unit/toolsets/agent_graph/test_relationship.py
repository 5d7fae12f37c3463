"""An edge is what its events say, and each decision adds only what is new."""

import pytest

from backends.ports.events import Expected
from backends.ports.values import Json, JsonObject
from tests.support.histories import Fact, facts_in, history_of
from toolsets.agent_graph import facts
from toolsets.agent_graph.entity import UnknownEntity
from toolsets.agent_graph.relationship import (
    ATTACHED,
    CREATED,
    ENDED,
    STRENGTHENED,
    Assertion,
    EdgeKey,
    Relationship,
    attach,
    create,
    join_changes,
    live_edges,
    relationship_of,
    strengthened,
    unite,
)
from toolsets.agent_graph.streams import adjacency_stream, entity_stream, relationship_stream
from toolsets.sourcing.aggregate import Change, Histories, UnreadableEvent

KEY = EdgeKey("ent_1", "ent_2", "USES")
STREAM = relationship_stream(KEY.id)
OTHER = EdgeKey("ent_1", "ent_3", "USES")


def begun(key: EdgeKey = KEY, **changed: Json) -> Fact:
    data: JsonObject = {
        "source_id": key.source_id,
        "target_id": key.target_id,
        "kind": key.type,
        "channel": "c",
        "confidence": 0.5,
        "sources": ["t1"],
    }
    return CREATED, {**data, **changed}


def folded(*events: Fact) -> Relationship:
    edge = relationship_of(history_of(STREAM, *events))
    assert edge is not None
    return edge


def ends(**channels: str) -> Histories:
    """Two entities and no edge between them."""
    named = {
        entity_stream(id_): history_of(
            entity_stream(id_),
            (
                facts.CREATED,
                {"channel": channel, "name": id_, "type": "concept", "confidence": 0.5, "source": "t1"},
            ),
        )
        for id_, channel in channels.items()
    }
    return Histories({STREAM: (), **named})


def test_an_edge_gathers_what_its_events_add() -> None:
    edge = folded(begun(), (STRENGTHENED, {"confidence": 0.7, "sources": ["t2", "t1"], "created_at": 0}))
    assert (edge.key, edge.confidence, edge.sources, edge.label) == (KEY, 0.7, ("t1", "t2"), None)
    assert (edge.created_at, edge.updated_at, edge.version) == (0, 2, 2)
    ended = folded(begun(), (ENDED, {"into": "rel_9"}))
    assert (ended.ended, ended.into) == (True, "rel_9")
    assert not folded(begun(), (ENDED, {}), begun()).ended


INVALID: list[tuple[Fact, ...]] = [
    ((ENDED, {}),),
    (begun(), begun()),
    (begun(), (ENDED, {}), (STRENGTHENED, {})),
    (begun(), (ATTACHED, {})),
]


@pytest.mark.parametrize("events", INVALID)
def test_an_event_that_is_not_valid_is_not_passed_over(events: tuple[Fact, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        relationship_of(history_of(STREAM, *events))


def test_an_edge_is_noted_at_both_ends_whose_versions_it_asserts() -> None:
    decision = create(ends(ent_1="c", ent_2="c"), KEY, Assertion(0.9, "t5", "as a cache"))
    created, *others = decision.changes
    assert decision.value == KEY.id
    assert facts_in((created,))[0][1]["channel"] == "c"
    assert others == [
        Change(entity_stream("ent_1")),
        Change(entity_stream("ent_2")),
        *attach(KEY, KEY.id),
    ]
    assert [change.expected for change in attach(KEY, KEY.id)] == [Expected.ANY] * 2


def test_ends_that_are_made_in_the_same_batch_are_not_looked_up() -> None:
    fresh = Histories({STREAM: ()})
    decision = create(fresh, KEY, Assertion(0.9, "t5"), "c", fresh=("ent_1", "ent_2"))
    assert [change.stream for change in decision.changes] == [
        STREAM,
        adjacency_stream("ent_1"),
        adjacency_stream("ent_2"),
    ]


def test_ends_in_two_channels_are_not_linked() -> None:
    with pytest.raises(UnknownEntity, match="ent_2"):
        create(ends(ent_1="c", ent_2="d"), KEY, Assertion(0.9, "t5"))


@pytest.mark.parametrize(
    ("said", "added"),
    [
        (Assertion(0.5, "t9"), None),
        (Assertion(0.4, "t9"), None),
        (Assertion(0.6, "t9"), {"confidence": 0.6}),
        (Assertion(0.5, "t9", "as a cache"), {"label": "as a cache"}),
        (Assertion(0.5, "t9", mention=True), {"sources": ["t9"]}),
        (Assertion(0.5, "t1", mention=True), None),
    ],
)
def test_what_is_said_again_adds_only_what_is_new(said: Assertion, added: JsonObject | None) -> None:
    assert facts_in(strengthened(folded(begun()), said)) == ([] if added is None else [(STRENGTHENED, added)])


def test_duplicates_give_the_highest_confidence_all_sources_and_the_earliest_time() -> None:
    edge = folded(begun(created_at=10))
    others = [
        folded(begun(confidence=0.9, sources=["t2", "t1"], created_at=20)),
        folded(begun(label="x", created_at=5)),
    ]
    assert facts_in(unite(edge, others)) == [
        (STRENGTHENED, {"confidence": 0.9, "label": "x", "sources": ["t2"], "created_at": 5})
    ]
    assert unite(edge, [edge]) == ()


def test_edges_that_replaced_the_noted_ones_are_followed() -> None:
    loop = EdgeKey("ent_1", "ent_9", "USES")
    noted = history_of(
        adjacency_stream("ent_1"), (ATTACHED, {"relationships": [KEY.id]}), (ATTACHED, {"relationships": [loop.id]})
    )
    histories = Histories(
        {
            adjacency_stream("ent_1"): noted,
            STREAM: history_of(STREAM, begun(), (ENDED, {"into": OTHER.id})),
            relationship_stream(OTHER.id): history_of(relationship_stream(OTHER.id), begun(OTHER)),
            relationship_stream(loop.id): history_of(
                relationship_stream(loop.id), begun(loop), (ENDED, {"into": KEY.id})
            ),
        }
    )
    assert [edge.key for edge in live_edges(histories, ["ent_1"])] == [OTHER]


def test_changes_of_one_stream_become_one() -> None:
    first, second = attach(KEY, KEY.id), attach(OTHER, OTHER.id)
    found = join_changes(
        [*first, *second, Change(entity_stream("ent_1"), expected=Expected.EXISTS), Change(entity_stream("ent_1"))]
    )
    assert [(change.stream, len(change.facts), change.expected) for change in found] == [
        (adjacency_stream("ent_1"), 2, Expected.ANY),
        (adjacency_stream("ent_2"), 1, Expected.ANY),
        (adjacency_stream("ent_3"), 1, Expected.ANY),
        (entity_stream("ent_1"), 0, None),
    ]
    assert join_changes([*first, *first]) == first
