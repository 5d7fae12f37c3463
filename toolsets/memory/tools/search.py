"""The search tools: by words, and by meaning."""

from typing import Annotated, Literal

from pydantic import Field

from backends.ports.filters import And, Contains, Filter, Not
from backends.ports.graph import Graph, Node, Order
from backends.ports.values import Micros, NodeId
from backends.ports.vectors import Hit
from toolsets.clock import iso_date
from toolsets.making import Tool
from toolsets.memory.projections import ENTITY
from toolsets.memory.runtime import Memory
from toolsets.memory.tools.fields import Body, DatabaseName, EntityRow, Limit, Share, shown
from toolsets.parsing import Arguments, Filled
from toolsets.reply import answer
from toolsets.spec import CallContext, Reply

_BY_NAME = (Order("name"),)
_SEARCHED = ("name", "type", "observations")
MAX_ECHOED = 2_000
"""Characters of a query that its reply repeats."""
_SPARE = 10
"""Hits asked for beyond the limit, to make up for some that the graph does not have yet."""


class SearchEntities(Arguments):
    """Words to look for."""

    database: DatabaseName
    query: Annotated[Filled, Field(description="Found as a whole, in any case, in names, types or observations.")]
    limit: Limit = 10


class SemanticSearch(Arguments):
    """A question in plain words."""

    database: DatabaseName
    query: Annotated[Filled, Field(description="What you look for, in natural language.")]
    limit: Limit = 10
    threshold: Annotated[Share, Field(description="The least cosine similarity.")] = 0.3


class FoundRow(EntityRow):
    """An entity that has the words."""

    created_date: Annotated[str, Field(json_schema_extra={"format": "date"})]


class SimilarRow(EntityRow):
    """An entity close in meaning."""

    similarity: float


class SearchReply(Body):
    """Entities that have the words: in the name first, then in the type, then in an observation."""

    query: str
    database: str
    entities: tuple[FoundRow, ...]
    count: int


class SemanticReply(Body):
    """Entities by closeness."""

    query: str
    database: str
    entities: tuple[SimilarRow, ...]
    count: int
    threshold: float
    method: Literal["vector_similarity", "manual_calculation"] = "vector_similarity"


async def search_entities(memory: Memory, arguments: SearchEntities, context: CallContext) -> Reply:
    """Find entities by a part of their texts."""
    desk = await memory.database(arguments.database)
    graph = (await desk.graph()).graph
    with desk.reading("graph", "Searching the graph"):
        nodes = await _containing(graph, arguments.query, arguments.limit)
    rows = tuple(FoundRow.model_validate({**shown(node), "created_date": _created(node)}) for node in nodes)
    return answer(
        SearchReply(query=_echoed(arguments.query), database=arguments.database, entities=rows, count=len(rows))
    )


async def semantic_search(memory: Memory, arguments: SemanticSearch, context: CallContext) -> Reply:
    """Rank entities by closeness; none below the threshold."""
    desk = await memory.database(arguments.database)
    store = await desk.vectors()
    vector = await desk.embed(arguments.query)
    with desk.reading("vectors", "Searching the vectors"):
        hits = await store.vectors.dense(
            store.collection, vector, min(1_000, arguments.limit + _SPARE), min_score=arguments.threshold
        )
    nodes = await desk.found([NodeId(hit.id) for hit in hits])
    rows = tuple(_similar(hit, node) for hit in hits if (node := nodes.get(NodeId(hit.id))) is not None)
    rows = rows[: arguments.limit]
    return answer(
        SemanticReply(
            query=_echoed(arguments.query),
            database=arguments.database,
            entities=rows,
            count=len(rows),
            threshold=arguments.threshold,
        )
    )


async def _containing(graph: Graph, words: str, limit: int) -> list[Node]:
    """Return names that contain the words, then types, then observations; each entity once, by name within each."""
    found: list[Node] = []
    before: list[Filter] = []
    for field in _SEARCHED:
        where = And((Contains(field, words), *before))
        page = await graph.find(ENTITY, where, order=_BY_NAME, limit=limit - len(found))
        found.extend(page.items)
        if len(found) == limit:
            break
        before.append(Not(Contains(field, words)))
    return found


def _created(node: Node) -> str:
    at = node.fields["created_at"]
    return iso_date(Micros(at if isinstance(at, int) else 0))


def _similar(hit: Hit, node: Node) -> SimilarRow:
    return SimilarRow.model_validate({**shown(node), "similarity": min(1.0, float(hit.score))})


def _echoed(query: str) -> str:
    return query[:MAX_ECHOED]


TOOLS = (
    Tool(
        "search_entities",
        "Search entities",
        "Find entities that contain some words in their name, type or observations, in any case.",
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
