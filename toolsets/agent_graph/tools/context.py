"""The context tools: the part of the graph that is relevant to keywords, a task, or a phase of the work."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from backends.ports.values import Json
from toolsets.agent_graph import contexts
from toolsets.agent_graph.contexts import Context, Focus, Phase, Subgraph
from toolsets.agent_graph.entity import Entity, UnknownEntity
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.tools.entities import COUNTS
from toolsets.agent_graph.tools.fields import (
    EntityBody,
    EntityId,
    EntityName,
    InChannel,
    Name,
    RelationshipBody,
    Success,
    elapsed_ms,
    entity_body,
    relationship_body,
)
from toolsets.arguments import Filled
from toolsets.replies import MAX_PAGE_BYTES, CamelBody, Number, counted, cut_sentence, fitting_rows, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

MAX_KEYWORDS = 50
"""Each keyword is a search of its own."""
MAX_FOCUS = 50
"""A context holds no more entities (`contexts.MOST`)."""
_NO_TASKS = frozenset({"kg_create_entity", "kg_extract_from_text"})
"""Tool names that are the source of entities without a task."""


class GetContext(InChannel):
    """The subject of a context; without one it is the most useful part of the graph."""

    task_id: Annotated[Name | None, Field(description="Adds the entities that were found in this task.")] = None
    keywords: Annotated[
        tuple[EntityName, ...],
        Field(max_length=MAX_KEYWORDS, strict=False, description="Parts of names, aliases or descriptions."),
    ] = ()


class GetPhaseContext(InChannel):
    """A phase, and its task."""

    phase: Phase
    task_content: Annotated[Filled | None, Field(description="What the task is; its words are looked up.")] = None
    entity_ids: Annotated[
        tuple[EntityId, ...], Field(max_length=MAX_FOCUS, strict=False, description="The entities to begin with.")
    ] = ()


class Stats(CamelBody):
    """The size of a context."""

    entity_count: int
    relationship_count: int


class ContextBody(CamelBody):
    """A part of the graph, and the most useful entities."""

    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    high_utility_entities: tuple[EntityBody, ...]
    stats: Stats


class ContextReply(Success):
    """A context."""

    nothing: ClassVar[Mapping[str, Json]] = {"context": None}

    context: ContextBody | None
    stats: Stats
    message: str


class PhaseBody(CamelBody):
    """A part of the graph, chosen for a phase."""

    phase: str
    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    summary: str
    execution_time_ms: Number


class PhaseReply(Success):
    """The context of a phase."""

    nothing: ClassVar[Mapping[str, Json]] = {"phaseContext": None}

    phase_context: PhaseBody | None
    entity_count: int
    relationship_count: int
    summary: str
    execution_time_ms: Number
    message: str


async def get_context(toolset: AgentGraph, arguments: GetContext, context: CallContext) -> Reply:
    """Return the entities relevant to keywords and task, the most useful entities, and the edges among all of them."""
    channel = toolset.channel(arguments.channel_id, context)
    async with toolset.graph() as graph:
        task = None if arguments.task_id in _NO_TASKS else arguments.task_id
        found = await contexts.context(graph, toolset.read_counts, channel, arguments.keywords, task)
    entities = fitting_rows([entity_body(entity) for entity in found.entities], MAX_PAGE_BYTES // 2)
    # The most useful entities are ranked by reads, so counting them as read would reinforce the ranking.
    toolset.read_counts.count(entity.id for entity in entities)
    relationships = fitting_rows([relationship_body(edge) for edge in found.relationships], MAX_PAGE_BYTES // 4)
    body = ContextBody(
        entities=entities,
        relationships=relationships,
        high_utility_entities=fitting_rows([entity_body(entity) for entity in found.useful], MAX_PAGE_BYTES // 4),
        stats=Stats(entity_count=len(entities), relationship_count=len(relationships)),
    )
    cut = contexts.cut_note(found.total, len(entities)) + _cut(found, body)
    return reply_of(
        ContextReply(
            context=body,
            stats=body.stats,
            message=f"Found {_size(body)}{cut}",
        )
    )


async def get_phase_context(toolset: AgentGraph, arguments: GetPhaseContext, context: CallContext) -> Reply:
    """Return what the phase needs, and count a read of each entity."""
    started = toolset.now()
    phase = arguments.phase
    channel = toolset.channel(arguments.channel_id, context)
    found: Mapping[str, Entity] = await toolset.entities(arguments.entity_ids, context) if arguments.entity_ids else {}
    seeds = tuple({seed.id: seed for seed in found.values()}.values())
    if seeds:
        # The configured default channel does not bind the call; the channel of the entities applies.
        is_bound = arguments.channel_id is not None or toolset.bound(context) is not None
        channel = _common_channel(seeds, channel if is_bound else seeds[0].channel)
    shown = tuple(toolset.read_counts.with_unrecorded_reads(seed) for seed in seeds)
    focus = Focus(channel, shown, arguments.task_content or "")
    async with toolset.graph() as graph:
        part: Subgraph = await contexts.subgraph_for(phase, graph, toolset.read_counts, focus)
    entities = fitting_rows([entity_body(entity) for entity in part.entities], MAX_PAGE_BYTES * 3 // 4)
    toolset.read_counts.count(entity.id for entity in entities if entity.id not in part.ranked)
    body = PhaseBody(
        phase=phase,
        entities=entities,
        relationships=fitting_rows([relationship_body(edge) for edge in part.relationships], MAX_PAGE_BYTES // 4),
        summary=part.summary_of(part.entities[: len(entities)]),
        execution_time_ms=elapsed_ms(started, toolset.now),
    )
    reply = PhaseReply(
        phase_context=body,
        entity_count=len(body.entities),
        relationship_count=len(body.relationships),
        summary=body.summary,
        execution_time_ms=body.execution_time_ms,
        message=f"Found {_size(body)} for the {phase} phase{_cut(part, body)}",
    )
    return reply_of(reply)


def _common_channel(seeds: Sequence[Entity], channel: str) -> str:
    """Return `channel`. Raises `UnknownEntity` for an entity of another channel."""
    for seed in seeds:
        if seed.channel != channel:
            raise UnknownEntity(seed.id)
    return channel


def _cut(found: Context | Subgraph, body: ContextBody | PhaseBody) -> str:
    """Return the end of the message: how much of all that was found is shown if the size limit cut any of the lists."""
    shown = len(body.entities) + len(body.relationships)
    among = len(found.entities) + len(found.relationships)
    if isinstance(found, Context) and isinstance(body, ContextBody):
        shown, among = shown + len(body.high_utility_entities), among + len(found.useful)
    return cut_sentence(shown, among)


def _size(body: ContextBody | PhaseBody) -> str:
    entities = counted(len(body.entities), "entity", "entities")
    return f"{entities} and {counted(len(body.relationships), 'relationship', 'relationships')}"


TOOLS = (
    Tool(
        "kg_get_context",
        "Get context",
        "Collect the part of the graph that is related to keywords or a task, and the most useful entities.",
        GetContext,
        ContextReply,
        get_context,
        COUNTS,
    ),
    Tool(
        "kg_get_phase_context",
        "Get phase context",
        "Collect what a phase of the work needs: observation, reasoning, planning, action or reflection.",
        GetPhaseContext,
        PhaseReply,
        get_phase_context,
        COUNTS,
    ),
)
