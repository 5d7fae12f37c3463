"""The registration of the knowledge toolset."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from toolsets.knowledge.commands import restore
from toolsets.knowledge.errors import ENVELOPE
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.knowledge.streams import TOOLSET
from toolsets.knowledge.tools import analytics, concepts, relationships, search, system, traversal
from toolsets.spec import CommandSpec, RunningToolset, Services, Toolset, hookimpl

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
    """Connect the toolset to its stores without opening them; leaving releases the relay's leases."""
    knowledge = Knowledge(services)
    families = (system, concepts, search, relationships, traversal, analytics)
    tools = tuple(tool.spec(knowledge, ENVELOPE) for family in families for tool in family.TOOLS)
    if knowledge.settings.extensions:
        tools += tuple(tool.spec(knowledge, ENVELOPE) for tool in concepts.EXTENSIONS)
    async with knowledge.sourced.running(TOOLSET, tools) as running:
        yield replace(running, commands=(CommandSpec(restore, knowledge),))
