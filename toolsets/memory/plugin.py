"""What the memory toolset registers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from backends.ports.errors import StoreError
from toolsets.memory.commands import databases_command
from toolsets.memory.errors import ENVELOPE
from toolsets.memory.rebuilding import MemoryRebuild
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import TOOLSET
from toolsets.memory.tools import entities, relationships, search, summary, traversal
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

    try:
        yield RunningToolset(
            tools=tuple(tool.spec(memory, ENVELOPE) for family in families for tool in family.TOOLS),
            resources=(
                ResourceSpec(
                    summary.URI, "databases", "Databases", "The databases there are.", "application/json", listed
                ),
            ),
            commands=(databases_command(memory),),
            background=(BackgroundTask(f"{TOOLSET} relays", memory.attachments.run),),
            open=memory.prepare,
            health=health,
            rebuild=MemoryRebuild(memory.catalogue, memory.attachments),
        )
    finally:
        await memory.attachments.release()


async def _health(memory: Memory) -> ToolsetHealth:
    """Ask the embedder, and every database that has anything; what is waiting does no harm, what failed does."""
    problems: list[str] = []
    lag = 0
    try:
        await (await memory.services.stores.embedder()).embed(("ready?",))
    except StoreError as error:
        problems.append(f"the embedder does not answer: {error}")
    try:
        live = await memory.catalogue.live()
    except StoreError as error:
        return ToolsetHealth(ok=False, problems=(*problems, f"the list of databases cannot be read: {error}"))
    for name, database in live.items():
        waiting, troubles = await memory.attachments.unattached(database).trouble()
        lag += waiting
        problems.extend(f"database {name}: {trouble}" for trouble in troubles)
    return ToolsetHealth(ok=not problems, lag=lag, problems=tuple(problems))
