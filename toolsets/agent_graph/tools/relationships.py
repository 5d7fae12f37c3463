"""The tools on edges: create, neighbours, and the path between two entities."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from backends.ports.graph import Direction, Edge, Graph
from backends.ports.values import Json, NodeId
from toolsets.agent_graph import queries
from toolsets.agent_graph import relationship as relationships
from toolsets.agent_graph.errors import Refusal
from toolsets.agent_graph.extraction.model import RELATION_TYPES, RelationType
from toolsets.agent_graph.projections import entity_in, relationship_in
from toolsets.agent_graph.relationship import Link, Said
from toolsets.agent_graph.runtime import AgentGraph, check_form, done
from toolsets.agent_graph.streams import entity_stream, relationship_stream
from toolsets.agent_graph.tools.fields import (
    Body,
    CamelArguments,
    Confidence,
    EntityBody,
    EntityId,
    InChannel,
    Name,
    RelationshipBody,
    Success,
    UpTo100,
    counted,
    entity_body,
    relationship_body,
)
from toolsets.making import REPEATABLE, Tool
from toolsets.parsing import INTEGRAL
from toolsets.reply import answer
from toolsets.sourcing.aggregate import Decision, Histories
from toolsets.spec import CallContext, Reply

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


class NeighborsReply(Success):
    """Neighbours, and the edges that lead there."""

    nothing: ClassVar[Mapping[str, Json]] = {"entities": [], "relationships": []}

    entities: tuple[EntityBody, ...]
    relationships: tuple[RelationshipBody, ...]
    entity_count: int
    relationship_count: int


class PathBody(Body):
    """A path from start to target; one more entity than relationships."""

    entity_ids: tuple[str, ...]
    relationship_ids: tuple[str, ...]


class PathReply(Success):
    """Whether there is a path, and which."""

    nothing: ClassVar[Mapping[str, Json]] = {"path": None}

    path: PathBody | None
    found: bool
    hop_count: int


async def create_relationship(graph: AgentGraph, arguments: CreateRelationship, context: CallContext) -> Reply:
    """Link two entities of one channel, or return the edge that is there with the higher confidence."""
    # A channel that is only the default does not bind: the ends say where they are.
    channel = graph.channel(arguments.channel_id, context)
    binding = channel if arguments.channel_id is not None else graph.bound(context)
    link = Link(arguments.from_entity_id, arguments.to_entity_id, arguments.type)
    for end in (link.source_id, link.target_id):
        check_form(end)
    if link.source_id == link.target_id:
        raise Refusal("Invalid arguments", "toEntityId must not be fromEntityId")
    await graph.sites.graph()
    said = Said(arguments.confidence, context.tool, arguments.label)

    def decide(histories: Histories) -> Decision[str]:
        return relationships.create(histories, link, said, binding)

    streams = (relationship_stream(link.id), entity_stream(link.source_id), entity_stream(link.target_id))
    written = await graph.write(decide, context, streams=streams)
    [edge] = await graph.relationships_of(written, (written.value,))
    body = relationship_body(edge)
    message = done("Relationship stored", written)
    return answer(RelationshipReply(relationship=body, message=message), meta=written.note)


async def get_neighbors(graph: AgentGraph, arguments: GetNeighbors, context: CallContext) -> Reply:
    """Return the entities one edge away, those of the surest edges first."""
    centre = await graph.entity(arguments.entity_id, context)
    if arguments.relationship_type not in (None, *RELATION_TYPES):
        edges: list[Edge] = []
    else:
        async with graph.graph() as store:
            edges = await _edges(store, centre.id, arguments)
    others = list(dict.fromkeys(_other(edge, centre.id) for edge in edges))[: arguments.limit]
    async with graph.graph() as store:
        nodes = await store.get_nodes([NodeId(other) for other in others])
    entities = tuple(
        entity_body(graph.accesses.shown(entity_in(nodes[NodeId(other)]))) for other in others if other in nodes
    )
    shown = {entity.id for entity in entities}
    leading = tuple(relationship_body(relationship_in(edge)) for edge in edges if _other(edge, centre.id) in shown)
    body = NeighborsReply(
        entities=entities,
        relationships=leading,
        entity_count=len(entities),
        relationship_count=len(leading),
        message=f"Found {counted(len(entities), 'neighbor', 'neighbors')}",
    )
    return answer(body)


async def find_path(graph: AgentGraph, arguments: FindPath, context: CallContext) -> Reply:
    """Return a shortest path, walking edges both ways."""
    start, target = arguments.from_entity_id, arguments.to_entity_id
    ends = await graph.entities((start, target), context)
    async with graph.graph() as store:
        path = None
        if len({end.channel for end in ends}) == 1:
            path = await store.shortest_path(NodeId(start), NodeId(target), max_hops=arguments.max_hops)
    if path is None:
        return answer(PathReply(path=None, found=False, hop_count=0, message="No path found"))
    hops = len(path.edges)
    body = PathBody(entity_ids=path.nodes, relationship_ids=tuple(edge.id for edge in path.edges))
    return answer(
        PathReply(path=body, found=True, hop_count=hops, message=f"Found a path of {counted(hops, 'hop', 'hops')}")
    )


async def _edges(store: Graph, centre: str, arguments: GetNeighbors) -> list[Edge]:
    """Return the edges that meet the call at an entity, the surest first, whole for the first `limit` neighbours."""
    types = None if arguments.relationship_type is None else (arguments.relationship_type.lower(),)
    direction = _DIRECTIONS[arguments.direction]
    id_ = NodeId(centre)
    expansion = await store.expand((id_,), direction=direction, types=types, limit_per_node=queries.FIRST_LOOK)
    edges = list(expansion.edges.get(id_, ()))
    if id_ not in expansion.truncated:
        return edges
    others = list(dict.fromkeys(_other(edge, centre) for edge in edges))
    if len(others) < arguments.limit:
        expansion = await store.expand((id_,), direction=direction, types=types, limit_per_node=queries.WHOLE_LOOK)
        return list(expansion.edges.get(id_, ()))
    known = {edge.id for edge in edges}
    between = await queries.edges_between(store, centre, others[: arguments.limit])
    return edges + [edge for edge in between if edge.id not in known and _meets(edge, centre, arguments)]


def _meets(edge: Edge, centre: str, arguments: GetNeighbors) -> bool:
    """Say whether an edge has the direction and the type asked for."""
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
