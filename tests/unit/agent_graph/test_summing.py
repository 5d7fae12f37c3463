"""An entity that was read and learned of often is the same whether its events are taken together or one by one."""

import random

from backends.ports.events import EventId, RecordedEvent
from backends.ports.values import Micros
from toolsets.agent_graph.entity import entity_of
from toolsets.agent_graph.facts import (
    ACCESSED,
    CREATED,
    ENRICHED,
    REWARDED,
    AccessedFact,
    CreatedFact,
    EnrichedFact,
    RewardedFact,
    fact_of,
)
from toolsets.agent_graph.streams import entity_stream
from toolsets.agent_graph.summing import summed

STREAM = entity_stream("one")


def event(version: int, kind: str, fact: CreatedFact | AccessedFact | EnrichedFact | RewardedFact) -> RecordedEvent:
    data = fact_of(kind, fact).data
    return RecordedEvent(EventId(f"e{version}"), STREAM, version, version, kind, data, Micros(version), 1, {})


def history(chance: random.Random, length: int) -> tuple[RecordedEvent, ...]:
    """Return a life of reads, names, sources and outcomes, in any order."""
    events = [
        event(1, CREATED, CreatedFact(channel="c", name="One", type="concept", confidence=0.5, source="first")),
    ]
    for version in range(2, length):
        kind = chance.choice((ACCESSED, ENRICHED, ENRICHED, REWARDED))
        learned = EnrichedFact(
            aliases=(f"alias {chance.randrange(20)}",),
            description=f"at {version}" if chance.random() < 0.1 else None,
            sources=(f"source {chance.randrange(20)}",),
        )
        fact = {
            ACCESSED: AccessedFact(count=chance.randrange(1, 5), last=chance.randrange(1_000)),
            ENRICHED: learned,
            REWARDED: RewardedFact(reward=1.0, utility=chance.random()),
        }[kind]
        events.append(event(version, kind, fact))
    return tuple(events)


def test_what_is_taken_together_is_what_it_is_one_by_one() -> None:
    chance = random.Random(7)
    for _ in range(50):
        events = history(chance, 40)
        whole = entity_of(events)
        assert whole is not None
        names: dict[str, None] = {}
        sources: dict[str, None] = {"first": None}
        reads, last, description, updated = 0, 1, None, 1
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
                    updated = one.at
        assert (whole.aliases, whole.sources) == (tuple(names), tuple(sources))
        assert (whole.accesses, whole.accessed_at, whole.description) == (reads, last, description)
        assert (whole.version, whole.updated_at) == (events[-1].version, updated)


def test_a_run_becomes_one_event_of_each_type() -> None:
    learned = [event(version, ENRICHED, EnrichedFact(sources=(f"s{version}",))) for version in range(2, 100, 2)]
    reads = [event(version, ACCESSED, AccessedFact(count=1, last=version)) for version in range(3, 100, 2)]
    run = sorted((*learned, *reads), key=lambda each: each.version)
    assert [(each.type, each.version) for each in summed(tuple(run))] == [(ENRICHED, 98), (ACCESSED, 99)]
