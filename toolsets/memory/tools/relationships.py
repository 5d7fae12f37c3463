"""The tool that links entities."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from toolsets.arguments import Arguments
from toolsets.memory import relationship as relationships
from toolsets.memory.relationship import EdgeKey
from toolsets.memory.runtime import Memory
from toolsets.memory.tools.fields import DatabaseName, Name, Share
from toolsets.replies import Body, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Effects, Reply
from toolsets.tools import Tool

OVERWRITES = Effects(read_only=False, destructive=True, idempotent=True)


class CreateRelationship(Arguments):
    """An edge to store."""

    database: DatabaseName = None
    from_entity: Name
    to_entity: Name
    relationship_type: Annotated[Name, Field(description="Any words; usually in capitals, such as WORKS_FOR.")]
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
    """Link two stored entities; repeating the link only sets its confidence."""
    async with memory.database(arguments.database) as opened:
        await opened.graph()
        key = EdgeKey(arguments.from_entity, arguments.to_entity, arguments.relationship_type)
        keyspace = opened.database.keyspace

        def decide(histories: Histories) -> Decision[None]:
            return relationships.create(histories, opened.database, key, arguments.confidence)

        edge = keyspace.relationship(key.source, key.type, key.target)
        streams = {edge, keyspace.type(key.type), keyspace.entity(key.source), keyspace.entity(key.target)}
        written = await opened.write(decide, context, streams=streams)
        body = RelationshipReply(
            database=opened.database.name,
            source=key.source,
            target=key.target,
            relationship_type=key.type,
            confidence=arguments.confidence,
        )
        return reply_of(body, meta=written.meta)


TOOLS = (
    Tool(
        "create_relationship",
        "Create relationship",
        "Link two stored entities with a typed, directed edge. The same edge again sets its confidence.",
        CreateRelationship,
        RelationshipReply,
        create_relationship,
        OVERWRITES,
    ),
)
