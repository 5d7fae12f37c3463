"""The documented replies of the concept_rag tools, field by field; nothing may be missing and nothing added."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from contracts.shapes import CamelShape, Shape

Share = Annotated[str, Field(pattern=r"^(0\.\d{3}|1\.000)$")]
"""A number from 0 to 1 as text, with three decimals."""
Id = Annotated[int, Field(ge=1, le=2**53)]
Count = Annotated[int, Field(ge=0)]
Page = Annotated[int, Field(ge=1)]
Filled = Annotated[str, Field(min_length=1)]
Code: TypeAlias = Literal["VALIDATION_ERROR", "RECORD_NOT_FOUND", "CONCEPT_NOT_FOUND", "DATABASE_ERROR", "SEARCH_ERROR"]
VisualType: TypeAlias = Literal["diagram", "flowchart", "chart", "table", "figure"]


class ErrorBody(Shape):
    """The body of an error."""

    code: Code
    message: Filled
    field: str
    type: Filled
    context: dict[str, JsonValue]


class ErrorEnvelope(Shape):
    """An error."""

    error: ErrorBody
    timestamp: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3,6})?Z$")


class CatalogHit(Shape):
    """A document that catalog_search finds."""

    catalog_id: Id
    title: Filled
    summary: Filled
    score: Share
    expanded_terms: list[Filled]


class CatalogComponents(Shape):
    """The components of the score of a document."""

    vector: Share
    bm25: Share
    title: Share
    concept: Share
    wordnet: Share


class ExplainedCatalogHit(CatalogHit):
    """A document with the components of its score."""

    score_components: CatalogComponents


class ChunkHit(Shape):
    """A chunk that broad_chunks_search finds."""

    catalog_id: Id
    title: Filled
    text: Filled
    page_number: Page
    concepts: list[Filled]
    score: Share
    expanded_terms: list[Filled]


class ChunkComponents(Shape):
    """The components of the score of a chunk."""

    vector: Share
    bm25: Share
    concept: Share
    wordnet: Share


class ExplainedChunkHit(ChunkHit):
    """A chunk with the components of its score."""

    score_components: ChunkComponents


class DocumentChunk(Shape):
    """A chunk that chunks_search finds."""

    title: Filled
    text: Filled
    concepts: list[Filled]
    concept_ids: list[Id]


class ConceptSource(Shape):
    """A document in which a concept occurs."""

    catalog_id: Id
    title: Filled
    pages: list[Page]
    match_type: Literal["primary", "related"]
    via_concept: str | None


class ExplainedConceptSource(ConceptSource):
    """A document with previews of its pages."""

    page_previews: list[str]


class ConceptChunk(Shape):
    """A chunk in which a concept occurs."""

    catalog_id: Id
    title: Filled
    text: Filled
    page: Page
    concept_density: Share
    concepts: list[Filled]


class ConceptStats(Shape):
    """The totals before and after the filter by title."""

    total_documents: Count
    total_chunks: Count
    sources_returned: Count
    chunks_returned: Count
    images_found: Count


class ConceptReply(Shape):
    """The reply of concept_search."""

    concept: Filled
    concept_id: Id
    summary: str
    image_ids: list[Id]
    related_concepts: list[Filled]
    synonyms: Annotated[list[Filled], Field(max_length=10)]
    broader_terms: Annotated[list[Filled], Field(max_length=10)]
    narrower_terms: Annotated[list[Filled], Field(max_length=10)]
    sources: list[ConceptSource]
    chunks: list[ConceptChunk]
    stats: ConceptStats
    score: Share


class ConceptComponents(Shape):
    """The components of the score of a concept."""

    name: Share
    vector: Share
    bm25: Share
    wordnet: Share


class ExplainedConceptReply(ConceptReply):
    """The reply of concept_search with the components of its scores."""

    sources: list[ExplainedConceptSource]  # pyright: ignore[reportIncompatibleVariableOverride] -- frozen, so it only narrows
    score_components: ConceptComponents


class DocumentConcepts(Shape):
    """The reply of extract_concepts as JSON; `summary` is left out on request."""

    document: Filled
    document_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    total_concepts: Count
    primary_concepts: list[Filled]
    related_concepts: list[Filled]
    categories: Annotated[list[Filled], Field(min_length=1)]
    summary: str | None = None


class Source(Shape):
    """A document of concept_sources; author, year and summary are there if known and requested."""

    title: Filled
    author: Filled | None = None
    year: Filled | None = None
    source_path: Filled
    summary: Filled | None = None
    primary_concepts: list[Filled]
    categories: Annotated[list[Filled], Field(min_length=1)]


class SharedSource(Source):
    """A document of source_concepts, with the indices of its concepts in the question."""

    concept_indices: Annotated[list[Count], Field(min_length=1)]


class SourceConcepts(Shape):
    """The reply of source_concepts."""

    concepts_searched: list[str]
    concepts_found: list[str]
    concepts_not_found: list[str]
    source_count: Count
    sources: list[SharedSource]


class ConceptSources(Shape):
    """The reply of concept_sources."""

    concepts_searched: list[str]
    results: list[list[Source]]


class NamedCategory(CamelShape):
    """A category related to another."""

    id: Id
    name: Filled


class Category(CamelShape):
    """A category in the reply of category_search."""

    id: Id
    name: Filled
    description: str
    hierarchy: list[Filled]
    aliases: list[Filled]
    related_categories: list[NamedCategory]


class CategoryStatistics(CamelShape):
    """The size of a category."""

    total_documents: Count
    total_chunks: Count
    total_concepts: Count
    documents_returned: Count


class CategoryDocument(CamelShape):
    """A document of a category, with its id for chunks_search."""

    catalog_id: Id = Field(alias="catalog_id")
    title: Filled
    preview: Filled
    primary_concepts: list[Filled]


class CategoryReply(CamelShape):
    """The reply of category_search."""

    category: Category
    statistics: CategoryStatistics
    documents: list[CategoryDocument]
    include_children: bool
    categories_searched: list[Filled]


class CategoriesSummary(CamelShape):
    """The size of the list of categories."""

    total_categories: Count
    categories_returned: Count
    root_categories: Count
    total_documents: Count
    sorted_by: Literal["name", "popularity", "documentCount"]
    search_query: str | None


class RowStatistics(CamelShape):
    """The size of a category in the list."""

    documents: Count
    chunks: Count
    concepts: Count


class CategoryRow(CamelShape):
    """A category in the list."""

    id: Id
    name: Filled
    description: str
    aliases: list[Filled]
    parent: str | None
    hierarchy: list[Filled]
    statistics: RowStatistics
    related_categories: list[Filled]


class Categories(CamelShape):
    """The reply of list_categories."""

    summary: CategoriesSummary
    categories: list[CategoryRow]


class ListedCategory(CamelShape):
    """The category in the reply of list_concepts_in_category."""

    id: Id
    name: Filled
    description: str
    hierarchy: list[Filled]


class ListedStatistics(CamelShape):
    """The number of concepts of a category, before and after the limit."""

    total_documents: Count
    total_chunks: Count
    total_unique_concepts: Count
    concepts_returned: Count


class ListedConcept(CamelShape):
    """A concept of a category."""

    id: Id
    name: Filled
    document_count: Annotated[int, Field(ge=1)]
    weight: Annotated[float, Field(gt=0, le=1, strict=False)]


class CategoryConcepts(CamelShape):
    """The reply of list_concepts_in_category."""

    category: ListedCategory
    statistics: ListedStatistics
    concepts: list[ListedConcept]
    sorted_by: Literal["name", "documentCount"]
    note: str


class Visual(Shape):
    """A picture of a document."""

    id: Id
    catalog_id: Id
    catalog_title: Filled
    visual_type: VisualType
    page_number: Page
    description: str
    image_path: Filled
    concepts: list[Filled]


class Visuals(Shape):
    """The reply of get_visuals."""

    visuals: list[Visual]
    total_returned: Count
    filters_applied: dict[str, JsonValue]
