"""The tools on single entities: get, find, the most useful, create."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from backends.ports.values import Json
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph import queries
from toolsets.agent_graph.entity import Draft, Found
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.runtime import AgentGraph, done
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key
from toolsets.agent_graph.tools.fields import (
    CamelArguments,
    Confidence,
    EntityBody,
    EntityId,
    InChannel,
    Name,
    Success,
    UpTo50,
    counted,
    entity_body,
)
from toolsets.making import REPEATABLE, Tool
from toolsets.parsing import Filled
from toolsets.reply import answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Effects, Reply

COUNTS = Effects(read_only=False)
"""A tool that changes nothing but how often something was read."""
MAX_ALIASES = 100


class GetEntity(CamelArguments):
    """An entity to read."""

    entity_id: EntityId


class FindEntity(InChannel):
    """A name to look for."""

    name: Annotated[Name, Field(description="A part of a name or alias, in any case.")]
    exact: Annotated[bool, Field(description="Only names and aliases that are equal, letter case aside.")] = False
    limit: UpTo50 = 10


class GetHighUtilityEntities(InChannel):
    """How many of the most useful entities."""

    limit: UpTo50 = 10


class CreateEntity(InChannel):
    """An entity to file."""

    name: Name
    type: EntityType
    aliases: Annotated[tuple[Name, ...], Field(max_length=MAX_ALIASES, strict=False)] = ()
    description: Filled | None = None
    confidence: Confidence = 0.8


class EntityReply(Success):
    """One entity."""

    nothing: ClassVar[Mapping[str, Json]] = {"entity": None}

    entity: EntityBody | None


class EntitiesReply(Success):
    """Some entities."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": []}

    entities: tuple[EntityBody, ...]
    count: int


class FoundReply(EntitiesReply):
    """Some of the entities that match."""

    total_found: int


async def get_entity(graph: AgentGraph, arguments: GetEntity, context: CallContext) -> Reply:
    """Read an entity as it is now, and count that."""
    entity = await graph.entity(arguments.entity_id, context)
    graph.accesses.note((entity.id,))
    shown = graph.accesses.shown(entity)
    return answer(EntityReply(entity=entity_body(shown), message="Found"))


async def find_entity(graph: AgentGraph, arguments: FindEntity, context: CallContext) -> Reply:
    """Find entities by name or alias."""
    channel = graph.channel(arguments.channel_id, context)
    async with graph.graph() as store:
        found = await queries.by_name(store, channel, arguments.name, exact=arguments.exact, limit=arguments.limit)
    shown = tuple(entity_body(graph.accesses.shown(entity)) for entity in found.entities)
    message = f"Found {counted(found.total, 'entity', 'entities')}"
    return answer(FoundReply(entities=shown, count=len(shown), total_found=found.total, message=message))


async def get_high_utility_entities(
    graph: AgentGraph, arguments: GetHighUtilityEntities, context: CallContext
) -> Reply:
    """Return the most useful entities of a channel."""
    channel = graph.channel(arguments.channel_id, context)
    async with graph.graph() as store:
        best = await queries.most_useful(store, graph.accesses, channel, arguments.limit)
    shown = tuple(entity_body(entity) for entity in best)
    message = f"Found {counted(len(shown), 'entity', 'entities')}"
    return answer(EntitiesReply(entities=shown, count=len(shown), message=message))


async def create_entity(graph: AgentGraph, arguments: CreateEntity, context: CallContext) -> Reply:
    """File an entity, or add aliases to the one of this name and type that the channel has."""
    channel = graph.channel(arguments.channel_id, context)
    await graph.sites.graph()
    new_id = graph.new_id()
    draft = Draft(
        channel,
        arguments.name,
        arguments.type,
        arguments.aliases,
        arguments.description,
        arguments.confidence,
        context.tool,
    )

    def decide(histories: Histories) -> Decision[Found]:
        return entities.create(histories, new_id, draft)

    claim = NAMES.stream(name_key(channel, arguments.type, arguments.name))
    written = await graph.write(decide, context, streams=(claim, entity_stream(new_id)))
    [entity] = await graph.entities_of(written, (written.value.id,))
    message = done("Entity created" if written.value.is_new else "Entity exists already", written)
    return answer(EntityReply(entity=entity_body(entity), message=message), meta=written.note)


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
