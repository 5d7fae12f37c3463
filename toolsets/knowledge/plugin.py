"""What the knowledge toolset registers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from backends.ports.errors import StoreError
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.knowledge.streams import TOOLSET
from toolsets.knowledge.tools import analytics, concepts, relationships, search, system, traversal
from toolsets.sourcing.stats import event_counts, outbox
from toolsets.spec import BackgroundTask, RunningToolset, Services, Toolset, ToolsetHealth, hookimpl

RELEASE_S = 0.5

INSTRUCTIONS = """\
Knowledge: concepts (a name with an explanation, filed under area, topic and subtopic) and typed relationships between them.
- Look before you write: search_concepts_semantic for a question, search_concepts_exact for a name or placement.
- create_concept for something new, update_concept to improve what is there; list_hierarchy shows existing placements.
- create_relationship: prerequisite A -> B means B requires A. get_prerequisites gives a learning path.
- get_concepts_by_certainty lists what needs review. After service_unavailable ask get_tool_availability."""


@hookimpl
def entrepot_toolset() -> Toolset:
    """Return the knowledge toolset."""
    return Toolset(
        name=TOOLSET,
        title="Knowledge",
        instructions=INSTRUCTIONS,
        settings=KnowledgeSettings,
        ports=frozenset(("graph", "vectors", "events", "embedder")),
        assemble=assemble,
    )


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Join the toolset to its stores; nothing is opened yet. Leaving gives the relay's lease back."""
    knowledge = Knowledge(services)
    families = (system, concepts, search, relationships, traversal, analytics)
    tools = tuple(tool.spec(knowledge) for family in families for tool in family.TOOLS)

    async def ready() -> None:
        await knowledge.sites.open()
        await knowledge.relay.catch_up_before_serving()

    async def health() -> ToolsetHealth:
        return await _health(knowledge)

    try:
        yield RunningToolset(
            tools=tools,
            background=(BackgroundTask(f"{TOOLSET} relay", knowledge.relay.run),),
            open=ready,
            health=health,
            rebuild=knowledge.rebuilder,
        )
    finally:
        # The server may be shutting down by cancellation; a lease that is not given back only runs out later.
        with anyio.move_on_after(RELEASE_S, shield=True):
            await knowledge.relay.release()


async def _health(knowledge: Knowledge) -> ToolsetHealth:
    """Ask every store; what is waiting does no harm, what failed or does not answer does."""
    up = await system.services_up(knowledge)
    problems = [f"{service} does not answer" for service, answers in up.items() if not answers]
    problems = [problem for problem in problems if not problem.startswith("confidence_service")]
    lag = 0
    try:
        counts = await event_counts(await knowledge.sites.log(), knowledge.sites.projector)
        counted = await outbox(knowledge.sites, counts)
    except StoreError as error:
        problems.append(f"the event log cannot be counted: {error}")
    else:
        lag = counted.pending + counted.failed
        if counted.failed:
            problems.append(f"{counted.failed} projections failed and are tried again")
    return ToolsetHealth(ok=not problems, lag=lag, problems=tuple(problems))
