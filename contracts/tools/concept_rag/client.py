"""The concept_rag tools, called with typed replies, on the library of the suite."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection, Serving
from contracts.tools.concept_rag.library import TITLES
from contracts.tools.concept_rag.replies import (
    CatalogHit,
    Categories,
    CategoryConcepts,
    CategoryReply,
    ChunkHit,
    ConceptReply,
    ConceptSources,
    DocumentChunk,
    DocumentConcepts,
    ErrorEnvelope,
    SourceConcepts,
    Visuals,
)

RowT = TypeVar("RowT", bound=BaseModel)


class FileReport(BaseModel):
    """A line of the ingest command."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    status: str
    reason: str | None = None
    catalog_id: int | None = None
    pages: int | None = None
    chunks: int | None = None
    concepts: int | None = None
    visuals: int | None = None


@dataclass(frozen=True)
class Library:
    """Ingested documents, and the server that serves them."""

    serving: Serving
    folder: Path
    reports: Mapping[str, FileReport]
    """The report on each file, by its name in the folder."""

    def catalog_id(self, name: str) -> int:
        """Return the id of the document in a file."""
        found = self.reports[name].catalog_id
        assert found is not None, self.reports[name]
        return found

    @cached_property
    def added(self) -> Sequence[FileReport]:
        """The files that became documents."""
        return [report for report in self.reports.values() if report.status == "added"]


@dataclass(frozen=True, slots=True)
class ConceptRagClient:
    """Calls tools over a connection."""

    connection: McpConnection
    library: Library

    async def bare(self, tool: str, **arguments: Json) -> Json:
        """Call a tool that must succeed with a bare list or text, and return that."""
        reply = await self.connection.call(tool, arguments)
        assert not reply.is_error, reply.text
        assert set(reply.structured) == {"result"}
        return reply.structured["result"]

    async def rows(self, model: type[RowT], tool: str, **arguments: Json) -> list[RowT]:
        """Call a tool that must succeed with a bare list, and return its rows in the documented shape."""
        found = await self.bare(tool, **arguments)
        assert isinstance(found, list)
        return [model.model_validate_json(json.dumps(row)) for row in found]

    async def catalog(self, text: str) -> list[CatalogHit]:
        """Return the documents that a question finds."""
        found = await self.rows(CatalogHit, "catalog_search", text=text)
        assert {hit.title for hit in found} <= TITLES
        return found

    async def broad(self, text: str) -> list[ChunkHit]:
        """Return the chunks that a question finds."""
        return await self.rows(ChunkHit, "broad_chunks_search", text=text)

    async def within(self, name: str, text: str) -> list[DocumentChunk]:
        """Return the chunks of one document that a question finds."""
        number = self.library.catalog_id(name)
        return await self.rows(DocumentChunk, "chunks_search", text=text, catalog_id=number)

    async def concept(self, concept: str, **more: Json) -> ConceptReply:
        """Return everything about a concept."""
        return await self.connection.ask(ConceptReply, "concept_search", concept=concept, **more)

    async def extract(self, query: str, **more: Json) -> DocumentConcepts:
        """Return the concepts of the document that a question finds."""
        return await self.connection.ask(DocumentConcepts, "extract_concepts", document_query=query, **more)

    async def union(self, *concepts: str, **more: Json) -> SourceConcepts:
        """Return the documents of several concepts, each once."""
        return await self.connection.ask(SourceConcepts, "source_concepts", concept=list(concepts), **more)

    async def apart(self, *concepts: str, **more: Json) -> ConceptSources:
        """Return the documents of each concept."""
        return await self.connection.ask(ConceptSources, "concept_sources", concept=list(concepts), **more)

    async def category(self, category: Json, **more: Json) -> CategoryReply:
        """Return a category with its documents."""
        return await self.connection.ask(CategoryReply, "category_search", category=category, **more)

    async def categories(self, **more: Json) -> Categories:
        """Return the list of categories."""
        return await self.connection.ask(Categories, "list_categories", **more)

    async def concepts_in(self, category: str, **more: Json) -> CategoryConcepts:
        """Return the concepts of a category."""
        return await self.connection.ask(CategoryConcepts, "list_concepts_in_category", category=category, **more)

    async def visuals(self, **filters: Json) -> Visuals:
        """Return visuals."""
        reply = await self.connection.ask(Visuals, "get_visuals", **filters)
        assert reply.total_returned == len(reply.visuals)
        return reply

    async def refused(self, tool: str, arguments: JsonObject) -> ErrorEnvelope:
        """Call a tool that must refuse, and return the error."""
        reply = await self.connection.call(tool, arguments)
        assert reply.is_error, (arguments, reply.text)
        return ErrorEnvelope.model_validate_json(json.dumps(reply.structured))
