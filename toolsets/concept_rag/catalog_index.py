"""The in-memory index of the catalog: documents with their categories and concepts, for the category tools."""

from array import array
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Final

from backends.ports.filters import Eq, In
from backends.ports.graph import Graph, Node
from backends.ports.values import MAX_PAGE, Revision
from toolsets.concept_rag.document import CategoryFact
from toolsets.concept_rag.entries import category_fact, document_entry
from toolsets.concept_rag.projections import DOCUMENT, MEMBERSHIP, MENTION

PREVIEW: Final = 300
"""The most characters of a summary in a listing."""
_AT_ONCE: Final = 200
"""The number of documents whose concepts are read in one batch, about 16,000 pairs."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """Document fields used by the category tools."""

    catalog_id: int
    rev: Revision
    title: str
    preview: str
    """The beginning of the summary."""
    primary: tuple[str, ...]
    chunks: int
    categories: tuple[int, ...]
    concepts: "array[int]"
    """Ids of all concepts that the document mentions."""


@dataclass(frozen=True, slots=True)
class DocumentTotals:
    """Totals of a set of documents."""

    documents: int
    chunks: int
    concepts: int
    """The number of distinct concepts."""


@dataclass(frozen=True)
class CatalogIndex:
    """All documents by id, and their categories, at one state of the graph."""

    documents: Mapping[int, IndexedDocument] = field(default_factory=dict[int, IndexedDocument])
    categories: Mapping[int, CategoryFact] = field(default_factory=dict[int, CategoryFact])
    """Each category as recorded when a document was assigned to it."""

    @cached_property
    def by_category(self) -> Mapping[int, Sequence[IndexedDocument]]:
        """The documents assigned directly to each category, by title and then by id; empty categories are omitted."""
        found: dict[int, list[IndexedDocument]] = {}
        for document in sorted(self.documents.values(), key=lambda each: (each.title.casefold(), each.catalog_id)):
            for category in document.categories:
                found.setdefault(category, []).append(document)
        return found

    @cached_property
    def totals(self) -> Mapping[int, DocumentTotals]:
        """The totals of each category with documents assigned directly to it."""
        return {category: totals_of(documents) for category, documents in self.by_category.items()}

    def within(self, categories: Iterable[int]) -> Sequence[IndexedDocument]:
        """Return the documents of the given categories, each once, by title and then by id."""
        wanted = [self.by_category.get(category, ()) for category in categories]
        if len(wanted) == 1:
            return wanted[0]
        found = {document.catalog_id: document for document in chain.from_iterable(wanted)}
        return sorted(found.values(), key=lambda each: (each.title.casefold(), each.catalog_id))


def totals_of(documents: Collection[IndexedDocument]) -> DocumentTotals:
    """Return the totals of a set of documents, in time linear in the number of their concepts."""
    concepts: set[int] = set()
    for document in documents:
        concepts.update(document.concepts)
    return DocumentTotals(len(documents), sum(document.chunks for document in documents), len(concepts))


def concept_counts(documents: Iterable[IndexedDocument]) -> Counter[int]:
    """Return for each concept the number of the given documents that mention it."""
    return Counter(chain.from_iterable(document.concepts for document in documents))


async def catalog_index(graph: Graph, former: CatalogIndex) -> CatalogIndex:
    """Return the index of the graph's current state, reusing unchanged documents of the `former` index.

    Raises the graph's errors.
    """
    known: dict[int, IndexedDocument] = {}
    changed: dict[int, Node] = {}
    async for node in _documents(graph):
        catalog_id = int(str(node.fields["catalog"]))
        before = former.documents.get(catalog_id)
        if before is not None and before.rev == node.rev:
            known[catalog_id] = before
            continue
        changed[catalog_id] = node
        if len(changed) == _AT_ONCE:
            known |= await _indexed(graph, changed)
            changed = {}
    documents = known | await _indexed(graph, changed)
    return CatalogIndex(documents, await _categories(graph, documents.values(), former.categories))


async def _categories(
    graph: Graph, documents: Iterable[IndexedDocument], former: Mapping[int, CategoryFact]
) -> Mapping[int, CategoryFact]:
    """Return the categories of the documents; each new category is read once."""
    found: dict[int, CategoryFact] = {}
    for category_id in dict.fromkeys(id_ for document in documents for id_ in document.categories):
        if category_id in former:
            found[category_id] = former[category_id]
            continue
        page = await graph.find(MEMBERSHIP, Eq("category", category_id), limit=1)
        for node in page.items:
            found[category_id] = category_fact(node)
    return found


async def _documents(graph: Graph) -> AsyncIterator[Node]:
    after: str | None = None
    while True:
        page = await graph.find(DOCUMENT, after=after, limit=MAX_PAGE)
        for node in page.items:
            yield node
        if (after := page.after) is None:
            return


async def _indexed(graph: Graph, nodes: Mapping[int, Node]) -> dict[int, IndexedDocument]:
    """Return the index entries of the given document nodes, with the concepts that they mention."""
    if not nodes:
        return {}
    concepts: dict[int, array[int]] = {catalog_id: array("q") for catalog_id in nodes}
    for group in await graph.count_nodes(MENTION, by=("catalog", "concept"), where=In("catalog", tuple(nodes))):
        catalog_id, concept_id = (int(str(part)) for part in group.key)
        if catalog_id in concepts:
            concepts[catalog_id].append(concept_id)
    return {catalog_id: _document(node, concepts[catalog_id]) for catalog_id, node in nodes.items()}


def _document(node: Node, concepts: "array[int]") -> IndexedDocument:
    entry = document_entry(node)
    return IndexedDocument(
        catalog_id=entry.catalog_id,
        rev=entry.rev,
        title=entry.title,
        preview=preview(entry.summary),
        primary=entry.primary,
        chunks=entry.chunks,
        categories=entry.category_ids,
        concepts=concepts,
    )


def preview(text: str) -> str:
    """Return the beginning of a text, on one line and cut between words."""
    line = " ".join(text[: 2 * PREVIEW].split())
    return line if len(line) <= PREVIEW else f"{line[: PREVIEW - 2].rpartition(' ')[0] or line[: PREVIEW - 2]} …"
