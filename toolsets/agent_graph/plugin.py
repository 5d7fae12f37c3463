"""The agent_graph toolset: its registration and its assembly."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from backends.ports.values import Json, JsonObject
from toolsets.agent_graph.errors import GraphEnvelope
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.agent_graph.streams import TOOLSET
from toolsets.agent_graph.tools import context, entities, extraction, maintenance, relationships
from toolsets.agent_graph.tools.fields import Success
from toolsets.arguments import Arguments
from toolsets.spec import (
    BackgroundTask,
    CallContext,
    Reply,
    RunningToolset,
    Services,
    Toolset,
    ToolSpec,
    hookimpl,
)
from toolsets.tools import Tool

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)

_NO_PAYLOAD: JsonObject = {}

INSTRUCTIONS = """\
Agent graph (kg_ tools): entities such as people, projects and technologies, and typed relationships, kept apart by channel.
- Before a task: kg_get_context with keywords, or kg_get_phase_context for a phase of the work.
- kg_find_entity finds by name or alias; kg_get_neighbors and kg_find_path follow relationships.
- To store what a text says use kg_extract_from_text; kg_create_entity and kg_create_relationship for single facts.
- Now and then: kg_find_duplicates, then kg_merge_entities with entity1 as the target."""


@hookimpl
def entrepot_toolset() -> Toolset:
    """Return the agent_graph toolset."""
    return Toolset(
        name=TOOLSET,
        title="Agent graph",
        instructions=INSTRUCTIONS,
        settings=AgentGraphSettings,
        ports=frozenset(("graph", "events")),
        optional_ports=frozenset(("language",)),
        assemble=assemble,
    )


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Connect the toolset to its stores without opening them; leaving records the last reads and releases the lease."""
    graph = AgentGraph(services)
    families = (entities, relationships, context, extraction, maintenance)
    tools = tuple(_spec_of(graph, tool) for family in families for tool in family.TOOLS)
    if graph.settings.extensions:
        tools += tuple(_spec_of(graph, tool) for tool in maintenance.EXTENSIONS)
    async with graph.sourced.running(TOOLSET, tools) as running:
        try:
            reads = BackgroundTask(f"{TOOLSET} reads", graph.count_reads)
            yield replace(running, background=(*running.background, reads))
        finally:
            await graph.record_last_reads()


def _spec_of(graph: AgentGraph, tool: Tool[AgentGraph, ArgumentsT]) -> ToolSpec:
    """Return the tool with its own envelope. While the toolset is switched off, every call returns that error."""
    form = tool.reply
    payload: JsonObject = form.nothing if isinstance(form, type) and issubclass(form, Success) else _NO_PAYLOAD
    envelope = GraphEnvelope(tool.name, payload)
    spec = tool.spec(graph, envelope)

    async def call(arguments: Mapping[str, Json], context: CallContext) -> Reply:
        if not graph.settings.active:
            return envelope.reply("Knowledge Graph is disabled")
        return await spec.call(arguments, context)

    return replace(spec, call=call)
