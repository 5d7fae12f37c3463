"""The arguments and reply fields that several tools share."""

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json, Micros
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.relationship import Relationship
from toolsets.clock import iso_millis
from toolsets.parsing import INTEGRAL, NOT_BLANK, Arguments, Filled
from toolsets.reply import Number

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_POINTS), NOT_BLANK]
EntityId = Annotated[Filled, Field(description="As other tools return it.")]
ChannelId = Annotated[
    str,
    Field(max_length=MAX_NAME_POINTS, description="Left out: the connection's or the configured one."),
    NOT_BLANK,
    AfterValidator(str.strip),
]
"""Without the blanks around it, like the header and the setting: otherwise one channel would look like two."""
Confidence = Annotated[float, Field(ge=0, le=1)]
UpTo50 = Annotated[int, Field(ge=1, le=50), INTEGRAL]
UpTo100 = Annotated[int, Field(ge=1, le=100), INTEGRAL]

MICROS_PER_MILLI = 1_000


class CamelArguments(Arguments):
    """Arguments whose names are written as the documents write them: entityId."""

    model_config = ConfigDict(alias_generator=to_camel)


class InChannel(CamelArguments):
    """Arguments of a tool that works within a channel."""

    channel_id: ChannelId | None = None


class Body(BaseModel):
    """The base of everything in a reply."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class EntityBody(Body):
    """An entity as it is shown."""

    id: str
    channel_id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    description: str | None = Field(default=None, exclude_if=lambda text: text is None)
    confidence: Number
    q_value: Number = Field(description="Utility, 0 to 1; 0.5 to begin with.")
    access_count: int
    last_accessed: str
    source: str
    created_at: str
    updated_at: str


class RelationshipBody(Body):
    """A relationship as it is shown."""

    id: str
    channel_id: str
    from_entity_id: str
    to_entity_id: str
    type: RelationType
    label: str | None = Field(default=None, exclude_if=lambda text: text is None)
    confidence: Number
    source: str
    created_at: str
    updated_at: str


class Success(Body):
    """The base of every reply; `nothing` is the payload that its tool's errors carry."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    nothing: ClassVar[Mapping[str, Json]] = {}

    success: Literal[True] = True
    message: str


def entity_body(entity: Entity) -> EntityBody:
    """Return an entity as it is shown."""
    return EntityBody(
        id=entity.id,
        channel_id=entity.channel,
        name=entity.name,
        type=entity.type,
        aliases=entity.aliases,
        description=entity.description,
        confidence=entity.confidence,
        q_value=entity.utility,
        access_count=entity.accesses,
        last_accessed=iso_millis(entity.accessed_at),
        source=entity.sources[0],
        created_at=iso_millis(entity.created_at),
        updated_at=iso_millis(entity.updated_at),
    )


def relationship_body(edge: Relationship) -> RelationshipBody:
    """Return a relationship as it is shown."""
    return RelationshipBody(
        id=edge.link.id,
        channel_id=edge.channel,
        from_entity_id=edge.link.source_id,
        to_entity_id=edge.link.target_id,
        type=edge.link.kind,
        label=edge.label,
        confidence=edge.confidence,
        source=edge.sources[0],
        created_at=iso_millis(edge.created_at),
        updated_at=iso_millis(edge.updated_at),
    )


def elapsed_ms(since: Micros, now: Callable[[], Micros]) -> float:
    """Return the milliseconds since a time."""
    return (now() - since) / MICROS_PER_MILLI


def counted(count: int, one: str, several: str) -> str:
    """Return a count with its noun: 1 entity, 2 entities."""
    return f"{count} {one if count == 1 else several}"
