"""The search tools: by words, and by meaning."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from backends.ports.filters import And, Contains, Filter, Not
from backends.ports.graph import Graph, Node, Order
from backends.ports.values import Micros, NodeId
from backends.ports.vectors import Hit
from toolsets.arguments import Arguments, Filled
from toolsets.clock import iso_date
from toolsets.memory.brute_force import compared
from toolsets.memory.projections import ENTITIES, ENTITY
from toolsets.memory.runtime import Memory, OpenDatabase
from toolsets.memory.tools.fields import DatabaseName, EntityRow, Limit, ListReply, Share, cut_message, shown
from toolsets.replies import answer, fitting
from toolsets.sourcing.reads import HALF_DIGIT, nearest, ranked, ranked_hits
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

_logger = logging.getLogger(__name__)

_BY_NAME = (Order("name"),)
_SEARCHED = ("name", "type", "observations")
MAX_ECHOED = 2_000
"""The most characters of a query that its reply repeats."""


class SearchEntities(Arguments):
    """A text to search for."""

    database: DatabaseName = None
    query: Annotated[Filled, Field(description="Found as a whole, in any case, in names, types or observations.")]
    limit: Limit = 10


class SemanticSearch(Arguments):
    """A question in plain words."""

    database: DatabaseName = None
    query: Annotated[Filled, Field(description="What you look for, in natural language.")]
    limit: Limit = 10
    threshold: Annotated[Share, Field(description="The least cosine similarity.")] = 0.3


class FoundRow(EntityRow):
    """An entity that contains the query."""

    created_date: Annotated[str, Field(json_schema_extra={"format": "date"})]


class SimilarRow(EntityRow):
    """An entity similar in meaning."""

    similarity: float


class SearchReply(ListReply):
    """Entities that contain the query: those with it in the name first, then in the type, then in an observation."""

    query: str
    database: str
    entities: tuple[FoundRow, ...]
    count: int


class SemanticReply(ListReply):
    """Entities by similarity, best first."""

    query: str
    database: str
    entities: tuple[SimilarRow, ...]
    count: int
    threshold: float
    method: Literal["vector_similarity", "manual_calculation"] = "vector_similarity"


async def search_entities(memory: Memory, arguments: SearchEntities, context: CallContext) -> Reply:
    """Find entities by a substring of their texts."""
    async with memory.database(arguments.database) as opened:
        graph = (await opened.graph()).graph
        with opened.reading("graph", "Searching the graph"):
            nodes = await _containing(graph, arguments.query, arguments.limit)
        found = [FoundRow.model_validate({**shown(node), "created_date": _created(node)}) for node in nodes]
        rows = fitting(found)
        return answer(
            SearchReply(
                query=_echoed(arguments.query),
                database=opened.database.name,
                entities=rows,
                count=len(rows),
                message=cut_message(len(rows), len(found)),
            )
        )


async def semantic_search(memory: Memory, arguments: SemanticSearch, context: CallContext) -> Reply:
    """Rank entities by similarity, down to the threshold; while the vectors are down, up to 2,000 entities are compared."""
    async with memory.database(arguments.database) as opened:
        vector = await opened.embed(arguments.query)
        hits = await _hits(opened, vector, arguments)
        if hits is not None:
            nodes = await opened.nodes([NodeId(hit.id) for hit in hits])
            scored = ranked_hits(hits, nodes, arguments.limit, least=arguments.threshold)
        else:
            scored = ranked(await _compared(opened, vector), arguments.limit, least=arguments.threshold)
        found = [SimilarRow.model_validate({**shown(node), "similarity": score}) for score, node in scored]
        rows = fitting(found)
        return answer(
            SemanticReply(
                query=_echoed(arguments.query),
                database=opened.database.name,
                entities=rows,
                count=len(rows),
                threshold=arguments.threshold,
                message=cut_message(len(rows), len(found)),
                method="manual_calculation" if hits is None else "vector_similarity",
            )
        )


async def _hits(opened: OpenDatabase, vector: "Vector", arguments: SemanticSearch) -> Sequence[Hit] | None:
    """Return the hits of the vectors; None while they do not answer."""
    least = max(0.0, arguments.threshold - HALF_DIGIT)
    try:
        with opened.sourced.invalidating("vectors"):
            store = await opened.sourced.live_stores.vectors()
            return await nearest(store, ENTITIES, vector, arguments.limit, min_score=least)
    except StoreError as error:
        _logger.warning("the vectors failed, so entities are compared one by one: %s", error)
        return None


async def _compared(opened: OpenDatabase, vector: "Vector") -> list[tuple[float, Node]]:
    embedder = await opened.embedder()
    graph = (await opened.graph()).graph
    with opened.reading("graph", "Comparing the entities"):
        return await compared(graph, embedder, vector)


async def _containing(graph: Graph, words: str, limit: int) -> list[Node]:
    """Return the entities with `words` in the name, then in the type, then in observations; each once, ordered by name."""
    matches: list[Node] = []
    before: list[Filter] = []
    for field in _SEARCHED:
        where = And((Contains(field, words), *before))
        page = await graph.find(ENTITY, where, order=_BY_NAME, limit=limit - len(matches))
        matches.extend(page.items)
        if len(matches) == limit:
            break
        before.append(Not(Contains(field, words)))
    return matches


def _created(node: Node) -> str:
    at = node.fields["created_at"]
    return iso_date(Micros(at if isinstance(at, int) else 0))


def _echoed(query: str) -> str:
    return query[:MAX_ECHOED]


TOOLS = (
    Tool(
        "search_entities",
        "Search entities",
        "Find entities whose name, type or observations contain the query, as one piece of text in any case.",
        SearchEntities,
        SearchReply,
        search_entities,
    ),
    Tool(
        "semantic_search",
        "Search by meaning",
        "Find entities close in meaning to a question, closest first, down to a threshold.",
        SemanticSearch,
        SemanticReply,
        semantic_search,
    ),
)
