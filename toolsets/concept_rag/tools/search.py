"""The search tools: documents, chunks of all documents, and chunks of one document."""

from collections.abc import Mapping
from typing import Annotated

import orjson
from pydantic import BaseModel, Field

from toolsets.arguments import Arguments
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.search.chunks import FoundChunk, search_chunks
from toolsets.concept_rag.search.documents import search_documents
from toolsets.concept_rag.search.scores import MAX_DOCUMENTS, decimal, leading
from toolsets.concept_rag.tools.fields import CatalogId, Question, absent
from toolsets.replies import Body
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

Components = Annotated[
    Mapping[str, str] | None,
    Field(exclude_if=absent, description="What the score consists of; only with DEBUG_SEARCH=true."),
]


class Search(Arguments):
    """A question."""

    text: Question


class SearchDocument(Arguments):
    """A question and a document."""

    text: Question
    catalog_id: CatalogId


class DocumentRow(Body):
    """A document of a result."""

    catalog_id: int
    title: str
    summary: str
    score: str
    expanded_terms: tuple[str, ...]
    score_components: Components = None


class BroadRow(Body):
    """A chunk of a result over all documents."""

    catalog_id: int
    title: str
    text: str
    page_number: int
    concepts: tuple[str, ...]
    score: str
    expanded_terms: tuple[str, ...]
    score_components: Components = None


class ChunkRow(Body):
    """A chunk of the searched document; `concept_ids` has the ids of `concepts`, in the same order."""

    title: str
    text: str
    concepts: tuple[str, ...]
    concept_ids: tuple[int, ...]


class Documents(Body):
    """Documents, best first."""

    result: tuple[DocumentRow, ...]


class BroadChunks(Body):
    """Chunks, best first."""

    result: tuple[BroadRow, ...]


class Chunks(Body):
    """Chunks of one document, best first."""

    result: tuple[ChunkRow, ...]


async def catalog_search(library: Library, arguments: Search, context: CallContext) -> Reply:
    """Rank documents by the documented weights, and return the leading cluster."""
    found = await search_documents(library, arguments.text)
    terms = tuple(found.expanded_terms)
    rows = tuple(
        DocumentRow(
            catalog_id=each.item.catalog_id,
            title=each.item.title,
            summary=each.item.summary,
            score=decimal(each.score),
            expanded_terms=terms,
            score_components=components(library, each.components),
        )
        for each in leading(found.ranked, MAX_DOCUMENTS)
    )
    return array_reply(Documents(result=rows))


async def broad_chunks_search(library: Library, arguments: Search, context: CallContext) -> Reply:
    """Rank the chunks of all documents' bodies by the documented weights, and return the leading cluster."""
    found = await search_chunks(library, arguments.text)
    best = leading(found.ranked)
    names = await library.names([id_ for each in best for id_ in each.item.concepts])
    terms = tuple(found.expanded_terms)
    rows = tuple(
        BroadRow(
            catalog_id=each.item.document.catalog_id,
            title=each.item.document.title,
            text=each.item.text,
            page_number=each.item.page,
            concepts=tuple(names[id_] for id_ in each.item.concepts if id_ in names),
            score=decimal(each.score),
            expanded_terms=terms,
            score_components=components(library, each.components),
        )
        for each in best
    )
    return array_reply(BroadChunks(result=rows))


async def chunks_search(library: Library, arguments: SearchDocument, context: CallContext) -> Reply:
    """Rank the chunks of one document by the same weights, and return the first `chunks_per_document`."""
    document = await library.document(arguments.catalog_id)
    found = await search_chunks(library, arguments.text, document)
    best = [each.item for each in found.ranked[: library.settings.chunks_per_document]]
    names = await library.names([id_ for chunk in best for id_ in chunk.concepts])
    return array_reply(Chunks(result=tuple(_chunk_row(chunk, names) for chunk in best)))


def _chunk_row(chunk: FoundChunk, names: Mapping[int, str]) -> ChunkRow:
    known = [id_ for id_ in chunk.concepts if id_ in names]
    return ChunkRow(
        title=chunk.document.title,
        text=chunk.text,
        concepts=tuple(names[id_] for id_ in known),
        concept_ids=tuple(known),
    )


def components(library: Library, scored: Mapping[str, float]) -> Mapping[str, str] | None:
    """Return the components of a score as printed; None unless `debug_search` is on."""
    return {name: decimal(value) for name, value in scored.items()} if library.settings.debug_search else None


def array_reply(body: BaseModel) -> Reply:
    """Return a reply whose text is the bare array of its `result`."""
    structured = body.model_dump(mode="json")
    return Reply(structured, text=orjson.dumps(structured["result"]).decode())


TOOLS = (
    Tool(
        "catalog_search",
        "Search the catalog",
        "Find documents by what their title, summary and concepts say; best first. Use it to learn what there is on a subject, "
        "and for the catalog_id that chunks_search needs.",
        Search,
        Documents,
        catalog_search,
    ),
    Tool(
        "broad_chunks_search",
        "Search all documents",
        "Find passages in all documents that answer a question; best first, with page and concepts. Use it when no document "
        "is given.",
        Search,
        BroadChunks,
        broad_chunks_search,
    ),
    Tool(
        "chunks_search",
        "Search one document",
        "Find the passages of one document that answer a question; best first.",
        SearchDocument,
        Chunks,
        chunks_search,
    ),
)
