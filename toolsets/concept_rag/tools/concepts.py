"""The concept tool: a concept with its documents and their chunks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Annotated, Final, Literal

from pydantic import Field

from backends.ports.filters import And, Has, In
from backends.ports.graph import Order
from backends.ports.values import MAX_PAGE
from toolsets.arguments import Arguments
from toolsets.concept_rag.entries import DocumentEntry, MentionEntry, visual_entry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import VISUAL
from toolsets.concept_rag.search.concepts import FoundConcept, find_concept, known_concepts
from toolsets.concept_rag.search.occurrences import MAX_OCCURRENCES, Occurrence, occurrences
from toolsets.concept_rag.search.scores import Ranked, decimal
from toolsets.concept_rag.tools.fields import ROOM, ConceptName, Message, absent
from toolsets.concept_rag.tools.search import Components, components
from toolsets.concept_rag.wordnet import wordnet
from toolsets.concurrency import run_cpu
from toolsets.replies import Body, counted, fitting_rows, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

MAX_RELATED: Final = 20
"""The most related concepts in a reply."""
MAX_LINKED: Final = 1_000
"""The most documents that are sources through a related concept."""
_LINKING: Final = 10
"""The most related concepts whose documents are also sources."""
CLOSE: Final = 0.35
"""The least mean score, over the concept's documents, of a related concept whose documents are also sources."""
FEW: Final = 3
"""A related concept of so many documents is never too common to make them sources."""
COMMON: Final = 1 / 20
"""The largest share of the library's documents that a related concept may have whose documents are also sources.

In a library of 77 documents, "data" had 17 and made 16 documents sources for "kriging"."""
_PREVIEW: Final = 160
"""About two lines, by which a page is recognised; the passages follow in full."""
_PREVIEWS: Final = 20
"""The most pages of a source with a preview."""
_DOCUMENTS_AT_ONCE: Final = 500
"""The values of one filter; the port allows 1,000 (`MAX_SET`)."""
_MAX_IMAGES: Final = 10_000
"""Numbers in a reply, which take 200 kB at most."""
_SOURCES_ROOM: Final = ROOM // 3
"""A third, so that sources cannot displace the passages."""


class ConceptSearch(Arguments):
    """A concept, and the documents to consider."""

    concept: Annotated[
        ConceptName, Field(description="Its name; other spellings, synonyms and near names find it, too.")
    ]
    title_filter: Annotated[
        ConceptName | None, Field(description="Only documents whose title contains this, in any case.")
    ] = None


class Source(Body):
    """A document that mentions the concept or a related one."""

    catalog_id: int
    title: str
    pages: tuple[int, ...]
    match_type: Literal["primary", "related"]
    via_concept: str | None
    page_previews: Annotated[tuple[str, ...] | None, Field(exclude_if=absent)] = None


class ChunkOfConcept(Body):
    """A chunk that names the concept."""

    catalog_id: int
    title: str
    text: str
    page: int
    concept_density: str
    concepts: tuple[str, ...]


class Stats(Body):
    """Counts; totals are those of `sources` (related ones included) and of `chunks` before the title filter."""

    total_documents: int
    total_chunks: int
    sources_returned: int
    chunks_returned: int
    images_found: int


class ConceptReply(Body):
    """A concept with its related terms, sources and chunks."""

    concept: str
    concept_id: int
    summary: str
    image_ids: tuple[int, ...]
    related_concepts: tuple[str, ...]
    synonyms: tuple[str, ...]
    broader_terms: tuple[str, ...]
    narrower_terms: tuple[str, ...]
    sources: tuple[Source, ...]
    chunks: tuple[ChunkOfConcept, ...]
    stats: Stats
    score: str
    score_components: Components = None
    message: Message = None


@dataclass(frozen=True, slots=True)
class LinkedSource:
    """A document that does not mention the concept, and the related concept that makes it a source."""

    mention: MentionEntry
    via: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings on a concept, before they are cut to the size of a reply."""

    sources: Sequence[Source]
    occurrences: Sequence[Occurrence]
    named: int
    """The number of chunks naming the concept as recorded in the documents, after the title filter."""
    images: tuple[int, ...]
    total_documents: int
    total_chunks: int


async def concept_search(library: Library, arguments: ConceptSearch, context: CallContext) -> Reply:
    """Find the best matching concept, and return its documents, chunks and visuals."""
    best = await find_concept(library, arguments.concept)
    concept = best.item
    mentions = await library.mentions_of(concept.id)
    related = related_concepts(mentions)
    findings = await _findings(library, concept, mentions, related, arguments.title_filter)
    names = await library.names({id_ for each in with_room(findings.occurrences, ROOM) for id_ in each.chunk.concepts})
    size = len(findings.occurrences) + len(findings.sources)
    return await run_cpu(partial(_reply, library, best, mentions, related, findings, names), size=size)


def _reply(
    library: Library,
    best: Ranked[FoundConcept],
    mentions: Sequence[MentionEntry],
    related: Mapping[int, tuple[str, float]],
    findings: Findings,
    names: Mapping[int, str],
) -> Reply:
    """Return as many of the findings as fit into a reply."""
    concept = best.item
    sources = fitting_rows(findings.sources, _SOURCES_ROOM)
    room = ROOM - _SOURCES_ROOM
    chunks = fitting_rows([_chunk(each, names) for each in with_room(findings.occurrences, room)], room)
    # Concepts are nouns; without the part of speech, the most common sense of "telescope" would be the verb's.
    entry = wordnet().lookup(concept.name, "n", concept.gloss)
    return reply_of(
        ConceptReply(
            concept=concept.name,
            concept_id=concept.id,
            summary=_summary(concept, mentions, related),
            image_ids=findings.images,
            related_concepts=tuple(name for name, _ in [*related.values()][:MAX_RELATED]),
            synonyms=() if entry is None else entry.synonyms,
            broader_terms=() if entry is None else entry.broader,
            narrower_terms=() if entry is None else entry.narrower,
            sources=sources,
            chunks=chunks,
            stats=Stats(
                total_documents=findings.total_documents,
                total_chunks=findings.total_chunks,
                sources_returned=len(sources),
                chunks_returned=len(chunks),
                images_found=len(findings.images),
            ),
            score=decimal(best.score),
            score_components=components(library, best.components),
            message=_cut(len(sources), len(findings.sources), len(chunks), findings.named),
        )
    )


async def _findings(
    library: Library,
    concept: FoundConcept,
    mentions: Sequence[MentionEntry],
    related: Mapping[int, tuple[str, float]],
    title_filter: str | None,
) -> Findings:
    """Return the findings in the documents whose title matches, and the totals of all documents."""
    links = await _links(
        library, await _close(library, related, len(mentions)), {mention.catalog_id for mention in mentions}
    )
    owners = [*(mention.catalog_id for mention in mentions), *(link.mention.catalog_id for link in links)]
    documents = await _whole(library, owners)
    chosen = {id_: entry for id_, entry in documents.items() if _fits(entry, title_filter)}
    named = [mention for mention in mentions if mention.catalog_id in chosen]
    linked = [link for link in links if link.mention.catalog_id in chosen]
    found = await occurrences(library, concept, named, chosen)
    pages: defaultdict[int, set[int]] = defaultdict(set)
    for each in found:
        pages[each.chunk.document.catalog_id].add(each.chunk.page)
    previews = None
    if library.settings.debug_search:
        previews = _previews([*found, *await _linking_occurrences(library, linked, chosen)])
    return Findings(
        sources=[
            *(_source(chosen[each.catalog_id], each, None, previews, pages[each.catalog_id]) for each in named),
            *(_source(chosen[each.mention.catalog_id], each.mention, each.via, previews) for each in linked),
        ],
        occurrences=found,
        named=sum(mention.chunks for mention in named),
        images=await _images(library, concept, [mention.catalog_id for mention in named]),
        total_documents=len(documents),
        total_chunks=sum(mention.chunks for mention in mentions if mention.catalog_id in documents),
    )


def related_concepts(mentions: Iterable[MentionEntry]) -> Mapping[int, tuple[str, float]]:
    """Return the related concepts by id, with name and score (the sum over all documents), best first."""
    scores: defaultdict[int, float] = defaultdict(float)
    names: dict[int, str] = {}
    for mention in mentions:
        for id_, name, score in mention.related:
            scores[id_] += score
            names.setdefault(id_, name)
    order = sorted(scores, key=lambda id_: (-scores[id_], names[id_].casefold(), id_))
    return {id_: (names[id_], scores[id_]) for id_ in order}


async def _close(library: Library, related: Mapping[int, tuple[str, float]], documents: int) -> Mapping[int, str]:
    """Return the names of the related concepts by which further documents are sources, best first, by id.

    A concept that goes with everything, such as "data" in a library on statistics, says nothing about a document.
    """
    near = {id_: name for id_, (name, score) in related.items() if score >= CLOSE * documents}
    near = dict([*near.items()][:_LINKING])
    counts = await library.documents_naming(near.keys())
    most = max(FEW, COMMON * await library.documents_count()) if near else 0
    return {id_: name for id_, name in near.items() if counts.get(id_, 0) <= most}


async def _links(library: Library, related: Mapping[int, str], known: Collection[int]) -> Sequence[LinkedSource]:
    """Return the other documents that mention a related concept, each once, with the best such concept.

    Returns at most 1,000 documents, and reads at most 1,000 mentions of each concept.
    """
    found: dict[int, LinkedSource] = {}
    for id_, name in related.items():
        if len(found) >= MAX_LINKED:
            break
        for mention in await library.mentions_of(id_, MAX_PAGE):
            if mention.catalog_id not in known:
                found.setdefault(mention.catalog_id, LinkedSource(mention, name))
    return [*found.values()][:MAX_LINKED]


async def _linking_occurrences(
    library: Library, links: Sequence[LinkedSource], documents: Mapping[int, DocumentEntry]
) -> Sequence[Occurrence]:
    """Return the chunks of linked documents that name the linking concept, at most about 10,000."""
    concepts = await known_concepts(library, {link.mention.concept_id: link.via for link in links})
    found: list[Occurrence] = []
    for id_, concept in concepts.items():
        if len(found) >= MAX_OCCURRENCES:
            break
        mentions = [link.mention for link in links if link.mention.concept_id == id_]
        found += await occurrences(library, concept, mentions, documents)
    return found


async def _whole(library: Library, ids: Sequence[int]) -> Mapping[int, DocumentEntry]:
    """Return the live documents whose chunks are all indexed."""
    documents = await library.documents(ids)
    complete = await library.complete([*documents.values()])
    return {id_: entry for id_, entry in documents.items() if entry.token in complete}


async def _images(library: Library, concept: FoundConcept, catalogs: Sequence[int]) -> tuple[int, ...]:
    """Return the visuals of the documents that show a concept, in the order of the documents."""
    order = (Order("catalog"), Order("place"))
    found: list[int] = []
    for start in range(0, len(catalogs), _DOCUMENTS_AT_ONCE):
        where = And(
            (In("catalog", tuple(catalogs[start : start + _DOCUMENTS_AT_ONCE])), Has("concepts", str(concept.id)))
        )
        found += [visual_entry(node).id async for node in library.found(VISUAL, where, order)]
    return tuple(found[:_MAX_IMAGES])


def _fits(document: DocumentEntry, title_filter: str | None) -> bool:
    return title_filter is None or title_filter.casefold() in document.title.casefold()


def _source(
    document: DocumentEntry,
    mention: MentionEntry,
    via: str | None,
    previews: Mapping[tuple[int, int], str] | None,
    found: Iterable[int] = (),
) -> Source:
    """Return a document with the recorded pages, which are the first hundred, and those of the chunks that were found."""
    pages = tuple(sorted({*mention.pages, *found}))
    shown = None if previews is None else [previews.get((document.catalog_id, page), "") for page in pages]
    return Source(
        catalog_id=document.catalog_id,
        title=document.title,
        pages=pages,
        match_type="primary" if via is None else "related",
        via_concept=via,
        page_previews=None if shown is None else tuple(text for text in shown if text)[:_PREVIEWS],
    )


def _previews(found: Sequence[Occurrence]) -> Mapping[tuple[int, int], str]:
    """Return the beginning of the densest chunk of each document and page."""
    previews: dict[tuple[int, int], str] = {}
    for each in found:
        place = each.chunk.document.catalog_id, each.chunk.page
        previews.setdefault(place, " ".join(each.chunk.text[: 2 * _PREVIEW].split())[:_PREVIEW])
    return previews


def with_room(occurrences: Sequence[Occurrence], room: int) -> Sequence[Occurrence]:
    """Return the first occurrences that can fit into `room` bytes, at one byte per character at least."""
    ends = accumulate(len(occurrence.chunk.text) for occurrence in occurrences)
    return [occurrence for occurrence, end in zip(occurrences, ends, strict=True) if end <= room] or occurrences[:1]


def _chunk(occurrence: Occurrence, names: Mapping[int, str]) -> ChunkOfConcept:
    chunk = occurrence.chunk
    return ChunkOfConcept(
        catalog_id=chunk.document.catalog_id,
        title=chunk.document.title,
        text=chunk.text,
        page=chunk.page,
        concept_density=decimal(occurrence.density),
        concepts=tuple(names[id_] for id_ in chunk.concepts if id_ in names),
    )


def _summary(concept: FoundConcept, mentions: Sequence[MentionEntry], related: Mapping[int, tuple[str, float]]) -> str:
    """Return the meaning of the concept, and its counts in the library."""
    documents = counted(len(mentions), "document", "documents")
    chunks = counted(sum(mention.chunks for mention in mentions), "chunk", "chunks")
    kin = ", ".join(name for name, _ in [*related.values()][:3])
    meaning = f"{concept.gloss[:1].upper()}{concept.gloss[1:].rstrip('.')}. " if concept.gloss else ""
    beside = f", mostly beside {kin}" if kin else ""
    return f"{meaning}Named in {chunks} of {documents}{beside}."


def _cut(sources: int, all_sources: int, chunks: int, all_chunks: int) -> str | None:
    """Return a sentence about rows that did not fit into the reply; None if all did."""
    if sources >= all_sources and chunks >= all_chunks:
        return None
    return (
        f"{sources} of {all_sources} sources and {chunks} of {all_chunks} chunks shown, because a reply has a limited "
        "size; title_filter narrows it"
    )


TOOLS = (
    Tool(
        "concept_search",
        "Search a concept",
        "Show where a concept occurs: what it means, the concepts it goes with, its documents with pages, its chunks, and the "
        "ids of its visuals for get_visuals.",
        ConceptSearch,
        ConceptReply,
        concept_search,
    ),
)
