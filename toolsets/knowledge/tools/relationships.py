"""The tools that change relationships: create and delete."""

from typing import Annotated

from pydantic import Field

from toolsets.arguments import UNSIGNED_ZERO, Arguments, Filled
from toolsets.ids import is_uuid
from toolsets.knowledge import relationship as relationships
from toolsets.knowledge.errors import tool_error
from toolsets.knowledge.relationship import EdgeKey
from toolsets.knowledge.runtime import Knowledge, check_concept_id
from toolsets.knowledge.streams import concept_stream, relationship_id, relationship_stream
from toolsets.knowledge.tools.fields import ConceptId, KindArgument, Success
from toolsets.replies import reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Reply
from toolsets.tools import ADDS, CHANGES, Tool


class CreateRelationship(Arguments):
    """An edge to add."""

    source_id: ConceptId
    target_id: ConceptId
    relationship_type: Annotated[
        KindArgument,
        Field(
            description="prerequisite: the target requires the source first. includes: the source contains the target."
        ),
    ]
    strength: Annotated[float, Field(ge=0, le=1), UNSIGNED_ZERO] = 1.0
    notes: Filled | None = None


class DeleteRelationship(Arguments):
    """An edge to remove."""

    source_id: ConceptId
    target_id: ConceptId
    relationship_type: KindArgument


class RelationshipReply(Success):
    """The reply to a write of an edge."""

    relationship_id: str
    message: str


async def create_relationship(knowledge: Knowledge, arguments: CreateRelationship, context: CallContext) -> Reply:
    """Link two live concepts."""
    key = EdgeKey(arguments.source_id, arguments.target_id, arguments.relationship_type)
    if key.source_id == key.target_id:
        raise tool_error(
            "validation_error",
            "target_id must not be source_id: a concept cannot be linked to itself",
            field="target_id",
            invalid_value=key.target_id,
        )
    check_concept_id(key.source_id, "source_id")
    check_concept_id(key.target_id, "target_id")
    await _require_services(knowledge)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.create(histories, key, arguments.strength, arguments.notes)

    ends = (concept_stream(key.source_id), concept_stream(key.target_id))
    written = await knowledge.write(decide, context, streams=(relationship_stream(key.stream_key), *ends))
    body = RelationshipReply(
        relationship_id=relationship_id(key.stream_key), message=written.message("Relationship created")
    )
    return reply_of(body, meta=written.meta)


async def delete_relationship(knowledge: Knowledge, arguments: DeleteRelationship, context: CallContext) -> Reply:
    """Delete an edge, even if its ends were deleted."""
    key = EdgeKey(arguments.source_id, arguments.target_id, arguments.relationship_type)
    if not (is_uuid(key.source_id) and is_uuid(key.target_id)):
        raise tool_error("relationship_not_found", "There is no relationship of this type between these concepts")
    await _require_services(knowledge)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.delete(histories, key)

    written = await knowledge.write(decide, context, streams=(relationship_stream(key.stream_key),))
    body = RelationshipReply(
        relationship_id=relationship_id(key.stream_key), message=written.message("Relationship deleted")
    )
    return reply_of(body, meta=written.meta)


async def _require_services(knowledge: Knowledge) -> None:
    await knowledge.log("event_store")
    await knowledge.graph()


TOOLS = (
    Tool(
        "create_relationship",
        "Create relationship",
        "Link two concepts with a directed edge from source to target. The same edge cannot be created twice.",
        CreateRelationship,
        RelationshipReply,
        create_relationship,
        ADDS,
    ),
    Tool(
        "delete_relationship",
        "Delete relationship",
        "Remove the edge of one type from source to target. It may be created again.",
        DeleteRelationship,
        RelationshipReply,
        delete_relationship,
        CHANGES,
    ),
)
