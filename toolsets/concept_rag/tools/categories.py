"""The category tools: browse the catalog by subject."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from toolsets.arguments import Arguments
from toolsets.concept_rag.catalog_index import DocumentTotals, IndexedDocument, concept_counts, totals_of
from toolsets.concept_rag.categories import CategoryTree, ConceptRanking, ShownCategory, concept_ranking
from toolsets.concept_rag.errors import not_found
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.tools.fields import ROOM, CategoryName, ConceptName, Message, Rows
from toolsets.concurrency import run_cpu
from toolsets.replies import Body, cut_sentence, fitting_rows, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

_NO_TOTALS: Final = DocumentTotals(0, 0, 0)


class CategorySearch(Arguments):
    """A category, and whether to include the categories below it."""

    category: CategoryName
    includeChildren: Annotated[bool, Field(description="True adds the documents of all categories below.")] = False  # noqa: N815 documented name


class ListCategories(Arguments):
    """The order and the most rows of a listing of categories."""

    sortBy: Annotated[  # noqa: N815 documented name
        Literal["name", "popularity", "documentCount"],
        Field(description="By name, or by popularity: most documents first, then most chunks."),
    ] = "popularity"
    limit: Rows = 50
    search: Annotated[ConceptName | None, Field(description="A part of a name or an alias, in any case.")] = None


class ListConceptsInCategory(Arguments):
    """A category, and the order and the most rows of a listing of its concepts."""

    category: CategoryName
    sortBy: Annotated[  # noqa: N815 documented name
        Literal["name", "documentCount"], Field(description="By name, or those of most documents first.")
    ] = "documentCount"
    limit: Rows = 50


class RelatedCategory(Body):
    """A category that is related to another one."""

    id: int
    name: str


class CategoryBody(Body):
    """A category with its path."""

    id: int
    name: str
    description: str
    hierarchy: Annotated[tuple[str, ...], Field(description="Names from the root to the category itself.")]


class FullCategoryBody(CategoryBody):
    """A category with its aliases and related categories."""

    aliases: tuple[str, ...]
    relatedCategories: tuple[RelatedCategory, ...]  # noqa: N815 documented name


class DocumentRow(Body):
    """A document of a category."""

    catalog_id: int
    title: str
    preview: str
    primaryConcepts: tuple[str, ...]  # noqa: N815 documented name


class SearchStatistics(Body):
    """Totals of the searched categories; each concept is counted once."""

    totalDocuments: int  # noqa: N815 documented name
    totalChunks: int  # noqa: N815 documented name
    totalConcepts: int  # noqa: N815 documented name
    documentsReturned: int  # noqa: N815 documented name


class CategorySearchReply(Body):
    """The documents of a category, by title."""

    category: FullCategoryBody
    statistics: SearchStatistics
    documents: tuple[DocumentRow, ...]
    includeChildren: bool  # noqa: N815 documented name
    categoriesSearched: tuple[str, ...]  # noqa: N815 documented name
    message: Message = None


class CategoryStatistics(Body):
    """Totals of the documents assigned directly to a category; each concept is counted once."""

    documents: int
    chunks: int
    concepts: int


class CategoryRow(CategoryBody):
    """A category in the listing."""

    aliases: tuple[str, ...]
    parent: str | None
    statistics: CategoryStatistics
    relatedCategories: tuple[str, ...]  # noqa: N815 documented name


class ListSummary(Body):
    """Totals and options of the listing."""

    totalCategories: int  # noqa: N815 documented name
    categoriesReturned: int  # noqa: N815 documented name
    rootCategories: int  # noqa: N815 documented name
    totalDocuments: int  # noqa: N815 documented name
    sortedBy: str  # noqa: N815 documented name
    searchQuery: str | None  # noqa: N815 documented name


class ListReply(Body):
    """Categories with documents in or below them."""

    summary: ListSummary
    categories: tuple[CategoryRow, ...]
    message: Message = None


class ConceptStatistics(Body):
    """Totals of the documents assigned directly to a category."""

    totalDocuments: int  # noqa: N815 documented name
    totalChunks: int  # noqa: N815 documented name
    totalUniqueConcepts: int  # noqa: N815 documented name
    conceptsReturned: int  # noqa: N815 documented name


class ConceptRow(Body):
    """A concept of a category."""

    id: int
    name: str
    documentCount: int  # noqa: N815 documented name
    weight: Annotated[float, Field(description="The share of the category's documents that mention it.")]


class ConceptsReply(Body):
    """The concepts of a category."""

    category: CategoryBody
    statistics: ConceptStatistics
    concepts: tuple[ConceptRow, ...]
    sortedBy: str  # noqa: N815 documented name
    note: str


async def category_search(library: Library, arguments: CategorySearch, context: CallContext) -> Reply:
    """Return the documents of a category and, if requested, of the categories below it."""
    tree = await library.categories()
    category = _resolved(tree, arguments.category)
    searched = (category, *tree.below(category)) if arguments.includeChildren else (category,)
    documents = tree.index.within(each.id for each in searched)
    totals = tree.index.totals.get(category.id, _NO_TOTALS)
    if len(searched) > 1:
        totals = await run_cpu(lambda: totals_of(documents), size=len(documents))
    rows = fitting_rows([_document(document) for document in documents], ROOM)
    cut = cut_sentence(len(rows), len(documents))
    return reply_of(
        CategorySearchReply(
            category=FullCategoryBody(
                id=category.id,
                name=category.name,
                description=category.description,
                hierarchy=category.path,
                aliases=category.aliases,
                relatedCategories=tuple(RelatedCategory(id=id_, name=name) for id_, name in tree.related_to(category)),
            ),
            statistics=SearchStatistics(
                totalDocuments=totals.documents,
                totalChunks=totals.chunks,
                totalConcepts=totals.concepts,
                documentsReturned=len(rows),
            ),
            documents=rows,
            includeChildren=arguments.includeChildren,
            categoriesSearched=tuple(each.name for each in searched),
            message=f"{len(documents)} documents found{cut}" if cut else None,
        )
    )


def _resolved(tree: CategoryTree, text: str) -> ShownCategory:
    category = tree.find(text)
    if category is None:
        raise not_found("category", "category", text)
    return category


def _document(document: IndexedDocument) -> DocumentRow:
    return DocumentRow(
        catalog_id=document.catalog_id,
        title=document.title,
        preview=document.preview,
        primaryConcepts=document.primary,
    )


async def list_categories(library: Library, arguments: ListCategories, context: CallContext) -> Reply:
    """List the categories that have documents in or below them."""
    tree = await library.categories()
    occupied = tree.occupied
    found = [each for each in occupied if _matches(each, arguments.search)]
    ordered = _in_order(tree, found, arguments.sortBy)[: arguments.limit]
    rows = fitting_rows([_row(tree, each) for each in ordered], ROOM)
    cut = cut_sentence(len(rows), len(ordered))
    return reply_of(
        ListReply(
            summary=ListSummary(
                totalCategories=len(occupied),
                categoriesReturned=len(rows),
                rootCategories=sum(each.parent is None for each in occupied),
                totalDocuments=len(tree.index.documents),
                sortedBy=arguments.sortBy,
                searchQuery=arguments.search,
            ),
            categories=rows,
            message=f"{len(ordered)} categories found{cut}" if cut else None,
        )
    )


def _matches(category: ShownCategory, search: str | None) -> bool:
    sought = " ".join((search or "").casefold().split())
    return any(sought in name.casefold() for name in (category.name, *category.aliases))


def _in_order(tree: CategoryTree, found: Sequence[ShownCategory], order: str) -> list[ShownCategory]:
    totals = tree.index.totals

    def key(category: ShownCategory) -> tuple[int, int, str]:
        own = totals.get(category.id, _NO_TOTALS)
        documents, chunks = -own.documents, -own.chunks
        match order:
            case "name":
                return 0, 0, category.name.casefold()
            case "documentCount":
                return documents, 0, category.name.casefold()
            case _:
                return documents, chunks, category.name.casefold()

    return sorted(found, key=key)


def _row(tree: CategoryTree, category: ShownCategory) -> CategoryRow:
    own = tree.index.totals.get(category.id, _NO_TOTALS)
    return CategoryRow(
        id=category.id,
        name=category.name,
        description=category.description,
        hierarchy=category.path,
        aliases=category.aliases,
        parent=category.parent,
        statistics=CategoryStatistics(documents=own.documents, chunks=own.chunks, concepts=own.concepts),
        relatedCategories=tuple(name for _, name in tree.related_to(category)),
    )


async def list_concepts_in_category(library: Library, arguments: ListConceptsInCategory, context: CallContext) -> Reply:
    """List the concepts that the documents of a category mention, with the number of documents."""
    tree = await library.categories()
    category = _resolved(tree, arguments.category)
    ranking = await _ranking(library, tree, category.id, arguments.sortBy)
    own = tree.index.totals.get(category.id, _NO_TOTALS)
    shown = ranking.ids[: arguments.limit]
    names = await library.names(shown)
    rows = tuple(
        ConceptRow(id=id_, name=names[id_], documentCount=count, weight=round(count / own.documents, 4))
        for id_, count in zip(shown, ranking.counts, strict=False)
        if id_ in names
    )
    return reply_of(
        ConceptsReply(
            category=CategoryBody(
                id=category.id, name=category.name, description=category.description, hierarchy=category.path
            ),
            statistics=ConceptStatistics(
                totalDocuments=own.documents,
                totalChunks=own.chunks,
                totalUniqueConcepts=len(ranking.ids),
                conceptsReturned=len(rows),
            ),
            concepts=rows,
            sortedBy=arguments.sortBy,
            note=_note(tree, category, len(rows), len(ranking.ids)),
        )
    )


async def _ranking(library: Library, tree: CategoryTree, category_id: int, order: str) -> ConceptRanking:
    """Return the concepts of a category's own documents, by name or by number of documents and then name."""
    key = category_id, order
    if (known := tree.rankings.get(key)) is not None:
        return known
    documents = tree.index.within((category_id,))
    counts = await run_cpu(lambda: concept_counts(documents), size=len(documents))
    names = await library.names(counts.keys())
    ranking = await run_cpu(lambda: concept_ranking(counts, names, by_name=order == "name"), size=len(names))
    tree.rankings.put(key, ranking)
    return ranking


def _note(tree: CategoryTree, category: ShownCategory, shown: int, found: int) -> str:
    """Return a note on what the numbers include."""
    below = sum(tree.index.totals[each.id].documents for each in tree.below(category) if each.id in tree.index.totals)
    parts = ["Concepts of the category's own documents; weight is the share of them that mention the concept."]
    if shown < found:
        parts.append(f"{shown} of {found} concepts are shown; limit shows more.")
    if below:
        parts.append("Categories below have documents of their own, which are not counted.")
    return " ".join(parts)


TOOLS = (
    Tool(
        "category_search",
        "Documents of a category",
        "List all documents of a category, by title; includeChildren adds those of the categories below it.",
        CategorySearch,
        CategorySearchReply,
        category_search,
    ),
    Tool(
        "list_categories",
        "List categories",
        "List the categories that have documents, with counts and their place in the hierarchy.",
        ListCategories,
        ListReply,
        list_categories,
    ),
    Tool(
        "list_concepts_in_category",
        "Concepts of a category",
        "List the concepts that the documents of a category mention, with the number of documents.",
        ListConceptsInCategory,
        ConceptsReply,
        list_concepts_in_category,
    ),
)
