"""The search tools: by meaning, by criteria, by time."""

from typing import Annotated

from pydantic import BaseModel, Field

from backends.ports.graph import Node
from backends.ports.values import Micros, NodeId
from toolsets.arguments import Arguments, Filled
from toolsets.clock import iso_millis
from toolsets.knowledge.projections import EXPLANATIONS
from toolsets.knowledge.queries import all_of, at_level, certainty_within, first_by, name_contains, number_of, text_of
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.tools.fields import Score, Success, UpTo50, UpTo100
from toolsets.replies import Number, reply_of
from toolsets.sourcing.reads import nearest, ranked_hits
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool


class SearchSemantic(Arguments):
    """A question in plain words."""

    query: Annotated[Filled, Field(description="What you look for, in natural language.")]
    limit: UpTo50 = 10
    min_certainty: Score | None = None
    area: Filled | None = None
    topic: Filled | None = None


class SearchExact(Arguments):
    """Criteria that must all match."""

    name: Annotated[Filled | None, Field(description="Part of the name, in any case.")] = None
    area: Filled | None = None
    topic: Filled | None = None
    subtopic: Filled | None = None
    min_certainty: Score | None = None
    limit: UpTo100 = 20


class GetRecent(Arguments):
    """The number of concepts."""

    limit: UpTo50 = 20


class SemanticHit(BaseModel):
    """A concept close to a question."""

    concept_id: str
    name: str
    similarity: Number
    area: str | None
    topic: str | None
    certainty_score: Number


class Row(BaseModel):
    """A concept in a listing."""

    concept_id: str
    name: str
    area: str | None
    topic: str | None
    subtopic: str | None
    certainty_score: Number
    created_at: str


class RecentRow(BaseModel):
    """A concept in the listing of the newest."""

    concept_id: str
    name: str
    area: str | None
    topic: str | None
    created_at: str


class SemanticReply(Success):
    """Concepts by similarity, best first."""

    results: tuple[SemanticHit, ...]
    total: int
    message: str = "Found"


class RowsReply(Success):
    """Concepts in the order of the tool."""

    results: tuple[Row, ...]
    total: int
    message: str


class RecentReply(Success):
    """The newest concepts."""

    results: tuple[RecentRow, ...]
    total: int
    message: str = "Found"


async def search_concepts_semantic(knowledge: Knowledge, arguments: SearchSemantic, context: CallContext) -> Reply:
    """Rank the concepts that match the filters by similarity; filters apply before the limit."""
    store = await knowledge.vectors()
    vector = await knowledge.embed(arguments.query, on_failure="embedding_error")
    terms = (
        *at_level("area", arguments.area),
        *at_level("topic", arguments.topic),
        *certainty_within(arguments.min_certainty),
    )
    with knowledge.reading("vectors", "chromadb_error", "Searching the vectors"):
        hits = await nearest(store, EXPLANATIONS, vector, arguments.limit, where=all_of(terms))
    nodes = await knowledge.nodes([NodeId(hit.id) for hit in hits])
    results = tuple(_hit(score, node) for score, node in ranked_hits(hits, nodes, arguments.limit))
    return reply_of(SemanticReply(results=results, total=len(results)))


async def search_concepts_exact(knowledge: Knowledge, arguments: SearchExact, context: CallContext) -> Reply:
    """List the concepts that match all criteria, newest first."""
    terms = (
        *name_contains(arguments.name),
        *at_level("area", arguments.area),
        *at_level("topic", arguments.topic),
        *at_level("subtopic", arguments.subtopic),
        *certainty_within(arguments.min_certainty),
    )
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Searching the graph"):
        nodes = await first_by(graph, all_of(terms), "created_at", arguments.limit, descending=True)
    rows = tuple(row_of(node) for node in nodes)
    message = f"Found {len(rows)} concepts matching criteria"
    return reply_of(RowsReply(results=rows, total=len(rows), message=message))


async def get_recent_concepts(knowledge: Knowledge, arguments: GetRecent, context: CallContext) -> Reply:
    """List the newest concepts."""
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Reading the graph"):
        nodes = await first_by(graph, None, "created_at", arguments.limit, descending=True)
    rows = tuple(
        RecentRow(
            concept_id=node.id,
            name=text_of(node, "name") or "",
            area=text_of(node, "area"),
            topic=text_of(node, "topic"),
            created_at=_created_at(node),
        )
        for node in nodes
    )
    return reply_of(RecentReply(results=rows, total=len(rows)))


def row_of(node: Node) -> Row:
    """Return the row of a concept in a listing."""
    return Row(
        concept_id=node.id,
        name=text_of(node, "name") or "",
        area=text_of(node, "area"),
        topic=text_of(node, "topic"),
        subtopic=text_of(node, "subtopic"),
        certainty_score=number_of(node, "certainty"),
        created_at=_created_at(node),
    )


def _created_at(node: Node) -> str:
    return iso_millis(Micros(int(number_of(node, "created_at"))))


def _hit(score: float, node: Node) -> SemanticHit:
    return SemanticHit(
        concept_id=node.id,
        name=text_of(node, "name") or "",
        similarity=max(0.0, score),
        area=text_of(node, "area"),
        topic=text_of(node, "topic"),
        certainty_score=number_of(node, "certainty"),
    )


TOOLS = (
    Tool(
        "search_concepts_semantic",
        "Search by meaning",
        "Find concepts whose explanation is closest in meaning to a question; best first.",
        SearchSemantic,
        SemanticReply,
        search_concepts_semantic,
    ),
    Tool(
        "search_concepts_exact",
        "Search by criteria",
        "Find concepts by part of the name, placement or certainty; all criteria must hold, newest first.",
        SearchExact,
        RowsReply,
        search_concepts_exact,
    ),
    Tool(
        "get_recent_concepts",
        "Recent concepts",
        "List the concepts created last, newest first.",
        GetRecent,
        RecentReply,
        get_recent_concepts,
    ),
)
