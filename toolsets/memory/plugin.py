"""The registration of the memory toolset."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from toolsets.memory.commands import databases
from toolsets.memory.errors import ENVELOPE
from toolsets.memory.health import DatabasesHealth
from toolsets.memory.purge import Purger
from toolsets.memory.rebuild import MemoryRebuild
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import TOOLSET
from toolsets.memory.tools import entities, relationships, search, summary, traversal
from toolsets.spec import (
    BackgroundTask,
    CallContext,
    CommandSpec,
    ResourceSpec,
    RunningToolset,
    Services,
    Toolset,
    hookimpl,
)

INSTRUCTIONS = """\
Memory: entities (a name, a type, observations) and typed relationships between them, in separate databases.
- The resource kuzu://databases/list names the databases; without `database` a tool works in the primary one.
- Look before you write: search_entities for words, semantic_search for a question.
- create_entity for something new, add_observations for what else is known, create_relationship between stored entities.
- get_related_entities shows what is linked to an entity; get_graph_summary counts."""


@hookimpl
def entrepot_toolset() -> Toolset:
    """Return the memory toolset."""
    return Toolset(
        name=TOOLSET,
        title="Memory",
        instructions=INSTRUCTIONS,
        settings=MemorySettings,
        ports=frozenset(("graph", "vectors", "events", "embedder")),
        assemble=assemble,
    )


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Connect the toolset to its stores without opening them; leaving releases the relays' leases."""
    memory = Memory(services)
    families = (entities, relationships, search, traversal, summary)

    async def listed(context: CallContext) -> str:
        return await summary.databases_list(memory)

    try:
        yield RunningToolset(
            tools=tuple(tool.spec(memory, ENVELOPE) for family in families for tool in family.TOOLS),
            resources=(
                ResourceSpec(
                    summary.URI,
                    "databases",
                    "Databases",
                    "The databases, the primary one first.",
                    "application/json",
                    listed,
                ),
            ),
            commands=(CommandSpec(databases, memory),),
            background=(
                BackgroundTask(f"{TOOLSET} relays", memory.open_databases.run),
                BackgroundTask(f"{TOOLSET} purges", Purger(services.stores, memory.databases).run),
            ),
            open=memory.prepare,
            health=DatabasesHealth(memory).check,
            rebuild=MemoryRebuild(services.stores, memory.databases, memory.open_databases),
        )
    finally:
        await memory.open_databases.release()
