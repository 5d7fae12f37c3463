"""The recorded facts of an entity."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.sourcing.aggregate import Combiners, Fact, event_data

CREATED = "agent_graph.entity_created"
ENRICHED = "agent_graph.entity_enriched"
ACCESSED = "agent_graph.entity_accessed"
REWARDED = "agent_graph.entity_rewarded"
ABSORBED = "agent_graph.entity_absorbed"
MERGED = "agent_graph.entity_merged"
TYPED = "agent_graph.entity_typed"


class CreatedFact(BaseModel):
    """The creation of an entity."""

    model_config = ConfigDict(frozen=True)

    channel: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    description: str | None = None
    confidence: float
    source: str


class EnrichedFact(BaseModel):
    """Additions to an entity: only what is new."""

    model_config = ConfigDict(frozen=True)

    aliases: tuple[str, ...] = ()
    description: str | None = None
    sources: tuple[str, ...] = ()


class AccessedFact(BaseModel):
    """The number of reads since the last such fact, and the time of the last one."""

    model_config = ConfigDict(frozen=True)

    count: int
    last: int


class RewardedFact(BaseModel):
    """An outcome, and the utility after it."""

    model_config = ConfigDict(frozen=True)

    reward: float
    utility: float


class AbsorbedFact(BaseModel):
    """The state of an entity after others were merged into it: whole values, so that folding needs no merge rule."""

    model_config = ConfigDict(frozen=True)

    merged: tuple[str, ...]
    aliases: tuple[str, ...]
    description: str | None = None
    confidence: float
    utility: float
    accesses: int
    accessed_at: int
    sources: tuple[str, ...]
    held: tuple[str, ...]


class TypedFact(BaseModel):
    """The certain type of an entity whose type was a guess."""

    model_config = ConfigDict(frozen=True)

    type: EntityType
    confidence: float


class MergedFact(BaseModel):
    """The id of the entity that this one was merged into."""

    model_config = ConfigDict(frozen=True)

    into: str


def fact_of(kind: str, fact: BaseModel) -> Fact:
    """Return a fact without the fields that have their default."""
    return Fact(kind, fact.model_dump(mode="json", exclude_defaults=True))


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


def _all_rewards(events: Sequence[RecordedEvent]) -> JsonObject:
    return [event_data(RewardedFact, event) for event in events][-1].model_dump()


COMBINERS: Combiners = {ACCESSED: _all_reads, ENRICHED: _all_learned, REWARDED: _all_rewards}
"""How runs of frequent events are summed, so that folding does not apply them one by one."""
