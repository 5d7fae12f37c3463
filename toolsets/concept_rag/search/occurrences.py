"""Occurrences: all chunks that name a concept, found through the documents that mention it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends.ports.filters import And, Filter, Has, In
from backends.ports.values import MAX_PAGE, RecordId
from backends.ports.vectors import MAX_HITS, VectorRecord
from toolsets.concept_rag.concepts import Concept
from toolsets.concept_rag.entries import DocumentEntry, MentionEntry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.mentions import ConceptMatcher
from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.projections import CHUNKS
from toolsets.concept_rag.search.chunks import FoundChunk
from toolsets.concept_rag.search.concepts import FoundConcept
from toolsets.concept_rag.search.retrieval import Candidate
from toolsets.concurrency import run_cpu
from toolsets.sourcing.projection_store import VectorStore

MAX_OCCURRENCES: Final = 10_000
"""The most chunks read for one concept, several times as many as a reply holds."""
_DOCUMENTS_AT_ONCE: Final = 200
"""The values of one filter; the port allows 1,000 (`MAX_SET`)."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A chunk that names a concept."""

    chunk: FoundChunk
    density: float
    """The share of the chunk's words that belong to the concept's name, 0 to 1."""


async def occurrences(
    library: Library,
    concept: FoundConcept,
    mentions: Sequence[MentionEntry],
    documents: Mapping[int, DocumentEntry],
) -> Sequence[Occurrence]:
    """Return the chunks that name a concept, densest first, ties by document and position; reads at most 10,000.

    `mentions` are those of the concept in `documents`. Raises `ToolError` if the vector store fails.
    """
    store = await library.vectors()
    found: list[VectorRecord] = []
    for group in _groups([mention for mention in mentions if mention.chunks]):
        tokens = tuple(documents[mention.catalog_id].token for mention in group)
        where = And((In("token", tokens), Has("concepts", str(concept.id))))
        count = sum(mention.chunks for mention in group)
        with library.searching("Reading the chunks of a concept"):
            found += await _named_in(store, concept, where, count)
        if len(found) >= MAX_OCCURRENCES:
            break
    return await run_cpu(partial(_by_density, concept, found, documents), size=len(found))


async def _named_in(store: VectorStore, concept: FoundConcept, where: Filter, count: int) -> Sequence[VectorRecord]:
    if count > MAX_HITS:
        return await _scanned(store, where)
    # A search can use the index of documents, and a listing by id cannot; the vector only orders the results.
    hits = await store.vectors.dense(CHUNKS, concept.candidate.record.vector, count, where=where)
    return [*(await store.vectors.get(CHUNKS, [hit.id for hit in hits])).values()]


async def _scanned(store: VectorStore, where: Filter) -> Sequence[VectorRecord]:
    found: list[VectorRecord] = []
    after: str | None = None
    while True:
        page = await store.vectors.scan(CHUNKS, where, after=after, limit=MAX_PAGE)
        found += page.items
        if (after := page.after) is None or len(found) >= MAX_OCCURRENCES:
            return found


def _groups(mentions: Sequence[MentionEntry]) -> Iterator[Sequence[MentionEntry]]:
    """Yield the mentions in groups whose chunks fit into one search; a larger mention is a group of its own."""
    group: list[MentionEntry] = []
    count = 0
    for mention in mentions:
        if group and (count + mention.chunks > MAX_HITS or len(group) == _DOCUMENTS_AT_ONCE):
            yield group
            group, count = [], 0
        group.append(mention)
        count += mention.chunks
    if group:
        yield group


def _by_density(
    concept: FoundConcept, records: Sequence[VectorRecord], documents: Mapping[int, DocumentEntry]
) -> Sequence[Occurrence]:
    matcher = ConceptMatcher([Concept(concept.name, normal_form(concept.name), 1.0)])
    found: dict[RecordId, Occurrence] = {}
    for record in records:
        candidate = Candidate(record, 0.0)
        chunk = FoundChunk(
            documents[candidate.number("catalog")],
            record.text,
            candidate.number("page"),
            candidate.number("last_page"),
            candidate.number("ordinal"),
            candidate.concepts,
        )
        mentions = matcher.find(record.text)
        found[record.id] = Occurrence(chunk, mentions[0].density if mentions else 0.0)
    return sorted(found.values(), key=_order)


def _order(occurrence: Occurrence) -> tuple[float, str, int, int]:
    chunk = occurrence.chunk
    return -round(occurrence.density, 3), chunk.document.title.casefold(), chunk.document.catalog_id, chunk.ordinal
