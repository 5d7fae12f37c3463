"""The arguments and reply fields that several tools share."""

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json, Micros
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.relationship import Relationship
from toolsets.arguments import INTEGRAL, NOT_BLANK, Arguments, Filled
from toolsets.clock import iso_millis
from toolsets.replies import SCORE_DIGITS, CamelBody, Number

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_POINTS), NOT_BLANK]
_BLANKS = "".join(chr(point) for point in range(0x3001) if chr(point).isspace() and not 0x1C <= point <= 0x1F)
"""All white space except the four ASCII separators, which belong to a name like other control characters."""


def _trimmed(name: str) -> str:
    return name.strip(_BLANKS)


EntityName = Annotated[Name, AfterValidator(_trimmed)]
"""Stripped of surrounding blanks, so that a name copied with one is the same name."""
EntityId = Annotated[Filled, Field(description="As other tools return it.")]
ChannelId = Annotated[
    str,
    Field(max_length=MAX_NAME_POINTS, description="Left out: the connection's or the configured one."),
    NOT_BLANK,
    AfterValidator(str.strip),
]
"""Stripped of surrounding blanks, like the header and the setting, so that all three name the same channel."""
Confidence = Annotated[float, Field(ge=0, le=1)]
UpTo50 = Annotated[int, Field(ge=1, le=50), INTEGRAL]
UpTo100 = Annotated[int, Field(ge=1, le=100), INTEGRAL]

MICROS_PER_MILLI = 1_000


class CamelArguments(Arguments):
    """Arguments with names in camel case, as in the documents: entityId."""

    model_config = ConfigDict(alias_generator=to_camel)


class InChannel(CamelArguments):
    """Arguments of a tool that works within a channel."""

    channel_id: ChannelId | None = None


class EntityBody(CamelBody):
    """An entity in a reply."""

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


class RelationshipBody(CamelBody):
    """A relationship in a reply."""

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


class Success(CamelBody):
    """The base of every reply; `nothing` is the empty payload in the errors of its tool."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    nothing: ClassVar[Mapping[str, Json]] = {}

    success: Literal[True] = True


def entity_body(entity: Entity) -> EntityBody:
    """Return the reply form of an entity."""
    return EntityBody(
        id=entity.id,
        channel_id=entity.channel,
        name=entity.name,
        type=entity.type,
        aliases=entity.aliases,
        description=entity.description,
        confidence=entity.confidence,
        q_value=round(entity.utility, SCORE_DIGITS),
        access_count=entity.accesses,
        last_accessed=iso_millis(entity.accessed_at),
        source=entity.sources[0],
        created_at=iso_millis(entity.created_at),
        updated_at=iso_millis(entity.updated_at),
    )


def relationship_body(edge: Relationship) -> RelationshipBody:
    """Return the reply form of a relationship."""
    return RelationshipBody(
        id=edge.key.id,
        channel_id=edge.channel,
        from_entity_id=edge.key.source_id,
        to_entity_id=edge.key.target_id,
        type=edge.key.type,
        label=edge.label,
        confidence=edge.confidence,
        source=edge.sources[0],
        created_at=iso_millis(edge.created_at),
        updated_at=iso_millis(edge.updated_at),
    )


def elapsed_ms(since: Micros, now: Callable[[], Micros]) -> float:
    """Return the milliseconds since a time."""
    return (now() - since) / MICROS_PER_MILLI
