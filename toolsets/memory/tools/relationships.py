"""The tool that links entities."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from toolsets.making import Tool
from toolsets.memory import relationship as relationships
from toolsets.memory.entity import UnknownEntity
from toolsets.memory.errors import refusal
from toolsets.memory.relationship import Link
from toolsets.memory.runtime import Memory
from toolsets.memory.tools.fields import Body, DatabaseName, Name, Share
from toolsets.parsing import Arguments
from toolsets.reply import answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Effects, Reply

REPEATABLE = Effects(read_only=False, destructive=True, idempotent=True)


class CreateRelationship(Arguments):
    """An edge to store."""

    database: DatabaseName
    from_entity: Name
    to_entity: Name
    relationship_type: Annotated[Name, Field(description="Any words; by custom in capitals, such as WORKS_FOR.")]
    confidence: Share = 1.0


class RelationshipReply(Body):
    """The edge as it is stored now."""

    model_config = ConfigDict(serialize_by_alias=True)

    status: Literal["created"] = "created"
    database: str
    source: str = Field(serialization_alias="from")
    target: str = Field(serialization_alias="to")
    relationship_type: str
    confidence: float


async def create_relationship(memory: Memory, arguments: CreateRelationship, context: CallContext) -> Reply:
    """Link two stored entities; the same link again only sets its confidence."""
    desk = await memory.database(arguments.database)
    await desk.graph()
    link = Link(arguments.from_entity, arguments.to_entity, arguments.relationship_type)
    space = desk.database.space

    def decide(histories: Histories) -> Decision[None]:
        try:
            return relationships.create(histories, desk.database, link, arguments.confidence)
        except UnknownEntity:
            raise refusal(f"One or both entities not found: {link.source}, {link.target}") from None

    edge = space.relationship(link.source, link.kind, link.target)
    streams = {edge, space.type(link.kind), space.entity(link.source), space.entity(link.target)}
    written = await desk.write(decide, context, streams=streams)
    body = RelationshipReply(
        database=arguments.database,
        source=link.source,
        target=link.target,
        relationship_type=link.kind,
        confidence=arguments.confidence,
    )
    return answer(body, meta=written.note)


TOOLS = (
    Tool(
        "create_relationship",
        "Create relationship",
        "Link two stored entities with a typed, directed edge. The same edge again sets its confidence.",
        CreateRelationship,
        RelationshipReply,
        create_relationship,
        REPEATABLE,
    ),
)
