"""The search tools: by words, and by meaning."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from backends.ports.errors import StoreError
from backends.ports.filters import And, Contains, Filter, Not, Or
from backends.ports.graph import Graph, Node, Order
from backends.ports.values import Micros, NodeId
from backends.ports.vectors import Hit
from toolsets.arguments import Arguments, Filled
from toolsets.clock import iso_date
from toolsets.memory.brute_force import newest_by_cosine
from toolsets.memory.projections import ENTITIES, ENTITY
from toolsets.memory.runtime import Memory, OpenDatabase
from toolsets.memory.tools.fields import DatabaseName, EntityRow, Limit, ListReply, Share, cut_message, shown_fields
from toolsets.replies import FittingRows, reply_of
from toolsets.sourcing.reads import HALF_DIGIT, nearest, rank_nodes, ranked_hits, shown_score
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
            rows, found = await _containing(graph, arguments.query, arguments.limit)
        return reply_of(
            SearchReply(
                query=_echoed(arguments.query),
                database=opened.database.name,
                entities=rows,
                count=len(rows),
                message=cut_message(len(rows), found),
            )
        )


async def semantic_search(memory: Memory, arguments: SemanticSearch, context: CallContext) -> Reply:
    """Rank entities by similarity, down to the threshold; while the vectors are down, up to 2,000 entities are compared."""
    async with memory.database(arguments.database) as opened:
        vector = await opened.embed(arguments.query)
        hits = await _hits(opened, vector, arguments)
        if hits is not None:
            reply_rows, found = await _similar(opened, hits, arguments)
        else:
            scored = rank_nodes(await _compared(opened, vector), arguments.limit, least=arguments.threshold)
            reply_rows, found = FittingRows[SimilarRow](), len(scored)
            reply_rows.add(_similar_row(score, node) for score, node in scored)
        return reply_of(
            SemanticReply(
                query=_echoed(arguments.query),
                database=opened.database.name,
                entities=reply_rows.rows,
                count=len(reply_rows.rows),
                threshold=arguments.threshold,
                message=cut_message(len(reply_rows.rows), found) if reply_rows.is_full else None,
                method="manual_calculation" if hits is None else "vector_similarity",
            )
        )


async def _similar(
    opened: OpenDatabase, hits: Sequence[Hit], arguments: SemanticSearch
) -> tuple[FittingRows[SimilarRow], int]:
    """Return the rows that fit into a reply, and how many entities were found, at most `limit`.

    Of hits that were not read because the reply was full, those of entities deleted a moment ago count as found.
    """
    reply_rows = FittingRows[SimilarRow]()
    place = found = 0
    while place < len(hits) and not reply_rows.is_full and (left := arguments.limit - len(reply_rows.rows)) > 0:
        end = _end_of_ties(hits, min(len(hits), place + reply_rows.next_page(left)))
        nodes = await opened.nodes([NodeId(hit.id) for hit in hits[place:end]])
        scored = ranked_hits(hits[place:end], nodes, left, least=arguments.threshold)
        reply_rows.add(_similar_row(score, node) for score, node in scored)
        place, found = end, found + len(scored)
    return reply_rows, min(arguments.limit, found + len(hits) - place)


def _end_of_ties(hits: Sequence[Hit], end: int) -> int:
    """Return the place behind the hits whose rounded score equals that of the hit before `end`."""
    while end < len(hits) and shown_score(hits[end].score) == shown_score(hits[end - 1].score):
        end += 1
    return end


def _similar_row(score: float, node: Node) -> SimilarRow:
    return SimilarRow.model_validate({**shown_fields(node), "similarity": score})


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
        return await newest_by_cosine(graph, embedder, vector)


async def _containing(graph: Graph, words: str, limit: int) -> tuple[tuple[FoundRow, ...], int]:
    """Return the rows that fit into a reply, and how many entities were found, at most `limit`.

    Entities with `words` in the name come first, then in the type, then in observations; each once, ordered by name.
    """
    reply_rows = FittingRows[FoundRow]()
    before: list[Filter] = []
    for field in _SEARCHED:
        where = And((Contains(field, words), *before))
        after: str | None = None
        while (left := limit - len(reply_rows.rows)) > 0:
            page = await graph.find(ENTITY, where, order=_BY_NAME, after=after, limit=reply_rows.next_page(left))
            reply_rows.add(
                FoundRow.model_validate({**shown_fields(node), "created_date": _created(node)}) for node in page.items
            )
            if reply_rows.is_full:
                [group] = await graph.count_nodes(ENTITY, where=Or(tuple(Contains(each, words) for each in _SEARCHED)))
                return reply_rows.rows, max(len(reply_rows.rows), min(limit, group.count))
            if (after := page.after) is None:
                break
        before.append(Not(Contains(field, words)))
    return reply_rows.rows, len(reply_rows.rows)


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
