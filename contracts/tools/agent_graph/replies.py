"""The documented replies of the agent_graph tools, field by field; nothing may be missing and nothing added."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from contracts.shapes import CamelShape

EntityType: TypeAlias = Literal[
    "person", "organization", "project", "technology", "concept", "location", "document", "task"
]
RelationType: TypeAlias = Literal[
    "WORKS_ON",
    "OWNS",
    "DEPENDS_ON",
    "RELATED_TO",
    "MEMBER_OF",
    "USES",
    "CREATED",
    "MODIFIED",
    "REFERENCES",
    "BLOCKS",
    "CONTRADICTS",
]
Phase: TypeAlias = Literal["observation", "reasoning", "planning", "action", "reflection"]
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0)]


class Entity(CamelShape):
    """An entity."""

    id: str
    channel_id: str
    name: str
    type: EntityType
    aliases: list[str]
    description: str | None = None
    confidence: Fraction
    q_value: Fraction
    access_count: Count
    last_accessed: Time
    source: str
    created_at: Time
    updated_at: Time


class Relationship(CamelShape):
    """An edge."""

    id: str
    channel_id: str
    from_entity_id: str
    to_entity_id: str
    type: RelationType
    label: str | None = None
    confidence: Fraction
    source: str
    created_at: Time
    updated_at: Time


class Success(CamelShape):
    """The fields of every reply."""

    success: Literal[True]
    message: str = Field(min_length=1)


class ErrorEnvelope(BaseModel):
    """An error, with the payload of the tool null or empty."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    success: Literal[False]
    error: str = Field(min_length=1)
    message: str = Field(min_length=1)


class One(Success):
    """The reply of a tool that returns an entity."""

    entity: Entity


class Some(Success):
    """The reply of kg_get_high_utility_entities."""

    entities: list[Entity]
    count: Count


class FindReply(Some):
    """The reply of kg_find_entity."""

    total_found: Count


class RelationshipReply(Success):
    """The reply of kg_create_relationship."""

    relationship: Relationship


class Neighbors(Success):
    """The reply of kg_get_neighbors."""

    entities: list[Entity]
    relationships: list[Relationship]
    entity_count: Count
    relationship_count: Count


class Path(CamelShape):
    """A path."""

    entity_ids: list[str]
    relationship_ids: list[str]


class PathReply(Success):
    """The reply of kg_find_path."""

    path: Path | None
    found: bool
    hop_count: Count


class Stats(CamelShape):
    """The size of a context."""

    entity_count: Count
    relationship_count: Count


class Context(CamelShape):
    """A part of the graph."""

    entities: list[Entity]
    relationships: list[Relationship]
    high_utility_entities: list[Entity]
    stats: Stats


class ContextReply(Success):
    """The reply of kg_get_context."""

    context: Context
    stats: Stats


class PhaseContext(CamelShape):
    """A part of the graph for a phase."""

    phase: Phase
    entities: list[Entity]
    relationships: list[Relationship]
    summary: str = Field(min_length=1)
    execution_time_ms: Milliseconds


class PhaseReply(Success):
    """The reply of kg_get_phase_context."""

    phase_context: PhaseContext
    entity_count: Count
    relationship_count: Count
    summary: str
    execution_time_ms: Milliseconds


class Extracted(CamelShape):
    """The result of reading a text."""

    entities: list[Entity]
    relationships: list[Relationship]
    entities_extracted: Count
    relationships_extracted: Count
    execution_time_ms: Milliseconds


class Remembered(Extracted):
    """The result of reading a memory."""

    linked_to_memory: bool


class ExtractionReply(Success):
    """The reply of kg_extract_from_text."""

    result: Extracted
    entities_extracted: Count
    relationships_extracted: Count
    execution_time_ms: Milliseconds


class MemoryReply(Success):
    """The reply of kg_extract_from_memory."""

    result: Remembered
    entities_extracted: Count
    relationships_extracted: Count
    execution_time_ms: Milliseconds


class Duplicate(CamelShape):
    """Two entities that may be the same."""

    entity1: Entity
    entity2: Entity
    similarity: Fraction


class Duplicates(Success):
    """The reply of kg_find_duplicates."""

    duplicates: list[Duplicate]
    count: Count


class Merged(CamelShape):
    """The result of a merge."""

    success: Literal[True]
    merged_entity: Entity
    relationships_transferred: Count
    aliases_merged: list[str]


class MergeReply(Success):
    """The reply of kg_merge_entities."""

    result: Merged
