"""What the memory toolset registers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from backends.ports.errors import StoreError
from toolsets.memory.commands import databases_command
from toolsets.memory.errors import ENVELOPE
from toolsets.memory.purging import finish_purges
from toolsets.memory.rebuilding import MemoryRebuild
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import TOOLSET
from toolsets.memory.tools import entities, relationships, search, summary, traversal
from toolsets.sourcing.health import Trouble, embedder_trouble
from toolsets.spec import (
    BackgroundTask,
    CallContext,
    ResourceSpec,
    RunningToolset,
    Services,
    Toolset,
    ToolsetHealth,
    hookimpl,
)

INSTRUCTIONS = """\
Memory: entities (a name, a type, observations) and typed relationships between them, in several databases apart.
- The resource kuzu://databases/list names the databases; every tool but get_graph_summary needs one.
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
    """Join the toolset to its stores; nothing is opened yet. Leaving gives the relays' leases back."""
    memory = Memory(services)
    families = (entities, relationships, search, traversal, summary)

    async def listed(context: CallContext) -> str:
        return await summary.databases_list(memory)

    async def health() -> ToolsetHealth:
        return await _health(memory)

    async def purges() -> None:
        await finish_purges(services.stores, memory.catalogue)

    try:
        yield RunningToolset(
            tools=tuple(tool.spec(memory, ENVELOPE) for family in families for tool in family.TOOLS),
            resources=(
                ResourceSpec(
                    summary.URI, "databases", "Databases", "The databases there are.", "application/json", listed
                ),
            ),
            commands=(databases_command(memory),),
            background=(
                BackgroundTask(f"{TOOLSET} relays", memory.attachments.run),
                BackgroundTask(f"{TOOLSET} purges", purges),
            ),
            open=memory.prepare,
            health=health,
            rebuild=MemoryRebuild(memory.catalogue, memory.attachments),
        )
    finally:
        await memory.attachments.release()


async def _health(memory: Memory) -> ToolsetHealth:
    """Ask the embedder, and every database's log and stores; a problem that several databases have is told once."""
    stores = await embedder_trouble(memory.services.stores)
    try:
        live = await memory.catalogue.live()
    except StoreError as error:
        return Trouble().health(*stores, f"the list of databases cannot be read: {error}")
    lag, told = 0, dict[str, list[str]]()
    for name, database in live.items():
        trouble = await memory.attachments.unattached(database).trouble()
        lag += trouble.lag
        for problem in trouble.problems:
            told.setdefault(problem, []).append(name)
    problems = (f"{_databases(names)}: {problem}" for problem, names in told.items())
    return Trouble(lag, tuple(problems)).health(*stores)


def _databases(names: list[str]) -> str:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"database {names[0]}{others}"
