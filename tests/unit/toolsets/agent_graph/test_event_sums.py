"""Folding summed events gives the same state as folding them one by one."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from backends.ports.events import EventId, RecordedEvent
from backends.ports.values import JsonObject, Micros
from toolsets.agent_graph import relationship as edges
from toolsets.agent_graph.entity import entity_of
from toolsets.agent_graph.facts import (
    ACCESSED,
    COMBINERS,
    CREATED,
    ENRICHED,
    REWARDED,
    AccessedFact,
    CreatedFact,
    EnrichedFact,
    RewardedFact,
    fact_of,
)
from toolsets.agent_graph.relationship import StrengthenedFact, relationship_of
from toolsets.agent_graph.streams import entity_stream, relationship_stream
from toolsets.sourcing.aggregate import Combiners, UnreadableEvent, combined

STREAM = entity_stream("one")


def event(version: int, kind: str, fact: CreatedFact | AccessedFact | EnrichedFact | RewardedFact) -> RecordedEvent:
    data = fact_of(kind, fact).data
    return RecordedEvent(EventId(f"e{version}"), STREAM, version, version, kind, data, Micros(version), 1, {})


def history(rng: random.Random, length: int) -> tuple[RecordedEvent, ...]:
    """Return a life of reads, names, sources and outcomes, in any order."""
    events = [
        event(1, CREATED, CreatedFact(channel="c", name="One", type="concept", confidence=0.5, source="first")),
    ]
    for version in range(2, length):
        kind = rng.choice((ACCESSED, ENRICHED, ENRICHED, REWARDED))
        learned = EnrichedFact(
            aliases=(f"alias {rng.randrange(20)}",),
            description=f"at {version}" if rng.random() < 0.1 else None,
            sources=(f"source {rng.randrange(20)}",),
        )
        fact = {
            ACCESSED: AccessedFact(count=rng.randrange(1, 5), last=rng.randrange(1_000)),
            ENRICHED: learned,
            REWARDED: RewardedFact(reward=1.0, utility=rng.random()),
        }[kind]
        events.append(event(version, kind, fact))
    return tuple(events)


def test_what_is_taken_together_is_what_it_is_one_by_one() -> None:
    rng = random.Random(7)
    for _ in range(50):
        events = history(rng, 40)
        whole = entity_of(events)
        assert whole is not None
        names: dict[str, None] = {}
        sources: dict[str, None] = {"first": None}
        reads, last, description, updated, utility = 0, 1, None, 1, 0.5
        for one in events[1:]:
            match one.type:
                case "agent_graph.entity_enriched":
                    learned = EnrichedFact.model_validate(one.data)
                    names |= dict.fromkeys(learned.aliases)
                    sources |= dict.fromkeys(learned.sources)
                    description, updated = learned.description or description, one.at
                case "agent_graph.entity_accessed":
                    read = AccessedFact.model_validate(one.data)
                    reads, last = reads + read.count, max(last, read.last)
                case _:
                    updated, utility = one.at, RewardedFact.model_validate(one.data).utility
        assert (whole.aliases, whole.sources) == (tuple(names), tuple(sources))
        assert (whole.accesses, whole.accessed_at, whole.description) == (reads, last, description)
        assert (whole.version, whole.updated_at, whole.utility) == (events[-1].version, updated, utility)


def test_a_run_becomes_one_event_of_each_type() -> None:
    learned = [event(version, ENRICHED, EnrichedFact(sources=(f"s{version}",))) for version in range(2, 100, 2)]
    reads = [event(version, ACCESSED, AccessedFact(count=1, last=version)) for version in range(3, 100, 2)]
    run = sorted((*learned, *reads), key=lambda each: each.version)
    sums: Combiners = {ENRICHED: how_many, ACCESSED: how_many}
    summed_up = [(each.type, each.version, each.data["events"]) for each in combined(tuple(run), sums)]
    assert summed_up == [(ENRICHED, 98, 49), (ACCESSED, 99, 49)]


def how_many(events: Sequence[RecordedEvent]) -> JsonObject:
    return {"events": len(events)}


def test_an_edge_taken_together_is_what_it_is_one_by_one() -> None:
    rng = random.Random(11)
    for _ in range(50):
        events = life_of_an_edge(rng, 40)
        whole = relationship_of(events)
        assert whole is not None
        confidence, label, sources, created_at = 0.0, None, dict[str, None](), 0
        for one in events:
            match one.type:
                case "agent_graph.relationship_created":
                    begun = edges.EdgeCreatedFact.model_validate(one.data)
                    confidence, label, created_at = begun.confidence, begun.label, one.at
                    sources = dict.fromkeys(begun.sources)
                case "agent_graph.relationship_strengthened":
                    said = StrengthenedFact.model_validate(one.data)
                    confidence = confidence if said.confidence is None else said.confidence
                    label, created_at = said.label or label, said.created_at or created_at
                    sources |= dict.fromkeys(said.sources)
                case _:
                    pass
        assert (whole.confidence, whole.label, whole.created_at) == (confidence, label, created_at)
        assert whole.sources == tuple(sources)
        assert (whole.version, whole.updated_at) == (events[-1].version, events[-1].at)
        assert whole.ended == (events[-1].type == edges.ENDED)


def test_a_fact_that_cannot_be_read_is_not_passed_over() -> None:
    begun = CreatedFact(channel="c", name="One", type="concept", confidence=0.5, source="first")
    rewards = [event(version, REWARDED, RewardedFact(reward=1.0, utility=0.6)) for version in range(2, 6)]
    rewards[1] = replace(rewards[1], data={"reward": "much"})
    with pytest.raises(UnreadableEvent):
        entity_of((event(1, CREATED, begun), *rewards))


@pytest.mark.parametrize("rewarded", [False, True], ids=["learned of", "rewarded meanwhile"])
def test_the_history_of_an_entity_is_short_however_often_it_is_mentioned(rewarded: bool) -> None:
    """Else each source would be added to all that were before."""
    begun = CreatedFact(channel="c", name="One", type="concept", confidence=0.5, source="first")
    events = [event(1, CREATED, begun)]
    for version in range(2, 1_000):
        if rewarded and version % 2:
            events.append(event(version, REWARDED, RewardedFact(reward=1.0, utility=0.6)))
        else:
            events.append(event(version, ENRICHED, EnrichedFact(sources=(f"memory {version}",))))
    assert len(tuple(combined(tuple(events), COMBINERS))) == (3 if rewarded else 2)


def test_however_often_an_edge_is_mentioned_its_life_is_short() -> None:
    facts = [StrengthenedFact(sources=(f"memory {version}",)) for version in range(2, 1_000)]
    events = [begun_edge(1), *(edge_event(at, edges.STRENGTHENED, fact) for at, fact in enumerate(facts, start=2))]
    assert len(tuple(combined(tuple(events), edges.COMBINERS))) == 2


def life_of_an_edge(rng: random.Random, length: int) -> tuple[RecordedEvent, ...]:
    """Return the life of an edge that is mentioned often, and ended and made again now and then."""
    events = [begun_edge(1)]
    for version in range(2, length):
        if events[-1].type == edges.ENDED:
            events.append(begun_edge(version))
        elif rng.random() < 0.1:
            events.append(edge_event(version, edges.ENDED, edges.EndedFact(into=None)))
        else:
            fact = StrengthenedFact(
                confidence=rng.random() if rng.random() < 0.3 else None,
                label=f"at {version}" if rng.random() < 0.1 else None,
                sources=(f"source {rng.randrange(20)}",),
                created_at=rng.randrange(1, 100) if rng.random() < 0.1 else None,
            )
            events.append(edge_event(version, edges.STRENGTHENED, fact))
    return tuple(events)


def begun_edge(version: int) -> RecordedEvent:
    fact = edges.EdgeCreatedFact(
        source_id="a", target_id="b", kind="USES", channel="c", confidence=0.5, sources=(f"first {version}",)
    )
    return edge_event(version, edges.CREATED, fact)


def edge_event(
    version: int, kind: str, fact: edges.EdgeCreatedFact | StrengthenedFact | edges.EndedFact
) -> RecordedEvent:
    data = fact_of(kind, fact).data
    return RecordedEvent(
        EventId(f"e{version}"), relationship_stream("edge"), version, version, kind, data, Micros(version), 1, {}
    )
