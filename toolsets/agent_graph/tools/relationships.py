"""The tools for relationships: create, list neighbours, find a path."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from backends.ports.graph import MAX_EXPANSION, Direction, Edge, Graph, Node
from backends.ports.values import Json, NodeId
from toolsets.agent_graph import queries
from toolsets.agent_graph import relationship as relationships
from toolsets.agent_graph.errors import tool_error
from toolsets.agent_graph.extraction.model import RELATION_TYPES, RelationType
from toolsets.agent_graph.projections import relationship_in
from toolsets.agent_graph.relationship import Assertion, EdgeKey
from toolsets.agent_graph.runtime import AgentGraph, check_entity_id
from toolsets.agent_graph.streams import entity_stream, relationship_stream
from toolsets.agent_graph.tools.fields import (
    CamelArguments,
    Confidence,
    EntityBody,
    EntityId,
    InChannel,
    Name,
    RelationshipBody,
    Success,
    UpTo100,
    entity_body,
    relationship_body,
)
from toolsets.arguments import INTEGRAL
from toolsets.replies import MAX_PAGE_BYTES, CamelBody, counted, cut_sentence, fitting_rows, reply_of
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.sourcing.reads import FIRST_EDGES
from toolsets.spec import CallContext, Reply
from toolsets.tools import REPEATABLE, Tool

ENTITIES_BYTES = MAX_PAGE_BYTES * 3 // 4
"""The share of a reply for the neighbours; the rest is for the edges, at most 22 for each neighbour."""

_DIRECTIONS: Mapping[str, Direction] = {"incoming": "in", "outgoing": "out", "both": "both"}


class CreateRelationship(InChannel):
    """An edge to add."""

    from_entity_id: EntityId
    to_entity_id: EntityId
    type: RelationType
    label: Annotated[Name | None, Field(description="The relationship in words.")] = None
    confidence: Confidence = 0.8


class GetNeighbors(CamelArguments):
    """An entity whose neighbours are wanted."""

    entity_id: EntityId
    direction: Literal["incoming", "outgoing", "both"] = "both"
    relationship_type: str | None = None
    limit: Annotated[UpTo100, Field(description="How many neighbours, however many edges lead there.")] = 20


class FindPath(CamelArguments):
    """The ends of a path."""

    from_entity_id: EntityId
    to_entity_id: EntityId
    max_hops: Annotated[int, Field(ge=1, le=10), INTEGRAL] = 5


class RelationshipReply(Success):
    """One edge."""

    nothing: ClassVar[Mapping[str, Json]] = {"relationship": None}

    relationship: RelationshipBody | None
    message: str


class NeighborsReply(Success):
    """Neighbours, and the edges that lead there."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": [], "relationships": []}

    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    entity_count: int
    relationship_count: int
    message: str


class PathBody(CamelBody):
    """A path from start to target; one more entity than relationships."""

    entity_ids: tuple[str, ...]
    relationship_ids: tuple[str, ...]


class PathReply(Success):
    """A path, if there is one."""

    nothing: ClassVar[Mapping[str, Json]] = {"path": None}

    path: PathBody | None
    found: bool
    hop_count: int
    message: str


async def create_relationship(toolset: AgentGraph, arguments: CreateRelationship, context: CallContext) -> Reply:
    """Link two entities of one channel, or return the existing edge with the higher confidence."""
    # The configured default channel does not bind the call; the channel of the ends applies.
    channel = toolset.channel(arguments.channel_id, context)
    binding = channel if arguments.channel_id is not None else toolset.bound(context)
    key = EdgeKey(arguments.from_entity_id, arguments.to_entity_id, arguments.type)
    for end in (key.source_id, key.target_id):
        check_entity_id(end)
    if key.source_id == key.target_id:
        raise tool_error("Invalid arguments", "toEntityId must not be fromEntityId")
    await toolset.live_stores.graph()
    said = Assertion(arguments.confidence, context.tool, arguments.label)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.create(histories, key, said, binding)

    streams = (relationship_stream(key.id), entity_stream(key.source_id), entity_stream(key.target_id))
    written = await toolset.write(decide, context, streams=streams)
    [edge] = await toolset.relationships_of(written, (written.value,))
    body = relationship_body(edge)
    message = written.message("Relationship stored")
    return reply_of(RelationshipReply(relationship=body, message=message), meta=written.meta)


async def get_neighbors(toolset: AgentGraph, arguments: GetNeighbors, context: CallContext) -> Reply:
    """Return the entities one edge away, by the confidence of their best edge, then by name."""
    centre = await toolset.entity(arguments.entity_id, context)
    entities: tuple[EntityBody, ...] = ()
    leading: tuple[RelationshipBody, ...] = ()
    cut = ""
    if arguments.relationship_type in (None, *RELATION_TYPES):
        async with toolset.graph() as graph:
            edges = await _edges(graph, centre.id, arguments)
            nodes = await _neighbours(graph, centre.id, edges, arguments.limit)
        found = [toolset.read_counts.entity_in(node) for node in nodes]
        bodies = [entity_body(entity) for entity in found]
        entities = fitting_rows(bodies, ENTITIES_BYTES)
        cut = cut_sentence(len(entities), len(bodies))
        near = {entity.id for entity in entities}
        between = (relationship_in(edge) for edge in edges if _other(edge, centre.id) in near)
        leading = tuple(relationship_body(edge) for edge in queries.by_confidence(between, (centre, *found)))
    body = NeighborsReply(
        entities=entities,
        relationships=leading,
        entity_count=len(entities),
        relationship_count=len(leading),
        message=f"Found {counted(len(entities), 'neighbor', 'neighbors')}{cut}",
    )
    return reply_of(body)


async def find_path(toolset: AgentGraph, arguments: FindPath, context: CallContext) -> Reply:
    """Return a shortest path, ignoring the direction of edges."""
    ends = await toolset.entities((arguments.from_entity_id, arguments.to_entity_id), context)
    start, target = ends[arguments.from_entity_id], ends[arguments.to_entity_id]
    async with toolset.graph() as graph:
        path = None
        if start.channel == target.channel:
            path = await graph.shortest_path(NodeId(start.id), NodeId(target.id), max_hops=arguments.max_hops)
    if path is None:
        return reply_of(PathReply(path=None, found=False, hop_count=0, message="No path found"))
    hops = len(path.edges)
    body = PathBody(entity_ids=path.nodes, relationship_ids=tuple(edge.id for edge in path.edges))
    return reply_of(
        PathReply(path=body, found=True, hop_count=hops, message=f"Found a path of {counted(hops, 'hop', 'hops')}")
    )


async def _edges(store: Graph, centre: str, arguments: GetNeighbors) -> list[Edge]:
    """Return all matching edges to the first `limit` neighbours, and possibly edges to others."""
    types = None if arguments.relationship_type is None else (arguments.relationship_type.lower(),)
    direction = _DIRECTIONS[arguments.direction]
    id_ = NodeId(centre)
    expansion = await store.expand((id_,), direction=direction, types=types, limit_per_node=FIRST_EDGES)
    edges = list(expansion.edges.get(id_, ()))
    if id_ not in expansion.truncated:
        return edges
    best = _best(edges, centre)
    others = list(best)
    if len(others) < arguments.limit or best[others[arguments.limit - 1]] == edges[-1].confidence:
        # Equal confidences are ordered by name, so all edges of that confidence are needed.
        expansion = await store.expand((id_,), direction=direction, types=types, limit_per_node=MAX_EXPANSION)
        return list(expansion.edges.get(id_, ()))
    known = {edge.id for edge in edges}
    least = best[others[arguments.limit - 1]]
    between = await queries.edges_between(store, centre, [other for other in others if best[other] >= least])
    return edges + [edge for edge in between if edge.id not in known and _meets(edge, centre, arguments)]


async def _neighbours(store: Graph, centre: str, edges: Sequence[Edge], limit: int) -> list[Node]:
    """Return the first `limit` entities at the other ends of edges, by their highest confidence, then by name."""
    best = _best(edges, centre)
    ranked = sorted(best.values(), reverse=True)
    least = ranked[limit - 1] if len(ranked) >= limit else 0.0
    nodes = await store.get_nodes([NodeId(other) for other, confidence in best.items() if confidence >= least])
    return nsmallest(limit, nodes.values(), key=lambda node: (-best[node.id], str(node.fields["name"]), node.id))


def _best(edges: Sequence[Edge], centre: str) -> dict[str, float]:
    """Return the highest confidence of the edges to each neighbour; `edges` come by confidence, highest first."""
    best: dict[str, float] = {}
    for edge in edges:
        best.setdefault(_other(edge, centre), edge.confidence)
    return best


def _meets(edge: Edge, centre: str, arguments: GetNeighbors) -> bool:
    """Return whether an edge has the requested direction and type."""
    wanted = {"incoming": edge.target == centre, "outgoing": edge.source == centre, "both": True}
    kind = arguments.relationship_type
    return wanted[arguments.direction] and (kind is None or edge.type == kind.lower())


def _other(edge: Edge, centre: str) -> str:
    return edge.target if edge.source == centre else edge.source


TOOLS = (
    Tool(
        "kg_create_relationship",
        "Create relationship",
        "Link two entities of a channel. The same edge is not made twice: it is returned with the higher confidence.",
        CreateRelationship,
        RelationshipReply,
        create_relationship,
        REPEATABLE,
    ),
    Tool(
        "kg_get_neighbors",
        "Get neighbors",
        "List the entities one relationship away from an entity, with those relationships.",
        GetNeighbors,
        NeighborsReply,
        get_neighbors,
    ),
    Tool(
        "kg_find_path",
        "Find path",
        "Find the shortest connection between two entities, whichever way its relationships point.",
        FindPath,
        PathReply,
        find_path,
    ),
)
