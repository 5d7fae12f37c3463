"""The document tools: the concepts of a document, and the documents of concepts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field

from backends.ports.filters import Contains, Filter, InIgnoringCase
from backends.ports.graph import Order
from toolsets.arguments import Arguments
from toolsets.concept_rag.entries import DocumentEntry, MentionEntry, document_entry
from toolsets.concept_rag.errors import not_found
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.projections import DOCUMENT
from toolsets.concept_rag.search.concepts import concepts_meant
from toolsets.concept_rag.search.documents import search_documents
from toolsets.concept_rag.tools.fields import ROOM, ConceptNames, Message, Question, absent
from toolsets.replies import Body, cut_sentence, fitting_rows, reply_of, row_size
from toolsets.spec import CallContext, Reply, ToolError
from toolsets.tools import Tool

_TITLED: Final = 100
"""The most documents considered whose title contains the query."""

_NAMED: Final = 10
"""The most synonyms that a message names."""


class ExtractConcepts(Arguments):
    """A document, and the format of its concepts."""

    document_query: Annotated[Question, Field(description="The title of a document or a part of it, or keywords.")]
    format: Annotated[Literal["json", "markdown"], Field(description="As an object, or as one text with tables.")] = (
        "json"
    )
    include_summary: Annotated[bool, Field(description="False leaves out the summary.")] = True


class OfConcepts(Arguments):
    """Concepts whose documents are requested."""

    concept: ConceptNames
    include_metadata: Annotated[bool, Field(description="False leaves out summary, author and year.")] = True


Known = Annotated[str | None, Field(exclude_if=absent)]
"""A text that is omitted if it is None; needs the default None."""


class ConceptList(Body):
    """The concepts of a document."""

    document: Annotated[str, Field(description="The path of its file.")]
    document_hash: str
    total_concepts: int
    primary_concepts: tuple[str, ...]
    related_concepts: tuple[str, ...]
    categories: tuple[str, ...]
    summary: Known = None


class Markdown(Body):
    """A text in Markdown."""

    result: str


class DocumentOfConcept(Body):
    """A document that mentions a concept."""

    title: str
    author: Known = None
    year: Known = None
    source_path: str
    summary: Known = None
    primary_concepts: tuple[str, ...]
    categories: tuple[str, ...]


class DocumentOfConcepts(DocumentOfConcept):
    """A document that mentions some of several concepts."""

    concept_indices: Annotated[tuple[int, ...], Field(description="Places in concepts_searched, from 0.")]


class SourcesReply(Body):
    """The documents of concepts, each once, those with the most concepts first."""

    concepts_searched: tuple[str, ...]
    concepts_found: tuple[str, ...]
    concepts_not_found: tuple[str, ...]
    source_count: Annotated[int, Field(description="How many there are, also where the size of the reply cut them.")]
    sources: tuple[DocumentOfConcepts, ...]
    message: Message = None


class PerConceptReply(Body):
    """The documents of each concept, in the order of the concepts."""

    concepts_searched: tuple[str, ...]
    results: tuple[tuple[DocumentOfConcept, ...], ...]
    message: Message = None


async def extract_concepts(library: Library, arguments: ExtractConcepts, context: CallContext) -> Reply:
    """Return the concepts of the best matching document, as an object or as Markdown."""
    document = await _document(library, arguments.document_query)
    primary = tuple(dict.fromkeys(document.primary))
    related = tuple(name for name in dict.fromkeys(document.related) if name not in primary)
    body = ConceptList(
        document=document.path,
        document_hash=document.hash,
        total_concepts=len(primary) + len(related),
        primary_concepts=primary,
        related_concepts=related,
        categories=document.categories,
        summary=document.summary if arguments.include_summary else None,
    )
    if arguments.format == "json":
        return reply_of(body)
    text = markdown(document.title, body)
    return Reply({"result": text}, text=text)


async def _document(library: Library, query: str) -> DocumentEntry:
    """Return the document whose title equals or contains the query, else the one that ranks first for it.

    Raises `ToolError` if no document matches.
    """
    if equal := await _titled(library, InIgnoringCase("title", (query.strip(),)), 1):
        return equal[0]
    titled = await _titled(library, Contains("title", query.strip()), _TITLED + 1)
    if len(titled) == 1:
        return titled[0]
    try:
        ranked = [each.item for each in (await search_documents(library, query)).ranked]
    except ToolError:
        if not titled:
            raise
        ranked = [*titled]
    # Where there are more titles, all documents are ranked: those read are only the first of the alphabet.
    among = {document.catalog_id for document in titled} if len(titled) <= _TITLED else set[int]()
    best = [each for each in ranked if not among or each.catalog_id in among] or titled
    if not best:
        raise not_found("document", "document_query", query)
    return best[0]


async def _titled(library: Library, where: Filter, limit: int) -> Sequence[DocumentEntry]:
    """Return documents whose title fits, at most `limit` in the order of titles; the shortest title first."""
    graph = await library.graph()
    with library.reading("Searching the titles"):
        page = await graph.find(DOCUMENT, where, order=(Order("title"), Order("catalog")), limit=limit)
    return sorted(map(document_entry, page.items), key=lambda each: (len(each.title), each.title, each.catalog_id))


def markdown(title: str, concepts: ConceptList) -> str:
    """Return the concepts of a document as Markdown with a table."""
    rows = [*((name, "primary") for name in concepts.primary_concepts)]
    rows += [*((name, "related") for name in concepts.related_concepts)]
    lines = [
        f"# Concepts of {_cell(title)}",
        "",
        "| | |",
        "|---|---|",
        f"| Document | {_cell(concepts.document)} |",
        f"| Hash | {concepts.document_hash} |",
        f"| Categories | {_cell(', '.join(concepts.categories))} |",
        f"| Concepts | {concepts.total_concepts} |",
        "",
        *(("## Summary", "", concepts.summary, "") if concepts.summary else ()),
        "## Concepts",
        "",
        "| # | concept | kind |",
        "|---|---|---|",
        *(f"| {number} | {_cell(name)} | {kind} |" for number, (name, kind) in enumerate(rows, start=1)),
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Return the text escaped for a table cell: without bars and line breaks."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


async def source_concepts(library: Library, arguments: OfConcepts, context: CallContext) -> Reply:
    """Return the union of the documents that mention the concepts."""
    found_mentions = await _mentions(library, arguments.concept)
    mentions = found_mentions.of_each
    indices: dict[int, list[int]] = {}
    scores: dict[int, float] = {}
    for place, of_concept in enumerate(mentions):
        for mention in of_concept:
            indices.setdefault(mention.catalog_id, []).append(place)
            scores[mention.catalog_id] = max(scores.get(mention.catalog_id, 0.0), mention.score)
    documents = await library.documents(indices)
    order = sorted(documents, key=lambda id_: (-len(indices[id_]), -scores[id_], documents[id_].title.casefold(), id_))
    found = [
        DocumentOfConcepts(
            **_shown(documents[id_], metadata=arguments.include_metadata).model_dump(),
            concept_indices=tuple(indices[id_]),
        )
        for id_ in order
    ]
    rows = fitting_rows(found, ROOM)
    held = [any(mention.catalog_id in documents for mention in of_concept) for of_concept in mentions]
    named = [*zip(arguments.concept, held, strict=True)]
    return reply_of(
        SourcesReply(
            concepts_searched=arguments.concept,
            concepts_found=tuple(name for name, is_found in named if is_found),
            concepts_not_found=tuple(name for name, is_found in named if not is_found),
            source_count=len(found),
            sources=rows,
            message=_message(len(rows), len(found), found_mentions.synonyms),
        )
    )


async def concept_sources(library: Library, arguments: OfConcepts, context: CallContext) -> Reply:
    """Return the documents of each concept, most salient first."""
    found_mentions = await _mentions(library, arguments.concept)
    mentions = found_mentions.of_each
    documents = await library.documents(mention.catalog_id for of_concept in mentions for mention in of_concept)
    results: list[tuple[DocumentOfConcept, ...]] = []
    room, shown, total = ROOM, 0, 0
    for of_concept in mentions:
        found = [
            _shown(documents[mention.catalog_id], metadata=arguments.include_metadata)
            for mention in of_concept
            if mention.catalog_id in documents
        ]
        rows = fitting_rows(found, room) if room > 0 else ()
        room -= sum(map(row_size, rows))
        shown, total = shown + len(rows), total + len(found)
        results.append(rows)
    return reply_of(
        PerConceptReply(
            concepts_searched=arguments.concept,
            results=tuple(results),
            message=_message(shown, total, found_mentions.synonyms),
        )
    )


@dataclass(frozen=True, slots=True)
class _Mentions:
    """The mentions of concepts that were asked for."""

    of_each: Sequence[Sequence[MentionEntry]]
    """Those of each concept, most salient first; empty if no document has the name or a synonym."""
    synonyms: Mapping[str, str]
    """The concept used for each name that is only a synonym of it."""


async def _mentions(library: Library, concepts: Sequence[str]) -> _Mentions:
    meant = await concepts_meant(library, concepts)
    by_number = {number: await library.mentions_of(number) for number in dict.fromkeys(meant.values())}
    others = {name: number for name, number in meant.items() if number != concept_id_of(name)}
    names = await library.names(others.values())
    return _Mentions(
        [by_number[meant[name]] if name in meant else () for name in concepts],
        {name: names[number] for name, number in others.items() if number in names},
    )


def _shown(document: DocumentEntry, *, metadata: bool) -> DocumentOfConcept:
    return DocumentOfConcept(
        title=document.title,
        author=(document.author or None) if metadata else None,
        year=(document.year or None) if metadata else None,
        source_path=document.path,
        summary=document.summary if metadata else None,
        primary_concepts=document.primary,
        categories=document.categories,
    )


def _message(shown: int, found: int, synonyms: Mapping[str, str]) -> str | None:
    cut = cut_sentence(shown, found)
    sentences = [f"{found} documents found{cut}"] if cut else []
    if synonyms:
        used = ", ".join(f'"{concept}" for its synonym "{name}"' for name, concept in [*synonyms.items()][:_NAMED])
        sentences.append(f"The library's concept was used: {used}{', ...' if len(synonyms) > _NAMED else ''}")
    return ". ".join(sentences) or None


TOOLS = (
    Tool(
        "extract_concepts",
        "Concepts of a document",
        "Export all concepts of one document, as JSON or as a table in Markdown. The document is found by title or keywords.",
        ExtractConcepts,
        (ConceptList, Markdown),
        extract_concepts,
    ),
    Tool(
        "source_concepts",
        "Documents of concepts",
        "List the documents that mention any of some concepts, each once, those that mention the most of them first.",
        OfConcepts,
        SourcesReply,
        source_concepts,
    ),
    Tool(
        "concept_sources",
        "Documents per concept",
        "List the documents of each of several concepts separately, in the order of the concepts.",
        OfConcepts,
        PerConceptReply,
        concept_sources,
    ),
)
