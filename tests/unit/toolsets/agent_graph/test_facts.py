"""Facts leave out what has its default, and a run of them has a sum."""

import pytest

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from tests.support.histories import Fact as Written
from tests.support.histories import history_of
from toolsets.agent_graph.facts import ACCESSED, COMBINERS, ENRICHED, REWARDED, CreatedFact, EnrichedFact, fact_of
from toolsets.agent_graph.streams import entity_stream
from toolsets.sourcing.aggregate import Fact, UnreadableEvent


def run(*facts: Written) -> tuple[RecordedEvent, ...]:
    return history_of(entity_stream("ent_1"), *facts)


def test_fields_with_their_default_are_left_out() -> None:
    created = CreatedFact(channel="c", name="Redis", type="technology", confidence=0.5, source="t1")
    assert fact_of("x", created) == Fact(
        "x", {"channel": "c", "name": "Redis", "type": "technology", "confidence": 0.5, "source": "t1"}
    )
    assert fact_of("x", EnrichedFact()).data == {}


@pytest.mark.parametrize(
    ("facts", "total"),
    [
        (
            ((ACCESSED, {"count": 2, "last": 9}), (ACCESSED, {"count": 3, "last": 5})),
            {"count": 5, "last": 9},
        ),
        (
            (
                (ENRICHED, {"aliases": ["a", "b"], "description": "First."}),
                (ENRICHED, {"aliases": ["b", "c"], "description": "Second.", "sources": ["t1"]}),
                (ENRICHED, {"sources": ["t1", "t2"]}),
            ),
            {"aliases": ["a", "b", "c"], "description": "Second.", "sources": ["t1", "t2"]},
        ),
        (
            ((REWARDED, {"reward": 1.0, "utility": 0.55}), (REWARDED, {"reward": -1.0, "utility": 0.5})),
            {"reward": -1.0, "utility": 0.5},
        ),
    ],
)
def test_a_run_of_facts_has_a_sum(facts: tuple[Written, ...], total: JsonObject) -> None:
    assert COMBINERS[facts[0][0]](run(*facts)) == total


@pytest.mark.parametrize("kind", [ACCESSED, REWARDED])
def test_a_fact_that_cannot_be_read_is_not_summed(kind: str) -> None:
    with pytest.raises(UnreadableEvent):
        COMBINERS[kind](run((kind, {})))
