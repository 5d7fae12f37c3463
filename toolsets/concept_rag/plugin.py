"""The registration of the concept_rag toolset: instructions, tools and commands."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import anyio

from backends.ports.errors import StoreError
from toolsets.concept_rag.commands.documents import documents as documents_command
from toolsets.concept_rag.commands.ingest import ingest
from toolsets.concept_rag.errors import ConceptRagEnvelope
from toolsets.concept_rag.health import ConceptRagHealth, FolderStatus
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.streams import TOOLSET
from toolsets.concept_rag.tools import categories, concepts, documents, guidance, search, visuals
from toolsets.sourcing.leadership import RELEASE_S
from toolsets.spec import BackgroundTask, CommandSpec, RunningToolset, Services, Toolset, ToolSpec, hookimpl

FAMILIES = (search, concepts, documents, categories, visuals, guidance)
INSTRUCTIONS = """\
Concept RAG: documents with their summaries, chunks, concepts, categories and visuals. They are added with `entrepot ingest PATH`.
- A question: broad_chunks_search, or catalog_search for the documents and chunks_search within one of them.
- A concept: concept_search shows where it occurs; source_concepts and concept_sources name the documents of several.
- Browsing: list_categories, then category_search or list_concepts_in_category. Pictures: get_visuals.
- get_guidance tells in detail which tool to use when."""


@hookimpl
def entrepot_toolset() -> Toolset:
    """Return the concept_rag toolset."""
    return Toolset(
        name=TOOLSET,
        title="Concept RAG",
        instructions=INSTRUCTIONS,
        settings=ConceptRagSettings,
        ports=frozenset(("graph", "vectors", "events", "embedder")),
        optional_ports=frozenset(("language",)),
        assemble=assemble,
    )


def tools_of(library: Library, envelope: ConceptRagEnvelope) -> tuple[ToolSpec, ...]:
    """Return the tools of a library."""
    return tuple(tool.spec(library, envelope) for family in FAMILIES for tool in family.TOOLS)


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Connect the toolset to its stores, without opening them. Leaving the context releases the leases."""
    rag = ConceptRag(services)
    library = Library(rag)
    status = FolderStatus()
    folders = None
    watch: tuple[BackgroundTask, ...] = ()
    if rag.settings.folders:
        # Importing the ingestion modules takes 0.1 s.
        from toolsets.concept_rag.folders import Folders

        folders = Folders(rag, status)
        watch = (BackgroundTask(f"{TOOLSET} folders", folders.run),)
    async with rag.sourced.running(TOOLSET, tools_of(library, ConceptRagEnvelope(services.now))) as running:
        try:
            yield replace(
                running,
                resource_templates=(visuals.visual_resources(library),),
                commands=(CommandSpec(ingest, rag, makes_data_dir=True), CommandSpec(documents_command, rag)),
                background=(*running.background, *watch),
                health=ConceptRagHealth(rag, status),
            )
        finally:
            if folders is not None:
                with suppress(StoreError), anyio.move_on_after(RELEASE_S, shield=True):
                    await folders.release()
