"""The registration of the memory toolset."""

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from functools import partial

from backends.ports.errors import StoreError
from toolsets.memory.commands import databases
from toolsets.memory.errors import ENVELOPE
from toolsets.memory.purge import Purger
from toolsets.memory.rebuild import MemoryRebuild
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import TOOLSET
from toolsets.memory.tools import entities, relationships, search, summary, traversal
from toolsets.sourcing.health import SourcedHealth, embedder_problems, failures_of
from toolsets.sourcing.projection import PORTS, ProjectionPort
from toolsets.sourcing.stores import IDENTITY, store_meta
from toolsets.spec import (
    BackgroundTask,
    CallContext,
    CommandSpec,
    ResourceSpec,
    RunningToolset,
    Services,
    Toolset,
    ToolsetHealth,
    hookimpl,
)

INSTRUCTIONS = """\
Memory: entities (a name, a type, observations) and typed relationships between them, in several databases apart.
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
            commands=(CommandSpec(databases, memory),),
            background=(
                BackgroundTask(f"{TOOLSET} relays", memory.open_databases.run),
                BackgroundTask(f"{TOOLSET} purges", Purger(services.stores, memory.databases).run),
            ),
            open=memory.prepare,
            health=health,
            rebuild=MemoryRebuild(services.stores, memory.databases, memory.open_databases),
        )
    finally:
        await memory.open_databases.release()


async def _health(memory: Memory) -> ToolsetHealth:
    """Query the embedder and the log and stores of every database; a problem of several databases is reported once."""
    stores = await embedder_problems(memory.services.stores)
    try:
        live = await memory.databases.recorded()
    except StoreError as error:
        return SourcedHealth(None).toolset_health(*stores, f"the list of databases cannot be read: {error}")
    lags: list[int | None] = []
    # Without a database, the stores of the future primary one are queried.
    affected = {} if live else {problem: [memory.settings.primary] for problem in await _store_problems(memory)}
    for name, database in live.items():
        health = await memory.open_databases.sourced_of(database).health()
        lags.append(health.lag)
        for problem in (each for each in health.problems if each not in stores):
            affected.setdefault(problem, []).append(name)
    problems = (f"{_databases(names)}: {problem}" for problem, names in affected.items())
    known = [lag for lag in lags if lag is not None]
    lag = sum(known) if len(known) == len(lags) and (live or not affected) else None
    return SourcedHealth(lag, tuple(problems)).toolset_health(*stores)


async def _store_problems(memory: Memory) -> Collection[str]:
    async def ask(port: ProjectionPort) -> None:
        await (await store_meta(memory.services.stores, port)).get_meta(IDENTITY)

    return (await failures_of({PORTS[port]: partial(ask, port) for port in PORTS})).values()


def _databases(names: list[str]) -> str:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"database {names[0]}{others}"
