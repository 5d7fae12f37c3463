"""The facts that an entity consists of, as they are recorded."""

from pydantic import BaseModel, ConfigDict

from toolsets.agent_graph.extraction.model import EntityType
from toolsets.sourcing.aggregate import Fact

CREATED = "agent_graph.entity_created"
ENRICHED = "agent_graph.entity_enriched"
ACCESSED = "agent_graph.entity_accessed"
REWARDED = "agent_graph.entity_rewarded"
ABSORBED = "agent_graph.entity_absorbed"
MERGED = "agent_graph.entity_merged"


class CreatedFact(BaseModel):
    """What is recorded at the beginning."""

    model_config = ConfigDict(frozen=True)

    channel: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    description: str | None = None
    confidence: float
    source: str


class EnrichedFact(BaseModel):
    """What was learned about an entity: only what is new."""

    model_config = ConfigDict(frozen=True)

    aliases: tuple[str, ...] = ()
    description: str | None = None
    sources: tuple[str, ...] = ()


class AccessedFact(BaseModel):
    """How often an entity was read since the last such fact, and when last."""

    model_config = ConfigDict(frozen=True)

    count: int
    last: int


class RewardedFact(BaseModel):
    """An outcome, and the utility after it."""

    model_config = ConfigDict(frozen=True)

    reward: float
    utility: float


class AbsorbedFact(BaseModel):
    """What an entity becomes when others are merged into it; whole values, so that no rule is needed to read them."""

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


class MergedFact(BaseModel):
    """Into which entity this one was merged."""

    model_config = ConfigDict(frozen=True)

    into: str


def fact_of(kind: str, fact: BaseModel) -> Fact:
    """Return a fact without what it leaves at its default."""
    return Fact(kind, fact.model_dump(mode="json", exclude_defaults=True))
