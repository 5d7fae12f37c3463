"""The tools that change relationships: create and delete."""

from typing import Annotated

from pydantic import Field

from backends.ports.events import StreamName
from toolsets.ids import is_uuid
from toolsets.knowledge import relationship as relationships
from toolsets.knowledge.errors import refusal
from toolsets.knowledge.relationship import Link
from toolsets.knowledge.runtime import Knowledge, done, existing_form
from toolsets.knowledge.streams import concept_stream, relationship_id, relationship_stream
from toolsets.knowledge.tools.fields import ConceptId, KindArgument, Success
from toolsets.making import ADDS, CHANGES, Tool
from toolsets.parsing import Arguments, Filled
from toolsets.reply import answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Reply


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
    strength: Annotated[float, Field(ge=0, le=1)] = 1.0
    notes: Filled | None = None


class DeleteRelationship(Arguments):
    """An edge to remove."""

    source_id: ConceptId
    target_id: ConceptId
    relationship_type: KindArgument


class RelationshipReply(Success):
    """What a write to an edge answers."""

    relationship_id: str
    message: str


async def create_relationship(knowledge: Knowledge, arguments: CreateRelationship, context: CallContext) -> Reply:
    """Link two live concepts."""
    link = Link(arguments.source_id, arguments.target_id, arguments.relationship_type)
    if link.source_id == link.target_id:
        raise refusal(
            "validation_error",
            "target_id must not be source_id: a concept cannot be linked to itself",
            field="target_id",
            invalid_value=link.target_id,
        )
    existing_form(link.source_id, "source_id")
    existing_form(link.target_id, "target_id")
    await _require_services(knowledge)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.create(histories, link, arguments.strength, arguments.notes)

    ends = {link.source_id: "source_id", link.target_id: "target_id"}
    written = await knowledge.write(decide, context, streams=_streams(link), arguments=ends)
    body = RelationshipReply(relationship_id=relationship_id(link.key), message=done("Relationship created", written))
    return answer(body, meta=written.note)


async def delete_relationship(knowledge: Knowledge, arguments: DeleteRelationship, context: CallContext) -> Reply:
    """Remove an edge; an end that is not there means that there is no edge."""
    link = Link(arguments.source_id, arguments.target_id, arguments.relationship_type)
    if not (is_uuid(link.source_id) and is_uuid(link.target_id)):
        raise refusal("relationship_not_found", "There is no relationship of this type between these concepts")
    await _require_services(knowledge)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.delete(histories, link)

    written = await knowledge.write(decide, context, streams=_streams(link))
    body = RelationshipReply(relationship_id=relationship_id(link.key), message=done("Relationship deleted", written))
    return answer(body, meta=written.note)


def _streams(link: Link) -> tuple[StreamName, ...]:
    return (relationship_stream(link.key), concept_stream(link.source_id), concept_stream(link.target_id))


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
