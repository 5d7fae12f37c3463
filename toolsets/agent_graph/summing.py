"""Takes together what adds to an entity, so that reading it back takes time in proportion to its events."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from toolsets.agent_graph.facts import ACCESSED, ENRICHED, AccessedFact, EnrichedFact
from toolsets.sourcing.aggregate import History, event_data


def summed(history: History) -> Iterator[RecordedEvent]:
    """Yield events, of those that only add to the entity one of each type for all that follow one another.

    An entity in use has thousands of them, and each would be added to all that there was before it.
    """
    for adds, run in groupby(history, key=lambda event: event.type in _SUMS):
        if not adds:
            yield from run
            continue
        by_type: dict[str, list[RecordedEvent]] = {}
        for event in run:
            by_type.setdefault(event.type, []).append(event)
        # One of reads and one of what was learned do not touch the same: only the version asks for an order.
        for events in sorted(by_type.values(), key=lambda events: events[-1].version):
            yield replace(events[-1], data=_SUMS[events[-1].type](events))


def _all_reads(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(AccessedFact, event) for event in events]
    return {"count": sum(fact.count for fact in facts), "last": max(fact.last for fact in facts)}


def _all_learned(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(EnrichedFact, event) for event in events]
    return {
        "aliases": list(dict.fromkeys(alias for fact in facts for alias in fact.aliases)),
        "description": next((fact.description for fact in reversed(facts) if fact.description is not None), None),
        "sources": list(dict.fromkeys(source for fact in facts for source in fact.sources)),
    }


_SUMS: Mapping[str, Callable[[Sequence[RecordedEvent]], JsonObject]] = {ACCESSED: _all_reads, ENRICHED: _all_learned}
