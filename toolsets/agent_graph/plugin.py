"""What the agent_graph toolset registers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.agent_graph.streams import TOOLSET
from toolsets.agent_graph.tools import context, entities, extraction, maintenance, relationships
from toolsets.agent_graph.tools.making import joined
from toolsets.spec import BackgroundTask, RunningToolset, Services, Toolset, ToolsetHealth, hookimpl

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
        assemble=assemble,
    )


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Join the toolset to its stores; nothing is opened yet. Leaving records the last reads and gives the lease back."""
    graph = AgentGraph(services)
    families = (entities, relationships, context, extraction, maintenance)
    tools = tuple(joined(graph, tool) for family in families for tool in family.TOOLS)
    if graph.settings.extensions:
        tools += tuple(joined(graph, tool) for tool in maintenance.EXTENSIONS)

    async def health() -> ToolsetHealth:
        return (await graph.sourced.trouble()).health()

    try:
        yield RunningToolset(
            tools=tools,
            background=(
                BackgroundTask(f"{TOOLSET} relay", graph.sourced.relay.run),
                BackgroundTask(f"{TOOLSET} reads", graph.count_reads),
            ),
            open=graph.sourced.ready,
            health=health,
            rebuild=graph.sourced.rebuilder,
        )
    finally:
        await graph.release()
