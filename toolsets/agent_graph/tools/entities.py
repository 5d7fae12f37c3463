"""The tools for entities: get, find, list the most useful, create."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import Field

from backends.ports.values import Json
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph import queries
from toolsets.agent_graph.entity import SURE_OF_TYPE, CreationOutcome, Draft
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.relationship import join_changes
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key
from toolsets.agent_graph.tools.fields import (
    CamelArguments,
    Confidence,
    EntityBody,
    EntityId,
    EntityName,
    InChannel,
    Success,
    UpTo50,
    entity_body,
)
from toolsets.arguments import Filled
from toolsets.replies import counted, cut_sentence, fitting_rows, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Effects, Reply
from toolsets.tools import REPEATABLE, Tool

COUNTS = Effects(read_only=False)
"""The effects of a tool that changes only the read counts."""
MAX_ALIASES = 100
"""All names of an entity are compared with those of others when duplicates are searched."""


class GetEntity(CamelArguments):
    """An entity to read."""

    entity_id: EntityId


class FindEntity(InChannel):
    """A name to look for."""

    name: Annotated[EntityName, Field(description="A part of a name or alias, in any case.")]
    exact: Annotated[bool, Field(description="Only names and aliases that are equal, letter case aside.")] = False
    limit: UpTo50 = 10


class GetHighUtilityEntities(InChannel):
    """The number of entities."""

    limit: UpTo50 = 10


class CreateEntity(InChannel):
    """An entity to create."""

    name: EntityName
    type: EntityType
    aliases: Annotated[tuple[EntityName, ...], Field(max_length=MAX_ALIASES, strict=False)] = ()
    description: Filled | None = None
    confidence: Confidence = 0.8


class EntityReply(Success):
    """One entity."""

    nothing: ClassVar[Mapping[str, Json]] = {"entity": None}

    entity: EntityBody | None
    message: str


class EntitiesReply(Success):
    """Some entities."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": []}

    entities: tuple[EntityBody, ...]
    count: int
    message: str


class FoundReply(Success):
    """Some of the entities that match."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": []}

    entities: tuple[EntityBody, ...]
    count: int
    total_found: int
    message: str


async def get_entity(toolset: AgentGraph, arguments: GetEntity, context: CallContext) -> Reply:
    """Return the present state of an entity, and count the read."""
    entity = await toolset.entity(arguments.entity_id, context)
    toolset.read_counts.count((entity.id,))
    shown = toolset.read_counts.with_unrecorded_reads(entity)
    return reply_of(EntityReply(entity=entity_body(shown), message="Found"))


async def find_entity(toolset: AgentGraph, arguments: FindEntity, context: CallContext) -> Reply:
    """Find entities by name or alias."""
    channel = toolset.channel(arguments.channel_id, context)
    async with toolset.graph() as graph:
        found = await queries.by_name(graph, channel, arguments.name, exact=arguments.exact, limit=arguments.limit)
    bodies = [entity_body(toolset.read_counts.with_unrecorded_reads(entity)) for entity in found.entities]
    shown = fitting_rows(bodies)
    message = f"Found {counted(found.total, 'entity', 'entities')}{cut_sentence(len(shown), len(bodies))}"
    return reply_of(FoundReply(entities=shown, count=len(shown), total_found=found.total, message=message))


async def get_high_utility_entities(
    toolset: AgentGraph, arguments: GetHighUtilityEntities, context: CallContext
) -> Reply:
    """Return the most useful entities of a channel."""
    channel = toolset.channel(arguments.channel_id, context)
    async with toolset.graph() as graph:
        best = await queries.most_useful(graph, toolset.read_counts, channel, arguments.limit)
    shown = fitting_rows([entity_body(entity) for entity in best])
    message = f"Found {counted(len(best), 'entity', 'entities')}{cut_sentence(len(shown), len(best))}"
    return reply_of(EntitiesReply(entities=shown, count=len(shown), message=message))


async def create_entity(toolset: AgentGraph, arguments: CreateEntity, context: CallContext) -> Reply:
    """Create an entity, or enrich the existing one of this name and type in the channel."""
    channel = toolset.channel(arguments.channel_id, context)
    await toolset.live_stores.graph()
    new_id = toolset.new_id()
    draft = Draft(
        channel,
        arguments.name,
        arguments.type,
        arguments.aliases,
        arguments.description,
        arguments.confidence,
        context.tool,
    )

    def decide(histories: Histories) -> Decision[CreationOutcome]:
        decision = entities.create(histories, new_id, draft)
        if decision.value.is_new or draft.confidence < SURE_OF_TYPE:
            return decision
        settling = entities.settle_type(histories, entities.live_in(histories, decision.value.id, None), draft)
        return replace(decision, changes=join_changes((*decision.changes, *settling)))

    claim = NAMES.stream(name_key(channel, arguments.type, arguments.name))
    written = await toolset.write(decide, context, streams=(claim, entity_stream(new_id)))
    [entity] = await toolset.entities_of(written, (written.value.id,))
    message = written.message("Entity created" if written.value.is_new else "Entity exists already")
    return reply_of(EntityReply(entity=entity_body(entity), message=message), meta=written.meta)


TOOLS = (
    Tool("kg_get_entity", "Get entity", "Read one entity by id.", GetEntity, EntityReply, get_entity, COUNTS),
    Tool(
        "kg_find_entity",
        "Find entities",
        "Find entities by name or alias; a part of a name is enough unless exact is true.",
        FindEntity,
        FoundReply,
        find_entity,
    ),
    Tool(
        "kg_get_high_utility_entities",
        "Get high-utility entities",
        "List the entities that have proved most useful.",
        GetHighUtilityEntities,
        EntitiesReply,
        get_high_utility_entities,
    ),
    Tool(
        "kg_create_entity",
        "Create entity",
        "File an entity. One of the same name and type is not made twice: it is returned, with the aliases added.",
        CreateEntity,
        EntityReply,
        create_entity,
        REPEATABLE,
    ),
)
